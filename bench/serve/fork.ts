/** A whole session of four services forked into 64 branches, the first call answered on each, in process. */
import { openHouse } from '../../src/cli/serving/house.js';
import { inProcess } from '../../src/serve/sessions/server/in-process.js';
import { madeFor } from './made.js';
import { inFolder, type Options } from './options.js';
import { readPlans } from './plan.js';
import { median, quantile, round, sayTargets } from './report.js';

const BRANCHES = 64;

export const runFork = (options: Options): Promise<Record<string, unknown>> =>
  inFolder(async (dir) => {
    const { small } = options;
    const times = small ? 5 : 20;
    const { corpus, plans } = await madeFor(
      options,
      dir,
      { worlds: 2, tasks: 4 },
      { rollouts: 2, calls: 24, writes: 4 },
    );
    const [plan] = readPlans(plans);
    if (!plan) throw new Error('no plan');
    const silent = (): void => {};
    const house = await openHouse({ dir: corpus.dir, data: undefined, servers: [], limits: {}, onDefect: silent });
    try {
      const trainer = inProcess(house.server);
      const { task = '', services } = plan;
      const { id } = await trainer.open({ task, services });
      for (const { tool, args } of plan.calls) await trainer.call(id, { tool, arguments: args });
      const [first] = plan.calls.filter(({ ok }) => ok);
      if (!first) throw new Error('no call of the plan works');
      // A service that the calls left alone is touched too: all four are the session's own then.
      const state = house.server.live(id);
      await state.on((session) => services.map((service) => session.state(service)));
      const took: number[] = [];
      const callMs: number[] = [];
      for (let n = 0; n < times * 2; n++) {
        const from = performance.now();
        const branches = await trainer.fork(id, { count: BRANCHES });
        const forked = performance.now();
        for (const branch of branches) {
          const { ok } = await trainer.call(branch.id, { tool: first.tool, arguments: first.args });
          if (!ok) throw new Error(`${first.tool} was refused on a branch`);
        }
        const now = performance.now();
        // As many before them to warm up.
        if (n >= times) {
          took.push(now - from);
          callMs.push(now - forked);
        }
        for (const branch of branches) await trainer.close(branch.id);
      }
      const result = {
        part: 'fork',
        fork64_ms: round(median(took), 2),
        fork64_p95_ms: round(quantile(took, 0.95), 2),
        fork64_calls_ms: round(median(callMs), 2),
        branches: BRANCHES,
        services: services.length,
        calls_before: plan.calls.length,
        first_call: first.tool,
        times,
      };
      sayTargets(result, [{ field: 'fork64_ms', at: 'most', bound: 50, unit: 'ms' }]);
      return result;
    } finally {
      await house.close();
    }
  });
