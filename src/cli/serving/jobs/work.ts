/** A worker's part in served jobs: makes an item's result on the corpus, which is only read. */
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { listScenarios, readScenario } from '../../../corpus/scenarios.js';
import { TreadleError } from '../../../errors.js';
import { addressOf, type Json } from '../../../kit/hash.js';
import type { JobRequest } from '../../../serve/jobs/request.js';
import type { ItemWork } from '../../../serve/jobs/worker.js';
import { gateAgain } from '../../../tasks/gate-again.js';
import { type Ground, prepareGround } from '../../../tasks/ground/ground.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';
import { type Acting, brokenLine, rollOut, type Scene } from '../../pipeline/roll/attempt.js';
import { rolloutPlan, seedOf } from './options.js';
import type { Item } from './plan.js';

interface Open {
  id: string;
  world: LoadedWorld;
  tasks: ReadonlyMap<string, Task>;
  ground?: Ground;
}

const gone = (what: string, value: string): TreadleError =>
  new TreadleError({
    code: 'corpus_changed',
    message: `The corpus has no such ${what} any more`,
    value,
    next: 'Leave the job again: it is planned on what the corpus has now.',
  });

/** Items of one world come together, so that one world is open at a time. */
export const jobWork = (corpus: Corpus, engine: Engine): ItemWork => {
  let open: Open | undefined;
  const plans = new WeakMap<JobRequest, Acting>();

  const rest = (): void => {
    if (open) unloadWorld(open.world);
    open = undefined;
  };
  const openOf = (id: string): Open => {
    if (open?.id === id) return open;
    rest();
    const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
    open = { id, world: loadWorld(engine, corpus.readWorld(id), { lazy: true }), tasks };
    return open;
  };
  const actingOf = (request: Extract<JobRequest, { kind: 'rollout' }>): Acting => {
    const known = plans.get(request) ?? rolloutPlan(request).acting;
    plans.set(request, known);
    return known;
  };
  const sceneOf = ({ world, scenario }: Item): { scene?: Scene } => {
    if (scenario === undefined) return {};
    const head = listScenarios(corpus, world)?.scenarios.find(({ id }) => id === scenario);
    if (!head) throw gone('scenario', scenario);
    return { scene: { scenario: readScenario(corpus, world, head), hash: head.hash } };
  };

  const rollout = async (own: LoadedWorld, task: Task, item: Item, acting: Acting): Promise<Json> => {
    const sample = { task, hash: addressOf(task), index: item.sample ?? 0, ...sceneOf(item) };
    try {
      return (await rollOut({ world: own, ...sample }, acting)) as unknown as Json;
    } catch (thrown) {
      return brokenLine(sample, acting, thrown) as unknown as Json;
    }
  };

  return {
    make: async (request, { payload }) => {
      const item = payload as unknown as Item;
      const from = openOf(item.world);
      const task = from.tasks.get(item.task);
      if (!task) throw gone('task', item.task);
      const own = groundedWorld(from.world, task.grounding);
      try {
        if (request.kind === 'rollout') return await rollout(own, task, item, actingOf(request));
        if (own === from.world) from.ground ??= prepareGround(own);
        const ground = own === from.world ? from.ground : undefined;
        return gateAgain(ground ?? prepareGround(own), task, seedOf(request)) as unknown as Json;
      } finally {
        if (own !== from.world) dropGrounded(from.world, own);
      }
    },
    rest,
  };
};
