/** Scenarios of a corpus: made, kept, made anew, added by hand, rolled out by who knows, who does not notice and who does nothing. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Task } from '../../../artifacts/task.js';
import { Corpus } from '../../../corpus/corpus.js';
import { listScenarios, readScenarios, scenarioCertificate } from '../../../corpus/scenarios.js';
import type { TraceLine } from '../../../corpus/traces/line.js';
import { checkScenario } from '../../../dynamics/author/check-scenario.js';
import { addressOf } from '../../../kit/hash.js';
import { groundedWorld } from '../../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../world/loaded.js';
import { Engine } from '../../../world/state/engine.js';
import { noInterrupt } from '../../interrupt.js';
import { makeUi } from '../../ui.js';
import { policyOf } from '../acting.js';
import { build } from '../build.js';
import { readInput } from '../input.js';
import { rollOut, type Scene } from '../roll/attempt.js';
import { pickTasks } from '../roll/pick.js';
import { addScenario } from './by-hand.js';
import { scenarioCounts } from './counts.js';
import { makeScenarios } from './make.js';
import { sourcesIn } from './sources.js';

const SETTINGS = { seed: 'd', perTask: 3, most: 2 };
let dir: string;
let engine: Engine;
let corpus: Corpus;
let world: LoadedWorld;
let id: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-dynamics-'));
  const options = {
    input: await readInput('a software company in Dublin with a help desk and billing'),
    worlds: 1,
    tasks: 6,
    seed: 'd',
    out: dir,
    pins: {},
    skipDeterminism: true,
  };
  await build(options, { ...makeUi(false), step: () => undefined, say: () => undefined }, noInterrupt, { rows: false });
  engine = await Engine.start();
  corpus = Corpus.open(dir);
  id = corpus.worlds()[0] as string;
  world = loadWorld(engine, corpus.readWorld(id));
  await makeScenarios(corpus, engine, id, { settings: SETTINGS });
}, 240_000);
afterAll(() => {
  unloadWorld(world);
  engine.close();
  rmSync(dir, { recursive: true, force: true });
});

const bytes = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(corpus.path('worlds', id, 'scenarios'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => [one.name, readFileSync(join(one.parentPath, one.name), 'utf8')]),
  );

const roll = async (
  scenario: Scenario,
  policy: 'reference' | 'stale' | 'none',
  user: 'none' | 'simulated' = 'none',
) => {
  const task = corpus.readTasks(id).tasks.find((one) => one.id === scenario.taskId);
  if (!task) throw new Error(scenario.taskId);
  const acting = { policy, user, detail: 'full' as const, retries: 0, timeout: 1, seed: 's' };
  const scene: Scene = { scenario, hash: addressOf(scenario) };
  return rollOut(
    { world: groundedWorld(world, task.grounding), task, hash: addressOf(task), index: 0, scene },
    { seed: 's', policyFor: policyOf(acting), view: { user, detail: 'full' } },
  );
};

describe('the scenarios of a world', () => {
  it('are kept with what was executed, what was refused, and heads that tell what they are', () => {
    const listing = listScenarios(corpus, id);
    const scenarios = readScenarios(corpus, id);
    expect(scenarios.length).toBeGreaterThan(5);
    expect(listing?.scenarios.map((head) => head.id)).toEqual(scenarios.map((one) => one.id));
    for (const scenario of scenarios) {
      const certificate = scenarioCertificate(corpus, id, scenario.id);
      expect(certificate).toMatchObject({ kind: 'scenario', pass: true, subject: addressOf(scenario) });
      expect(certificate?.findings.length).toBeGreaterThanOrEqual(10);
    }
    const counts = scenarioCounts([
      { tasks: 6, dynamic: 1, scenarios: listing?.scenarios ?? [], candidates: 100, refused: listing?.refused ?? [] },
    ]);
    expect(counts.events).toBe(scenarios.reduce((sum, { events }) => sum + events.length, 0));
    expect(Object.values(counts.sources).reduce((a, b) => a + b)).toBe(counts.events);
    expect(Object.values(counts.depth).reduce((a, b) => a + b)).toBe(counts.scenarios);
  });

  it('hold once more where their files are checked as if somebody had written them', () => {
    const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
    for (const scenario of readScenarios(corpus, id)) {
      const task = tasks.get(scenario.taskId) as Task;
      const stage = { world: groundedWorld(world, task.grounding), task };
      expect(
        checkScenario(stage, scenario).filter(({ pass }) => !pass),
        scenario.id,
      ).toEqual([]);
    }
  });

  it('are found made before, and come out the same where they are made again', async () => {
    expect((await makeScenarios(corpus, engine, id, { settings: SETTINGS })).isOld).toBe(true);
    const before = bytes();
    rmSync(corpus.path('worlds', id, 'scenarios'), { recursive: true });
    expect((await makeScenarios(corpus, engine, id, { settings: SETTINGS })).isOld).toBe(false);
    expect(bytes()).toEqual(before);
  });

  it('of one task are made anew and the others stay', async () => {
    const before = readScenarios(corpus, id);
    const task = before[0]?.taskId as string;
    const settings = { ...SETTINGS, sources: ['fault'] };
    await makeScenarios(corpus, engine, id, { settings, tasks: [task] });
    const after = readScenarios(corpus, id);
    const others = (all: Scenario[]): string[] => all.filter(({ taskId }) => taskId !== task).map(addressOf);
    expect(others(after)).toEqual(expect.arrayContaining(others(before)));
    for (const { events } of after.filter(({ taskId }) => taskId === task))
      expect(events.map(({ source }) => source)).toEqual(events.map(() => 'fault'));
    // They were made with other settings, so that a whole run makes all of them again.
    expect((await makeScenarios(corpus, engine, id, { settings: SETTINGS })).isOld).toBe(false);
    expect(readScenarios(corpus, id).map(addressOf)).toEqual(before.map(addressOf));
  });

  it('that were edited are refused, and those that nobody made are not found', () => {
    const [head] = listScenarios(corpus, id)?.scenarios ?? [];
    const file = corpus.path('worlds', id, 'scenarios', `${head?.id}.json`);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"seed": "[^"]*"/, '"seed": "another"'));
    expect(() => readScenarios(corpus, id)).toThrow(expect.objectContaining({ code: 'changed_file' }));
    writeFileSync(file, text.replace('scenario/1', 'scenario/0'));
    expect(() => readScenarios(corpus, id)).toThrow(expect.objectContaining({ code: 'other_version' }));
    writeFileSync(file, text);
    expect(() => pickTasks(corpus, { worlds: [id], scenarios: ['nobody'] }, 's')).toThrow(
      expect.objectContaining({ code: 'no_scenario', value: ['nobody'] }),
    );
  });
});

describe('rollouts in scenarios', () => {
  const isDistractor = ({ effect }: ScenarioEvent): boolean => 'publish' in effect && !effect.publish.authoritative;
  const told = ({ trace }: TraceLine) => trace.events.filter((event) => event.kind === 'notice');

  it('pass by the re-solved reference, also before a simulated user, and fail by the old plan and by doing nothing', async () => {
    for (const scenario of readScenarios(corpus, id)) {
      const [solved, spoken, stale, nothing] = await Promise.all([
        roll(scenario, 'reference'),
        roll(scenario, 'reference', 'simulated'),
        roll(scenario, 'stale'),
        roll(scenario, 'none'),
      ]);
      const matters = scenario.events.some((event) => !isDistractor(event));
      expect(
        [solved, spoken, stale, nothing].map(({ verdict }) => verdict.pass),
        scenario.id,
      ).toEqual([true, true, !matters, false]);
      expect(new Set([solved, spoken, stale, nothing].map(({ trace }) => trace.id)).size).toBe(4);
    }
  });

  it('keep what fired and what was told, each notice as the message it names', async () => {
    let notices = 0;
    for (const scenario of readScenarios(corpus, id)) {
      const line = await roll(scenario, 'reference');
      const { trace, verdict } = line;
      expect(trace.scenario).toMatchObject({ id: scenario.id, hash: addressOf(scenario) });
      const fired = trace.events.flatMap((event) =>
        event.kind === 'fate' && event.fate === 'fired' ? event.event : [],
      );
      expect(verdict.revised?.events).toEqual(fired);
      for (const notice of told(line)) {
        if (notice.kind !== 'notice') continue;
        notices++;
        const message = trace.messages[notice.message ?? -1];
        expect(message).toMatchObject({ role: 'user', content: expect.stringContaining(notice.text) });
      }
    }
    expect(notices).toBeGreaterThan(0);
  });

  it('have one engine: faults besides are refused, and so is the scenario of another task', async () => {
    const [scenario] = readScenarios(corpus, id);
    const task = corpus.readTasks(id).tasks.find((one) => one.id === scenario?.taskId);
    if (!scenario || !task) throw new Error('none');
    const sample = { world, task, hash: addressOf(task), index: 0, scene: { scenario, hash: addressOf(scenario) } };
    const policyFor = policyOf({ policy: 'none', user: 'none', detail: 'full', retries: 0, timeout: 1, seed: 's' });
    const faults = { rules: ['*=P1'], seed: 's' };
    await expect(
      rollOut(sample, { seed: 's', policyFor, view: { user: 'none', detail: 'full', faults } }),
    ).rejects.toMatchObject({ code: 'two_engines' });
    await expect(rollOut({ ...sample, hash: 'f'.repeat(64) }, { seed: 's', policyFor })).rejects.toMatchObject({
      code: 'other_task',
    });
  });
});

describe('a scenario by hand', () => {
  const file = (): string => join(dir, 'hand.yaml');
  const simple = (): Scenario => {
    const found = readScenarios(corpus, id).find(
      ({ events }) => events.length === 1 && events[0]?.source === 'requirement',
    );
    if (!found) throw new Error('none');
    return found;
  };
  const add = (written: unknown) => {
    writeFileSync(file(), JSON.stringify(written));
    return addScenario(corpus, engine, file());
  };

  it('is kept with what it left out, and outlives the making of others', async () => {
    const { taskId, events } = simple();
    const [{ guard: _, needs: __, reads: ___, ...event }] = events as [ScenarioEvent];
    const added = add({ taskId, events: [event] });
    expect(added).toMatchObject({ world: id, scenario: { id: `${taskId}-by-hand` }, certificate: { pass: true } });
    await makeScenarios(corpus, engine, id, { settings: { ...SETTINGS, perTask: 1 } });
    expect(readScenarios(corpus, id).map((one) => one.id)).toContain(`${taskId}-by-hand`);
    await makeScenarios(corpus, engine, id, { settings: SETTINGS });
  });

  it.each<[string, (scenario: Scenario) => unknown, string]>([
    ['a list', () => [1], 'bad_scenario'],
    ['no task', () => ({ events: [] }), 'bad_scenario'],
    ['a task of nobody', () => ({ taskId: 'nobody', events: [] }), 'bad_scenario'],
    ['no events', ({ taskId }) => ({ taskId, events: [] }), 'refused_scenario'],
    ['events that are none', ({ taskId }) => ({ taskId, events: 7 }), 'refused_scenario'],
    ['an event that is none', ({ taskId }) => ({ taskId, events: [null] }), 'refused_scenario'],
    ['another version', (all) => ({ ...all, treadle: 'scenario/9' }), 'other_version'],
    ['another task', (all) => ({ ...all, task: '0'.repeat(64) }), 'refused_scenario'],
    [
      'a tool that is not there',
      ({ taskId, events }) => ({ taskId, events: [{ ...events[0], when: { after: { tool: 'nope', nth: 1 } } }] }),
      'refused_scenario',
    ],
    [
      'an event that never fires',
      ({ taskId, events }) => ({ taskId, events: [{ ...events[0], when: { at: 9_999_999_999 } }] }),
      'refused_scenario',
    ],
    [
      'an event that needs itself',
      ({ taskId, events }) => ({ taskId, events: [{ ...events[0], needs: [{ id: events[0]?.id, delay: 0 }] }] }),
      'refused_scenario',
    ],
  ])('with %s is refused, and nothing is written', (_, made, code) => {
    const before = bytes();
    expect(() => add(made(simple()))).toThrow(expect.objectContaining({ code }));
    expect(bytes()).toEqual(before);
  });
});

it('sources are read in their order, and others refused', () => {
  expect(sourcesIn('fault, requirement')).toEqual(['requirement', 'fault']);
  expect(() => sourcesIn('requirement,weather')).toThrow(
    expect.objectContaining({ code: 'bad_option', value: 'weather' }),
  );
});
