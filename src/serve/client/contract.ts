/** What every Trainer does, in process or over HTTP: cases that any test runner can loop over. They leave no session open. */
import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { Json } from '../../kit/hash.js';
import type { OpenedSession } from '../api.js';
import type { Trainer } from '../trainer.js';

export interface Call {
  tool: string;
  arguments: Record<string, Json>;
}

/** A trainer of a server that has this world and task. */
export interface Bench {
  trainer: Trainer;
  world: string;
  task: string;
  /** The node of the task's only stage. */
  stage: string;
  /** A service of the world that `write` writes to. */
  service: string;
  read: Call;
  /** Changes the state and fulfils the task, at its first call. */
  write: Call;
  /** Two different things that a record of kind verifier may hold. */
  verifiers: readonly [Json, Json];
}

export interface ContractCase {
  name: string;
  run(bench: Bench): Promise<void>;
}

const refuses = (code: string, work: Promise<unknown>): Promise<void> =>
  rejects(work, (thrown: unknown) => {
    const error = thrown as { name?: string; code?: string; message: string };
    strictEqual(`${error.name} ${error.code}`, `TreadleError ${code}`, error.message);
    return true;
  });

/** A session for the time of `work`. */
const within = async (
  { trainer, task }: Bench,
  work: (session: OpenedSession) => Promise<void>,
  request: object = { task },
): Promise<void> => {
  const session = await trainer.open(request);
  try {
    await work(session);
  } finally {
    await trainer.close(session.id);
  }
};

const lifecycle: ContractCase[] = [
  {
    name: 'opens a session with its pins, labels, tools and tokens, and shows the token once',
    run: (bench) =>
      within(
        bench,
        async (opened) => {
          ok(opened.token.length >= 22 && opened.url.startsWith('http'));
          ok(opened.brief);
          deepStrictEqual(opened.labels, { run: 'r1', step: 3, group: 'g', policyVersion: 'p' });
          strictEqual(opened.pins.world.name, bench.world);
          strictEqual(opened.status, 'open');
          const info = await bench.trainer.session(opened.id);
          ok(!('token' in info));
          deepStrictEqual(info.pins, opened.pins);
          const tools = await bench.trainer.tools(opened.id);
          ok(tools.some(({ name, readOnly }) => name === bench.read.tool && readOnly));
        },
        { task: bench.task, labels: { run: 'r1', step: 3, group: 'g', policyVersion: 'p' } },
      ),
  },
  {
    name: 'finds sessions by label and status',
    run: (bench) =>
      within(
        bench,
        async ({ id }) => {
          const ids = async (filter: object): Promise<string[]> =>
            (await bench.trainer.sessions(filter)).map((session) => session.id);
          deepStrictEqual(await ids({ run: 'filter/ü ?&=' }), [id]);
          deepStrictEqual(await ids({ run: 'filter/ü ?&=', group: 'other' }), []);
          await bench.trainer.pause(id);
          deepStrictEqual(await ids({ run: 'filter/ü ?&=', status: 'open' }), []);
          deepStrictEqual(await ids({ run: 'filter/ü ?&=', status: 'paused' }), [id]);
        },
        { world: bench.world, labels: { run: 'filter/ü ?&=' } },
      ),
  },
  {
    name: 'lists sessions by the page, in the order of opening',
    run: async ({ trainer, world }) => {
      const labels = { run: 'pages' };
      const opened: string[] = [];
      for (let n = 0; n < 5; n++) opened.push((await trainer.open({ world, labels })).id);
      const page = async (after?: string): Promise<string[]> =>
        (await trainer.sessions({ run: 'pages', limit: 2, ...(after ? { after } : {}) })).map(({ id }) => id);
      const pages: string[][] = [];
      for (let last: string | undefined; ; ) {
        const next = await page(last);
        if (next.length === 0 || pages.length > 5) break;
        pages.push(next);
        last = next.at(-1);
      }
      deepStrictEqual(pages, [opened.slice(0, 2), opened.slice(2, 4), opened.slice(4)]);
      await refuses('unknown_session', trainer.sessions({ after: 'nobody' }));
      for (const id of opened) await trainer.close(id);
    },
  },
  {
    name: 'says what it does not know',
    run: async ({ trainer, task }) => {
      await refuses('unknown_session', trainer.session('nobody'));
      await refuses('unknown_session', trainer.session('__proto__'));
      await refuses('unknown_session', trainer.session('../../health'));
      await refuses('unknown_session', trainer.call('nobody', { tool: 'x' }));
      await refuses('unknown_record', trainer.open({ task: `${task}-other` }));
      await refuses('unknown_record', trainer.open({ world: 'nowhere' }));
    },
  },
  {
    name: 'closes twice, and takes no calls afterwards, but keeps the ledger',
    run: (bench) =>
      within(bench, async ({ id }) => {
        await bench.trainer.call(id, bench.read);
        strictEqual((await bench.trainer.close(id, 'done')).status, 'closed');
        strictEqual((await bench.trainer.close(id)).status, 'closed');
        await refuses('session_closed', bench.trainer.call(id, bench.read));
        strictEqual((await bench.trainer.ledger(id)).entries.length, 1);
      }),
  },
  {
    name: 'takes no calls while paused',
    run: (bench) =>
      within(bench, async ({ id }) => {
        strictEqual((await bench.trainer.pause(id)).status, 'paused');
        await refuses('session_paused', bench.trainer.call(id, bench.read));
        strictEqual((await bench.trainer.resume(id)).status, 'open');
        ok((await bench.trainer.call(id, bench.read)).ok);
      }),
  },
];

