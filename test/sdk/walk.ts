/** One SDK walked over a fake of its document: steps that hold or do not, each with the reason, and the state behind them in SQL. */
import { openFake } from '../../src/fake/fake.js';

export interface Step {
  step: string;
  ok: boolean;
  why?: string;
}

export interface Walking {
  /** `http://127.0.0.1:40123` */
  url: string;
  port: number;
  /** Runs a step; one that throws is written down and the walk goes on. Undefined then. */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T | undefined>;
  /** Rows of the caller's session. */
  sql(query: string, ...params: unknown[]): Record<string, unknown>[];
  /** Throws where the two are not the same. */
  same(seen: unknown, wanted: unknown, what?: string): void;
  /** Throws with the text where it is not so. */
  must(is: unknown, what: string): void;
  /** Tables behind the document, to find the one that a step wrote. */
  tables: Record<string, string[]>;
  /** Table of the tool behind an operation: `POST /v1/customers`. */
  tableOf(operation: string): string;
}

export interface WalkOptions {
  name: string;
  text: string;
  walk: (walking: Walking) => Promise<void>;
}

const whyOf = (thrown: unknown): string => {
  const error = thrown as { message?: string; status?: number; body?: unknown };
  const text = error?.message ?? String(thrown);
  return text.replace(/\s+/g, ' ').slice(0, 300);
};

export const runWalk = async ({ name, text, walk }: WalkOptions): Promise<{ steps: Step[] }> => {
  const defects: string[] = [];
  const fake = await openFake({
    documents: [{ name, text }],
    seed: 'walk',
    onDefect: (error) => defects.push(`${error.line()} ${error.stack ?? ''}`),
  });
  const steps: Step[] = [];
  try {
    const door = await fake.listen();
    const session = () => {
      const caller = fake.callers.list().at(-1);
      if (caller?.live.place.at !== 'active') throw new Error('the SDK has no session yet');
      return caller.live.place.session;
    };
    const service = () => {
      const loaded = session().world.services.get(fake.service);
      if (!loaded) throw new Error(`no service ${fake.service}`);
      return loaded;
    };
    const must = (is: unknown, what: string): void => {
      if (!is) throw new Error(what);
    };
    const own = await fake.callers.named('walk');
    const spec =
      own.live.place.at === 'active' ? own.live.place.session.world.services.get(fake.service)?.spec : undefined;
    await walk({
      url: door.origin,
      port: Number(new URL(door.origin).port),
      step: async (step, work) => {
        try {
          const made = await work();
          steps.push({ step, ok: true });
          return made;
        } catch (thrown) {
          steps.push({ step, ok: false, why: whyOf(thrown) });
          if (process.env.TREADLE_SDK_STACKS) console.error(thrown);
          return undefined;
        }
      },
      sql: (query, ...params) => {
        const { connection } = service();
        connection.bind(session().state(fake.service));
        return connection.prepare(query).all(params as never) as Record<string, unknown>[];
      },
      same: (seen, wanted, what = 'value') =>
        must(
          JSON.stringify(seen) === JSON.stringify(wanted),
          `${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(seen)}`,
        ),
      must,
      tables: Object.fromEntries(
        Object.entries(spec?.tables ?? {}).map(([table, { cols }]) => [table, Object.keys(cols)]),
      ),
      tableOf: (operation) => {
        const binding = fake.face.bindings.find((one) => one.operation === operation);
        const table = binding && spec?.tools[binding.tool]?.table;
        if (table === undefined) {
          const why = fake.face.unbound.find((one) => one.operation === operation)?.why;
          throw new Error(`nothing stands behind ${operation}: ${why ?? 'no such operation'}`);
        }
        return table;
      },
    });
    for (const defect of defects) steps.push({ step: 'no defect of ours', ok: false, why: defect.slice(0, 600) });
  } finally {
    await fake.close();
  }
  return { steps };
};
