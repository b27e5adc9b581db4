/** Runs a composed task's stages again, in another order or with some left out; ids that come out otherwise are followed. */
import type { Call } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Ground } from '../ground/ground.js';
import { keyOf } from '../ground/plan.js';
import type { Stage } from './stage.js';

export interface Run {
  session: Session;
  /** Calls that failed. */
  failed: number;
}

/** A part of a run: a stage by its place, or calls of nobody's stage. */
export type Part = number | readonly Call[];

type Renamed = Map<Json, Json>;

const renamedIn = (value: Json, names: Renamed): Json => {
  if (value === null || typeof value !== 'object') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => renamedIn(item, names));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamedIn(item as Json, names)]));
};

export class Rerun {
  readonly #ground: Ground;
  readonly #stages: Stage[] = [];
  /** The reference's session before each stage, and at its end. */
  readonly #before: Session[];
  #runs = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#before = [ground.fresh()];
  }

  /** One stage more, done on the reference's session. */
  push(stage: Stage): void {
    const next = (this.#before.at(-1) as Session).fork(`reference-${this.#before.length}`);
    for (const call of stage.calls) next.call(call.tool, structuredClone(call.args));
    this.#before.push(next);
    this.#stages.push(stage);
  }

  /** Takes the last stage back. */
  pop(): void {
    this.#stages.pop();
    this.#before.pop()?.drop();
  }

  /** As the reference leaves it after its `n`-th stage; to be read only. */
  after(n: number): Session {
    return this.#before[n + 1] as Session;
  }

  get end(): Session {
    return this.#before.at(-1) as Session;
  }

  #shown(service: string, table: string, key: string | number): Json {
    const own = this.#ground.world.services.get(service) as LoadedService;
    const spec = own.spec.tables[table];
    return spec ? keyOf(own, spec, { [spec.key.col]: key }) : key;
  }

  /** Goes on from before stage `from`. The session is the caller's to drop. */
  run(from: number, parts: readonly Part[]): Run {
    const session = (this.#before[from] as Session).fork(`rerun-${this.#runs++}`);
    const names: Renamed = new Map();
    let failed = 0;
    for (const part of parts) {
      const stage = typeof part === 'number' ? (this.#stages[part] as Stage) : undefined;
      const calls = stage ? stage.calls : (part as readonly Call[]);
      for (const [i, call] of calls.entries()) {
        const args = names.size > 0 ? renamedIn(call.args as Json, names) : structuredClone(call.args);
        const outcome = session.call(call.tool, args);
        if (!outcome.ok) failed++;
        const made = outcome.entry.touched.filter(({ change }) => change === 'insert');
        const once = stage?.played[i]?.touched.filter(({ change }) => change === 'insert') ?? [];
        for (const [n, { service, table, key }] of once.entries()) {
          const now = made[n];
          if (!now || now.key === key || now.table !== table) continue;
          names.set(this.#shown(service, table, key), this.#shown(service, table, now.key));
        }
      }
    }
    return { session, failed };
  }

  drop(): void {
    for (const session of this.#before) session.drop();
  }
}