const calls: ContractCase[] = [
  {
    name: "gives an agent's mistake back as an outcome, and keeps both in the ledger",
    run: (bench) =>
      within(bench, async ({ id }) => {
        const good = await bench.trainer.call(id, bench.read);
        ok(good.ok && good.entry.index === 0);
        const bad = await bench.trainer.call(id, { tool: 'no_such_tool', arguments: { text: 'ü\u0000\u2028😀' } });
        strictEqual(bad.error?.fault, 'agent');
        const { entries, session } = await bench.trainer.ledger(id);
        strictEqual(session, id);
        deepStrictEqual(
          entries.map(({ tool, ok: worked }) => [tool, worked]),
          [
            [bench.read.tool, true],
            ['no_such_tool', false],
          ],
        );
        deepStrictEqual(entries[1]?.args, { text: 'ü\u0000\u2028😀' });
        ok(entries.every(({ ms }) => ms >= 0));
      }),
  },
  {
    name: 'answers a second call of one name and does not run it',
    run: (bench) =>
      within(bench, async ({ id }) => {
        const request = { ...bench.write, operation: 'op-1' };
        const [first, second] = [await bench.trainer.call(id, request), await bench.trainer.call(id, request)];
        deepStrictEqual(second.result, first.result);
        strictEqual((await bench.trainer.session(id)).calls, 1);
      }),
  },
  {
    name: 'verifies the state as it is',
    run: async (bench) => {
      await within(bench, async ({ id }) => {
        strictEqual((await bench.trainer.verify(id)).pass, false);
        ok((await bench.trainer.call(id, bench.write)).ok);
        strictEqual((await bench.trainer.verify(id, { answer: 'done' })).pass, true);
      });
      await within(bench, ({ id }) => refuses('no_task', bench.trainer.verify(id)), { world: bench.world });
    },
  },
  {
    name: 'verifies a stage with its reply, and says which stages there are',
    run: (bench) =>
      within(bench, async ({ id }) => {
        const { trainer, stage: at } = bench;
        strictEqual((await trainer.verify(id, { at })).pass, false);
        ok((await trainer.call(id, bench.write)).ok);
        const verdict = await trainer.verify(id, { at, answer: 'done', answers: { [at]: 'done' } });
        deepStrictEqual([verdict.pass, verdict.milestones.length], [true, 1]);
        strictEqual((await trainer.verify(id, { answers: { [at]: 'done' } })).pass, true);
        await refuses('unknown_stage', trainer.verify(id, { at: 'nowhere' }));
        await refuses('unknown_stage', trainer.verify(id, { at, answers: { nowhere: 'done' } }));
      }),
  },
  {
    name: 'has no events of a session without a scenario, and no scenario that nobody published',
    run: (bench) =>
      within(bench, async ({ id }) => {
        await refuses('no_scenario', bench.trainer.events(id));
        await refuses('no_scenario', bench.trainer.takeNotices(id));
        await refuses('unknown_record', bench.trainer.open({ scenario: 'fixture/nothing' }));
      }),
  },
  {
    name: 'shows what changed and gives the database as a file',
    run: (bench) =>
      within(bench, async ({ id }) => {
        const before = await bench.trainer.state(id);
        deepStrictEqual(before.changes, {});
        await bench.trainer.call(id, bench.write);
        const after = await bench.trainer.state(id);
        deepStrictEqual(Object.keys(after.changes), [bench.service]);
        notStrictEqual(after.hash, before.hash);
        const image = await bench.trainer.image(id, bench.service, 'final');
        ok(image instanceof Uint8Array);
        strictEqual(Buffer.from(image.subarray(0, 15)).toString(), 'SQLite format 3');
        await refuses('unknown_service', bench.trainer.image(id, 'nothing', 'final'));
      }),
  },
];

