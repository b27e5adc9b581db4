/** A scenario that a person wrote: what a file leaves out is filled in, the rules decide, and it is kept beside the made ones. */
import type { Certificate, Finding } from '../../../artifacts/certificate.js';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { readData } from '../../../corpus/files.js';
import { listScenarios, readScenario, scenarioCertificate, writeScenarios } from '../../../corpus/scenarios.js';
import { checkScenario } from '../../../dynamics/author/check-scenario.js';
import { solvedFor } from '../../../dynamics/solve/solved.js';
import { TreadleError } from '../../../errors.js';
import { addressOf } from '../../../kit/hash.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';

export interface Added {
  world: string;
  scenario: Scenario;
  certificate: Certificate;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const EVENT: Fields = { guard: [], needs: [], excludes: [], reads: [], writes: [] };

/** An event with the parts that it leaves out; what is there is kept, wrong or not. */
const wholeEvent = (event: unknown): unknown =>
  isFields(event)
    ? {
        ...EVENT,
        notify: { to: 'none' },
        reference: { insert: [], from: 0, drop: 0 },
        ...event,
        checks: { retire: [], replace: [], add: [], ...(isFields(event.checks) ? event.checks : {}) },
      }
    : event;

/** The reference solved again; where the events are not such, the task's own stands in until the rules refuse them. */
const solved = (task: Task, events: unknown): unknown => {
  try {
    return solvedFor(task, events as ScenarioEvent[]);
  } catch {
    return task.reference;
  }
};

const wholeScenario = (written: Fields, task: Task): Fields => {
  const events = Array.isArray(written.events) ? written.events.map(wholeEvent) : written.events;
  return {
    treadle: 'scenario/1',
    id: `${task.id}-by-hand`,
    task: addressOf(task),
    taskId: task.id,
    world: task.world,
    worldId: task.worldId,
    seed: `by-hand/${task.id}`,
    ...written,
    events,
    reference: written.reference ?? solved(task, events),
  };
};

const bad = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_scenario', message, value, next, fault: 'input' });

const placeOf = (corpus: Corpus, written: Fields, file: string): { world: string; task: Task } => {
  const { taskId } = written;
  if (typeof taskId !== 'string')
    throw bad(`${file} does not name its task`, taskId ?? 'no taskId', 'Write taskId: and the id of a task.');
  const world = corpus.worlds().find((id) => corpus.listTasks(id).tasks.some((task) => task.id === taskId));
  const task = world === undefined ? undefined : corpus.readTasks(world).tasks.find(({ id }) => id === taskId);
  if (world === undefined || !task)
    throw bad('The corpus has no such task', taskId, 'See treadle show CORPUS for what is there.');
  return { world, task };
};

const refused = (file: string, { id, evidence }: Finding): TreadleError =>
  new TreadleError({
    code: id === 'version' ? 'other_version' : 'refused_scenario',
    message: `${file} is refused by the rule ${id}: ${evidence.join('; ')}`,
    value: id,
    next: 'docs/dynamics.md says what each rule asks for. Nothing was written.',
    fault: 'input',
  });

/** Throws `bad_scenario`, `refused_scenario`, `other_version`; nothing is written then. */
export const addScenario = (corpus: Corpus, engine: Engine, file: string): Added => {
  const written = readData(file);
  if (!isFields(written))
    throw bad(`${file} holds no scenario`, typeof written, 'Write one as docs/dynamics.md shows.');
  const { world: id, task } = placeOf(corpus, written, file);
  const world = loadWorld(engine, corpus.readWorld(id));
  const own = groundedWorld(world, task.grounding);
  let findings: Finding[];
  const data = wholeScenario(written, task);
  try {
    findings = checkScenario({ world: own, task }, data);
  } finally {
    if (own !== world) dropGrounded(world, own);
    unloadWorld(world);
  }
  const failed = findings.find(({ pass }) => !pass);
  if (failed) throw refused(file, failed);
  const scenario = data as unknown as Scenario;
  const certificate: Certificate = {
    treadle: 'certificate/1',
    kind: 'scenario',
    subject: addressOf(scenario),
    name: scenario.id,
    pass: true,
    findings,
  };
  keep(corpus, id, scenario, certificate);
  return { world: id, scenario, certificate };
};

const keep = (corpus: Corpus, world: string, scenario: Scenario, certificate: Certificate): void => {
  const before = listScenarios(corpus, world);
  const others = (before?.scenarios ?? []).filter(({ id }) => id !== scenario.id);
  const kept = others.flatMap((head) => {
    const proof = scenarioCertificate(corpus, world, head.id);
    return proof ? [{ scenario: readScenario(corpus, world, head), certificate: proof }] : [];
  });
  writeScenarios(corpus, world, {
    settings: before?.settings ?? { seed: '', perTask: 1, most: 1 },
    tasks: before?.tasks ?? {},
    candidates: before?.candidates ?? 0,
    scenarios: [...kept, { scenario, certificate }],
    refused: before?.refused ?? [],
  });
};

/** Hand-written scenarios of a world whose tasks are still the ones they were accepted for. */
export const isByHand = ({ seed }: Pick<Scenario, 'seed'>): boolean => seed.startsWith('by-hand/');
