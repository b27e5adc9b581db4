/** The gate: what it keeps is proven, and each of its lines stops the task that it is there to stop. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Certificate } from '../../src/artifacts/certificate.js';
import type { Check } from '../../src/artifacts/check.js';
import { parseArtifact } from '../../src/artifacts/registry.js';
import type { Call, Task } from '../../src/artifacts/task.js';
import { canonicalJson } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { gate } from '../../src/tasks/gate.js';
import { generateTasks, type Library } from '../../src/tasks/generate.js';
import { type Ground, prepareGround } from '../../src/tasks/ground/ground.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { catalogueWorld } from './worlds.js';

const LINES = [
  'null_agent_fails',
  'reference_passes',
  'stable',
  'obeys_policy',
  'determined',
  'reachable',
  'not_leaked',
  'alternatives_pass',
  'mutants_fail',
];

let world: LoadedWorld;
let library: Library;
let ground: Ground;

beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'gate', ['billing', 'support_desk']);
  library = generateTasks(world, { count: 24, seed: 'gate' });
  ground = prepareGround(world);
}, 240_000);

const judged = (task: Task): Certificate =>
  gate(ground, task, { random: rng('gate-test'), stray: undefined, other: undefined });
const failed = (certificate: Certificate): string[] =>
  certificate.findings.filter(({ pass }) => !pass).map(({ id }) => id);
const pick = (fits: (task: Task) => boolean): Task => {
  const found = library.tasks.find(({ task }) => fits(task))?.task;
  if (!found) throw new Error('the library holds no such task');
  return structuredClone(found);
};
const writes = (task: Task): boolean =>
  task.answer === undefined && task.reference.calls.length > 1 && task.bindings.some(({ name }) => name === 'subject');
const withChecks = (task: Task, change: (checks: Check[]) => Check[]): Task => ({
  ...task,
  milestones: task.milestones.map((milestone) => ({ ...milestone, checks: change(milestone.checks) })),
});

describe('what is kept', () => {
  it('is as much as was asked for', () => expect(library.tasks).toHaveLength(24));
  it('has a rubric in words beside its checks', () => {
    for (const { task } of library.tasks) {
      const [milestone] = task.milestones;
      expect(milestone?.rubric?.at(-1)).toMatch(/^Changes nothing/);
      if (task.answer) expect(milestone?.rubric?.some((line) => line.startsWith('Replies with'))).toBe(true);
      else expect(milestone?.rubric?.[0]).toBe(task.brief);
    }
  });
  it('has every line executed and held', () => {
    for (const { certificate } of library.tasks) {
      expect(certificate.pass).toBe(true);
      expect(certificate.findings.map(({ id }) => id)).toEqual(LINES);
    }
  });
  it('was attacked by at least five kinds of wrong solutions, and all died', () => {
    for (const { task, certificate } of library.tasks) {
      const kinds = certificate.findings.find(({ id }) => id === 'mutants_fail')?.evidence ?? [];
      expect(kinds.length, task.brief).toBeGreaterThanOrEqual(5);
      expect(
        kinds.every((line) => /: (\d+) of \1 fail$/.test(line)),
        kinds.join(),
      ).toBe(true);
      if (task.answer) expect(kinds.some((line) => line.startsWith('shotgun_answer'))).toBe(true);
    }
  });
  it('covers questions and changes', () => {
    // An errand's are those of its two parts.
    const families = new Set(
      library.tasks.flatMap(({ task }) =>
        [...task.lineage.template.matchAll(/(?:^|[:+])([a-z]+)(?=:)/g)].map(([, family]) => family),
      ),
    );
    for (const family of ['action', 'update', 'create', 'lookup']) expect(families).toContain(family);
  });
  it('calls nothing in vain: what an earlier call showed, a later one or the answer needs', () => {
    for (const { task } of library.tasks) {
      const { calls, sources } = task.reference;
      const needed = new Set(sources.flatMap(({ from }) => ('observed' in from ? [from.observed] : [])));
      const writes = ({ tool }: Call): boolean => (world.tools.get(tool)?.tool.tool.writes.length ?? 0) > 0;
      const idle = calls.flatMap((call, i) => (i < calls.length - 1 && !needed.has(i) && !writes(call) ? [i] : []));
      expect(idle, task.brief).toEqual([]);
    }
  });
  it('parses as a Task', () => {
    for (const { task } of library.tasks) parseArtifact('task', JSON.parse(canonicalJson(task)), task.id);
  });
  it('reads like a request', () => {
    for (const { task } of library.tasks) {
      expect(task.brief).toMatch(/^[A-Z“].*[.?!”]$/s);
      expect(task.brief).not.toMatch(/undefined|null|NaN|\s\s|\{|\}|_|\bthe the\b/);
    }
  });
  it('names nothing by its id', () => {
    const keys = [...world.services.values()].flatMap((service) =>
      Object.keys(service.spec.tables).flatMap((table) =>
        ground
          .rows(service)(table)
          .map((row) => row[service.keys[table] as string]),
      ),
    );
    const long = keys.map(String).filter((key) => key.length > 5);
    for (const { task } of library.tasks) expect(long.filter((key) => task.brief.includes(key))).toEqual([]);
  });
  it('is the same for the same seed and another for another', () => {
    expect(canonicalJson(generateTasks(world, { count: 6, seed: 'gate' }).tasks)).toBe(
      canonicalJson(library.tasks.slice(0, 6)),
    );
    expect(canonicalJson(generateTasks(world, { count: 6, seed: 'else' }).tasks)).not.toBe(
      canonicalJson(library.tasks.slice(0, 6)),
    );
  });
});

describe('each line stops what it is there for', () => {
  it('null_agent_fails: nothing to do', () => {
    const task = withChecks(pick(writes), (checks) => checks.filter(({ kind }) => kind === 'unchanged'));
    expect(failed(judged(task))).toContain('null_agent_fails');
  });
  it('reference_passes: a reference that does something else', () => {
    const task = pick(writes);
    task.reference.calls = task.reference.calls.slice(0, -1);
    expect(failed(judged(task))).toEqual(['reference_passes']);
  });
  it('reference_passes: a reference with a call that fails', () => {
    const task = pick(({ answer }) => answer !== undefined);
    task.reference.calls.push({ service: task.nodes[0]?.service as string, tool: 'no_such_tool', args: {} });
    expect(failed(judged(task))).toEqual(['reference_passes']);
  });
  it('determined: descriptors that fit several rows', () => {
    const task = pick(({ bindings }) => bindings.length > 0);
    task.bindings = task.bindings.map((binding) => ({ ...binding, descriptors: [] }));
    expect(failed(judged(task))).toEqual(['determined']);
  });
  it('reachable: an argument that nobody told', () => {
    const task = pick(({ reference }) => reference.sources.some(({ from }) => 'brief' in from));
    task.brief = 'Please do what we talked about.';
    expect(failed(judged(task))).toEqual(['reachable']);
  });
  it('reachable: a key that no result showed', () => {
    const task = pick(({ reference }) => reference.sources.some(({ from }) => 'observed' in from));
    task.reference.sources = task.reference.sources.map((source) =>
      'observed' in source.from ? { ...source, from: { observed: 99, path: '' } } : source,
    );
    expect(failed(judged(task))).toEqual(['reachable']);
  });
  it('not_leaked: an id in the brief', () => {
    const task = pick(({ bindings }) => String(bindings[0]?.key ?? '').length > 5);
    task.brief = `${task.brief} (${task.bindings[0]?.key})`;
    expect(failed(judged(task))).toEqual(['not_leaked']);
  });
  it('not_leaked: the answer in the brief', () => {
    const task = pick(({ answer }) => answer?.kind === 'value');
    task.brief = `${task.brief} I believe it is ${task.reference.answer}.`;
    expect(failed(judged(task))).toContain('not_leaked');
  });
  it("alternatives_pass: a check of the run's own clock", () => {
    const task = pick(
      (candidate) => candidate.milestones[0]?.checks.some(({ kind }) => kind === 'not_equals') ?? false,
    );
    const changes = ({ tool }: Call): boolean => (world.tools.get(tool)?.tool.tool.writes.length ?? 0) > 0;
    const at = (service: string): number =>
      task.reference.calls.findLastIndex((call) => call.service === service && changes(call));
    const strict = withChecks(task, (checks) =>
      checks.map(
        (check): Check =>
          check.kind === 'not_equals' ? { ...check, kind: 'equals', value: task.clock + 5 * at(check.service) } : check,
      ),
    );
    expect(failed(judged(strict))).toEqual(['alternatives_pass']);
  });
  it('mutants_fail: a verifier that looks at too little', () => {
    const task = pick(
      (candidate) =>
        writes(candidate) && (candidate.milestones[0]?.checks.filter(({ kind }) => kind === 'equals').length ?? 0) > 0,
    );
    const weak = withChecks(task, (checks) =>
      checks.filter(({ kind }, i) => kind !== 'unchanged' && !(kind === 'equals' && i > 0)),
    );
    expect(failed(judged(weak))).toContain('mutants_fail');
  });
  it('mutants_fail: an answer specification without rivals to tell apart', () => {
    const task = pick(({ answer }) => answer?.kind === 'value');
    const loose = { ...task, answer: { ...(task.answer as NonNullable<Task['answer']>), distractors: [] } };
    expect(failed(judged(loose))).toContain('mutants_fail');
  });
});
