/** A real session server over the fixture world, with two tasks, and a hand on its calls: they can be held up and counted. */
import { Task } from '../../src/artifacts/task.js';
import { eventWeaver } from '../../src/dynamics/weaver.js';
import { addressOf, type Json } from '../../src/kit/hash.js';
import { openRegistry } from '../../src/serve/registry/registry.js';
import { verifierOf } from '../../src/serve/registry/verifier.js';
import { inProcess } from '../../src/serve/sessions/server/in-process.js';
import { SessionServer } from '../../src/serve/sessions/server/session-server.js';
import type { Trainer } from '../../src/serve/trainer.js';
import { Engine } from '../../src/world/state/engine.js';
import { type FixtureParts, fixtureParts } from '../fixtures/world.js';

export interface GymFixture {
  trainer: Trainer;
  server: SessionServer;
  /** Names of trainer calls in the order they began, with the tool for `call`. */
  seen: string[];
  /** Sessions that were opened, in order. */
  opened: string[];
  /** From now on calls of tools wait; the function lets them go on. */
  hold(): () => void;
  close(): Promise<void>;
}

/** Make customer Zed Brandt, and tell what 2 + 2 is. */
export const ZED = 'fixture/make-zed';
/** Only asks: what 2 + 2 is. */
export const ASK = 'fixture/ask';

export const ACTOR = { name: 'Bo Lund', email: 'bo@fixture.example', title: 'Clerk' };

const taskOf = (parts: FixtureParts, id: string, rest: Partial<Task>): Task =>
  Task.parse({
    treadle: 'task/1',
    id,
    kind: 'atomic',
    world: addressOf(parts.world),
    worldId: 'fixture',
    services: ['billing'],
    actor: ACTOR,
    brief: 'Add the customer Zed Brandt (zed@mail.example) and tell me what 2 + 2 is.',
    snapshot: parts.world.snapshot,
    clock: parts.world.clock,
    nodes: [{ id: 'n1', family: 'create', intent: 'add', service: 'billing', chain: ['customer.create'] }],
    edges: [],
    bindings: [],
    disclosure: { persona: 'brisk', stages: [] },
    milestones: [
      {
        id: 'added',
        node: 'n1',
        checks: [
          {
            id: 'c1',
            kind: 'exists',
            footprint: [],
            service: 'billing',
            table: 'customer',
            where: { name: 'Zed Brandt' },
          },
        ],
      },
      { id: 'told', node: 'n1', checks: [{ id: 'c2', kind: 'answer', footprint: [] }] },
    ],
    answer: { kind: 'number', asks: 'the sum', expected: 4, distractors: [] },
    reference: { calls: [], answer: '4', sources: [] },
    lineage: { template: 'fixture', seed: '0' },
    ...rest,
  });

export const gymFixture = async (capacity = 1_000): Promise<GymFixture> => {
  const engine = await Engine.start();
  const parts = fixtureParts(engine);
  const registry = openRegistry({});
  const publish = (kind: 'world' | 'service' | 'task' | 'verifier', name: string, content: unknown): void => {
    registry.publish(kind, name, content as Json);
  };
  for (const service of parts.services) publish('service', `fixture/${service.id}`, service);
  publish('world', 'fixture', parts.world);
  const zed = taskOf(parts, 'make-zed', {});
  const broken = { id: 'b', kind: 'invariant' as const, footprint: [], invariant: 'nothing' };
  const tasks = [
    zed,
    taskOf(parts, 'ask', { brief: 'What is 2 + 2?', milestones: zed.milestones.slice(1) }),
    taskOf(parts, 'broken', { milestones: [{ id: 'm', node: 'n1', checks: [broken] }] }),
  ];
  for (const task of tasks) {
    publish('task', `fixture/${task.id}`, task);
    publish('verifier', `fixture/${task.id}`, verifierOf(task));
  }
  const weaver = eventWeaver;
  const server = new SessionServer({ engine, registry, partsOf: () => parts, limits: { capacity }, weaver });
  const inner = inProcess(server);
  const seen: string[] = [];
  const opened: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const trainer: Trainer = {
    ...inner,
    open: async (request, once) => {
      seen.push('open');
      const made = await inner.open(request, once);
      opened.push(made.id);
      return made;
    },
    call: async (id, request) => {
      seen.push(`call ${request.tool}`);
      await gate;
      const outcome = await inner.call(id, request);
      seen.push(`called ${request.tool}`);
      return outcome;
    },
    verify: (id, request) => {
      seen.push('verify');
      return inner.verify(id, request);
    },
    close: (id, answer) => {
      seen.push('close');
      return inner.close(id, answer);
    },
  };
  return {
    trainer,
    server,
    seen,
    opened,
    hold: () => {
      let release = (): void => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    close: async () => {
      await server.shutDown();
      registry.close();
      engine.close();
    },
  };
};
