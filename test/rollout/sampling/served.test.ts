/** Sampling on the sessions of a server: forks and stage verdicts are the server's, and what is kept is the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Task } from '../../../src/artifacts/task.js';
import type { Trace } from '../../../src/artifacts/trace.js';
import { deepFreeze } from '../../../src/kit/hash.js';
import { referencePolicy } from '../../../src/rollout/agents/reference.js';
import { sampleGroup } from '../../../src/rollout/sampling/group.js';
import { servedHost } from '../../../src/rollout/sampling/host.js';
import { type Sampled, samplePrefix } from '../../../src/rollout/sampling/prefix.js';
import { simulatedUser } from '../../../src/rollout/users/user.js';
import { callerOf } from '../../../src/serve/sessions/caller.js';
import { inProcess } from '../../../src/serve/sessions/server/in-process.js';
import { Session } from '../../../src/serve/sessions/session.js';
import type { Trainer } from '../../../src/serve/trainer.js';
import { groundedWorld } from '../../../src/world/grounded.js';
import type { LoadedWorld } from '../../../src/world/loaded.js';
import { Engine } from '../../../src/world/state/engine.js';
import { groundedTask, publishTask } from '../../fixtures/grounded.js';
import { fixtureServer } from '../../fixtures/server.js';
import { fixtureWorld } from '../../fixtures/world.js';
import { happened, hostOf, stateOf } from './fixture.js';

let engine: Engine;
let trainer: Trainer;
let task: Task;
let name: string;
let own: LoadedWorld;

/** Messages with tools' results as values: a server keeps services with their columns in another order. */
const read = ({ messages, ledger, dialogue, finish, answer }: Trace): unknown => ({
  messages: messages.map(({ content, ...rest }) => ({
    ...rest,
    content: rest.role === 'tool' ? (JSON.parse(content) as unknown) : content,
  })),
  ledger,
  dialogue,
  finish,
  answer,
});

const stage = (node: string, full: string): object => ({ node, full, partial: full, vague: full, facts: [] });

beforeAll(async () => {
  engine = await Engine.start();
  const fixture = fixtureServer(engine);
  trainer = inProcess(fixture.server);
  const plain = groundedTask(fixture.task, 'Kiel');
  const stages = [stage('find', 'What is the id of Mara Kiel?'), stage('add', 'Add Nova Kunz. How many were added?')];
  task = deepFreeze({ ...plain, disclosure: { ...plain.disclosure, stages } } as Task);
  name = publishTask(fixture, task);
  own = groundedWorld(fixtureWorld(engine), task.grounding);
});
afterAll(() => engine.close());

const sessions = async (): Promise<string[]> =>
  (await trainer.sessions()).filter(({ status }) => status !== 'closed').map(({ id }) => id);

const plan = (fails: number) => ({
  task,
  user: () => simulatedUser(task, 'full'),
  prompt: { hasUser: true },
  policyFor: ({ node, attempt }: { node?: string; attempt: number }) =>
    attempt <= fails && node !== undefined
      ? {
          ...referencePolicy(task),
          // Adds somebody else, again and again, and says that it is done.
          next: ({ messages }: { messages: readonly { role: string }[] }) =>
            messages.at(-1)?.role === 'user'
              ? {
                  text: '',
                  calls: [
                    {
                      id: `wrong_${attempt}`,
                      name: 'create_customer',
                      args: {
                        ok: true as const,
                        args: { name: `Wrong ${attempt}`, email: `w${attempt}@mail.example` },
                      },
                    },
                  ],
                }
              : { text: 'cus_wrong', calls: [] },
        }
      : referencePolicy(task),
});

const inThisProcess = async (fails: number): Promise<{ result: Sampled; state: string }> => {
  let state = '';
  const open = () => hostOf(task, Session.open(own, { id: 'own', services: task.services, me: callerOf(task.actor) }));
  const result = await samplePrefix({ ...plan(fails), open }, (host) => {
    state = stateOf((host as ReturnType<typeof hostOf>).session);
  });
  return { result, state };
};

const open = async () => servedHost(trainer, (await trainer.open({ task: name })).id);

it('keeps the same trajectory as in this process, whatever failed, and leaves no session open', async () => {
  const before = await sessions();
  const clean = await inThisProcess(0);
  const failed = await inThisProcess(3);
  const served = await samplePrefix({ ...plan(3), open });
  expect(clean.result).toMatchObject({ accepted: true, dropped: [] });
  expect(served.accepted).toBe(true);
  expect(served.dropped).toHaveLength(6);
  expect(served.kept.trace.ledger).toEqual(clean.result.kept.trace.ledger);
  expect(read(served.kept.trace)).toEqual(read(clean.result.kept.trace));
  expect(happened(failed.result.kept.trace)).toBe(happened(clean.result.kept.trace));
  expect(failed.state).toBe(clean.state);
  expect(served.kept.verdict.milestones).toEqual(clean.result.kept.verdict.milestones);
  expect(served.dropped.map(({ trace }) => read(trace))).toEqual(failed.result.dropped.map(({ trace }) => read(trace)));
  // The row that the customers of failed attempts would have taken is the kept one's.
  expect(JSON.stringify(served.kept.trace)).not.toContain('Wrong');
  expect(await sessions()).toEqual(before);
});

it('a group’s branches are sessions of the server’s, closed when they have been judged', async () => {
  const before = await sessions();
  const group = await sampleGroup({ ...plan(0), open, at: { node: 'add' }, size: 3, until: 'stage' });
  expect(group).toMatchObject({ passRate: 1, best: 0, branches: [{}, {}, {}] });
  expect(await sessions()).toEqual(before);
});
