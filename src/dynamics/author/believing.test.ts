/** The believing agent: it does what the reference does while nothing is wrong, and is taken in by what it reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { withValueAt } from '../../kit/json-path.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { event, onCall } from '../event.fixture.js';
import { believedAnswer, believedCall, believing, memoryOf } from './believing.js';
import { type Stage, tryOut } from './trial.js';
import type { Place } from './where-answer.js';

let world: LoadedWorld;
let stages: Stage[];
beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  stages = generateTasks(world, { count: 16, seed: 'events' }).tasks.map(({ task }) => ({ world, task }));
}, 240_000);
afterAll(() => unloadWorld(world));

const asked = (): Stage[] => stages.filter(({ task }) => task.answer !== undefined);
const results =
  (stage: Stage) =>
  (call: number): Json | undefined =>
    memoryOf(stage).results[call];

describe('an agent that believes what it reads', () => {
  it('passes while nothing happens', () => {
    for (const stage of stages) {
      const never = { events: [event('never', { when: { at: 9e12 } })], seed: 's' };
      const { verdict, session } = tryOut(stage, never, believing(stage));
      expect(verdict.pass, stage.task.id).toBe(true);
      expect(session.ledger.map(({ tool, args }) => ({ tool, args }))).toEqual(
        stage.task.reference.calls.map(({ tool, args }) => ({ tool, args })),
      );
      session.drop();
    }
  });

  it('knows where most answers stand', () => {
    const known = asked().filter((stage) => memoryOf(stage).answers.every(({ place }) => place !== undefined));
    expect(asked().length).toBeGreaterThan(2);
    expect(known.length * 2).toBeGreaterThan(asked().length);
  });

  it('says what it reads this time, in words', () => {
    const stage = asked().find((one) => memoryOf(one).answers[0]?.place?.form === 'field') as Stage;
    const memory = memoryOf(stage);
    const { says, place } = memory.answers[0] as { says: string; place: Place };
    expect(believedAnswer(stage.task, memory, results(stage))).toBe(says);
    const other = (call: number): Json | undefined =>
      call === place.call
        ? withValueAt(memory.results[call] as Record<string, Json>, place.path, 'Nobody at all')
        : undefined;
    expect(believedAnswer(stage.task, memory, other)).toBe('Nobody at all');
    expect(believedAnswer(stage.task, memory, () => undefined)).toBe('I could not find it.');
  });

  it('has nothing to call with where what it needs is not shown', () => {
    const stage = stages.find(({ task }) => task.reference.sources.some(({ from }) => 'observed' in from)) as Stage;
    const memory = memoryOf(stage);
    const { call: n } = stage.task.reference.sources.find(({ from }) => 'observed' in from) as { call: number };
    expect(believedCall(stage, memory, n, results(stage))).toEqual(stage.task.reference.calls[n]);
    expect(believedCall(stage, memory, n, () => undefined)).toBeUndefined();
  });

  it('is taken in by a tool that lies, at least once', () => {
    const taken = stages.filter((stage) => {
      const { task }: { task: Task } = stage;
      const [first] = task.reference.calls;
      if (!first || task.reference.calls.length < 2) return false;
      const last = task.reference.calls.at(-1)?.tool as string;
      const lie = event('lie', {
        source: 'fault',
        ...onCall(first.tool),
        effect: { fault: { profile: 'P4', tool: last } },
        notify: { to: 'none' },
      });
      const { verdict, session } = tryOut(stage, { events: [lie], seed: 's' }, believing(stage));
      session.drop();
      return !verdict.pass;
    });
    expect(taken.length).toBeGreaterThan(0);
  });
});