const branches: ContractCase[] = [
  {
    name: 'forks from exactly this state',
    run: (bench) =>
      within(bench, async ({ id, token }) => {
        await bench.trainer.call(id, bench.read);
        const made = await bench.trainer.fork(id, { count: 3, labels: { run: 'forked' } });
        const { hash } = await bench.trainer.state(id);
        strictEqual(new Set([token, ...made.map((one) => one.token)]).size, 4);
        for (const { id: branch, parent, labels } of made) {
          strictEqual(parent, id);
          strictEqual(labels.run, 'forked');
          strictEqual((await bench.trainer.state(branch)).hash, hash);
        }
        await bench.trainer.call(made[0]!.id, bench.write);
        notStrictEqual((await bench.trainer.state(made[0]!.id)).hash, hash);
        strictEqual((await bench.trainer.state(made[1]!.id)).hash, hash);
        for (const { id: branch } of made) await bench.trainer.close(branch);
      }),
  },
  {
    name: 'retires a session that became its branches',
    run: (bench) =>
      within(bench, async ({ id }) => {
        const made = await bench.trainer.fork(id, { retire: true });
        strictEqual(made.length, 1);
        await refuses('session_forked', bench.trainer.call(id, bench.read));
        for (const { id: branch } of made) await bench.trainer.close(branch);
      }),
  },
  {
    name: 'comes back to snapshots and to the start',
    run: (bench) =>
      within(bench, async ({ id }) => {
        const { trainer } = bench;
        const start = await trainer.state(id);
        await trainer.call(id, bench.read);
        const { snapshot, hash } = await trainer.snapshot(id);
        deepStrictEqual((await trainer.session(id)).snapshots, [snapshot]);
        await trainer.call(id, bench.write);
        notStrictEqual((await trainer.state(id)).hash, hash);
        strictEqual((await trainer.restore(id, snapshot)).calls, 1);
        strictEqual((await trainer.state(id)).hash, hash);
        strictEqual(await trainer.dropSnapshot(id, snapshot), undefined);
        await refuses('unknown_snapshot', trainer.restore(id, snapshot));
        await refuses('unknown_snapshot', trainer.dropSnapshot(id, snapshot));
        strictEqual((await trainer.reset(id)).calls, 0);
        deepStrictEqual(await trainer.state(id), start);
      }),
  },
];

const records: ContractCase[] = [
  {
    name: 'publishes, resolves, reads, lists and deprecates records',
    run: async ({ trainer, verifiers: [one, two] }) => {
      const name = 'contract/a_b-c.d';
      const first = await trainer.publish('verifier', name, one);
      const second = await trainer.publish('verifier', name, two);
      deepStrictEqual([first.version, second.version], [1, 2]);
      deepStrictEqual(await trainer.resolve('verifier', name), second);
      deepStrictEqual(await trainer.resolve('verifier', `${name}@1`), first);
      deepStrictEqual(await trainer.read('verifier', second.hash), two);
      strictEqual((await trainer.records('verifier', name)).length, 2);
      const old = await trainer.deprecate('verifier', `${name}@1`, 'It was wrong.');
      deepStrictEqual(old.deprecated, { because: 'It was wrong.' });
      await refuses('unknown_record', trainer.resolve('verifier', 'contract/none'));
    },
  },
  {
    name: 'tells of itself',
    run: async ({ trainer, world }) => {
      const info = await trainer.info();
      ok(info.capacity > 0 && info.rssMiB > 0 && info.uptimeSeconds >= 0);
      ok(Array.isArray(await trainer.statistics({ service: 'none' })));
      ok((await trainer.records('world')).some(({ name }) => name === world));
    },
  },
];

export const TRAINER_CONTRACT: readonly ContractCase[] = [...lifecycle, ...calls, ...branches, ...records];
