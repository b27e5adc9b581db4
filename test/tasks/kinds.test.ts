/** Kinds of tasks beyond changing one record: each passes the whole gate, and its own wrong solutions are seen to fail. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../../src/artifacts/check.js';
import type { Task } from '../../src/artifacts/task.js';
import { addressOf } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import type { Candidate } from '../../src/tasks/atomic/candidate.js';
import { FAMILIES } from '../../src/tasks/atomic/families.js';
import { taskOf } from '../../src/tasks/atomic/task.js';
import { gate } from '../../src/tasks/gate.js';
import { strayCall } from '../../src/tasks/generate.js';
import { type Ground, prepareGround } from '../../src/tasks/ground/ground.js';
import { sitesFor } from '../../src/tasks/kinds/survey.js';
import { passes } from '../../src/tasks/replay.js';
import { catalogueWorld } from './worlds.js';

let ground: Ground;

beforeAll(async () => {
  ground = prepareGround(
    await catalogueWorld('a wholesaler of garden tools in Ghent', 'kinds', ['billing', 'order_mgmt', 'inventory']),
  );
}, 120_000);

interface Made {
  candidate: Candidate;
  task: Task;
}

/** Candidates of a family that pass the gate, until `enough`. */
const makeSome = (name: string, enough: (made: readonly Made[]) => boolean, tries = 80): Made[] => {
  const family = FAMILIES.find((entry) => entry.name === name);
  if (!family) throw new Error(`no family ${name}`);
  const random = rng('kinds-test', name);
  const stray = strayCall(ground, random.stream('stray'));
  const sites = random.shuffle(sitesFor(ground, family));
  const out: Made[] = [];
  for (let turn = 0; turn < tries && !enough(out); turn++) {
    const site = sites[turn % sites.length];
    const candidate = site ? family.make(ground, site, random.stream(String(turn))) : 'no site';
    if (typeof candidate === 'string') continue;
    const task = taskOf(ground, candidate, `t-${turn}`, random);
    const { otherPath: other, wrong, right } = candidate;
    if (gate(ground, task, { random, stray, other, wrong, right }).pass) out.push({ candidate, task });
  }
  return out;
};

const withChecks = (task: Task, change: (checks: Check[]) => Check[]): Task => ({
  ...task,
  milestones: task.milestones.map((milestone) => ({ ...milestone, checks: change(milestone.checks) })),
});

/** Kinds of mutants that a task lets through. */
const survivors = (task: Task, { wrong, right, otherPath: other }: Candidate): string[] => {
  const random = rng('kinds-test', 'survivors');
  const { findings } = gate(ground, task, { random, stray: undefined, other, wrong, right });
  return (findings.find(({ id }) => id === 'mutants_fail')?.evidence ?? []).flatMap((line) =>
    line.startsWith('survives: ') ? [line.slice(10).split(' ')[0] as string] : [],
  );
};

describe('aggregate: questions over the rows that two conditions select', () => {
  let made: Made[];
  beforeAll(() => {
    made = makeSome('aggregate', (all) => new Set(all.map(whatOf)).size === 4);
  }, 120_000);
  const whatOf = ({ candidate }: Made): string => candidate.template.split('.')[2] as string;

  it('counts, adds up, lists and finds the first', () =>
    expect(new Set(made.map(whatOf))).toEqual(new Set(['count', 'sum', 'list', 'extreme'])));

  it('says both conditions, and neither the answer nor an id', () => {
    for (const { candidate, task } of made) {
      for (const fact of candidate.facts) expect(task.brief).toContain(fact);
      expect(candidate.facts.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('a list one item short or one too many is wrong, in any order it is right', () => {
    const { task } = made.find((one) => whatOf(one) === 'list') as Made;
    const items = task.answer?.expected as string[];
    const [hash, { calls }] = [addressOf(task), task.reference];
    expect(passes(ground, task, { calls, answer: [...items].reverse().join(', ') }, hash)).toBe(true);
    expect(passes(ground, task, { calls, answer: items.slice(1).join(', ') }, hash)).toBe(false);
    expect(passes(ground, task, { calls, answer: [...items, task.answer?.distractors[0]].join(', ') }, hash)).toBe(
      false,
    );
  });

  it('item_left_out and item_too_many live where nobody reads the answer', () => {
    const { task, candidate } = made.find((one) => whatOf(one) === 'list') as Made;
    const kinds = survivors(
      withChecks(task, (checks) => checks.filter(({ kind }) => kind !== 'answer')),
      candidate,
    );
    expect(kinds).toEqual(expect.arrayContaining(['item_left_out', 'item_too_many']));
  });
});

describe('every: one thing done to all rows that two conditions select', () => {
  let made: Made[];
  beforeAll(() => {
    made = makeSome('every', (all) => all.length === 3);
  }, 120_000);

  it('takes two to five rows, each changed once', () => {
    expect(made).toHaveLength(3);
    for (const { task } of made) {
      const frame = task.milestones[0]?.checks.find(({ kind }) => kind === 'unchanged');
      expect(frame?.kind === 'unchanged' ? frame.except.length : 0).toBeGreaterThanOrEqual(2);
    }
  });

  it('comes with a row left out and a row too many, and both fail', () => {
    for (const { task, candidate } of made) {
      const kinds = candidate.wrong?.map(({ kind }) => kind);
      expect(kinds).toContain('row_left_out');
      expect(kinds).toContain('row_too_many');
      for (const wrong of candidate.wrong ?? [])
        expect(passes(ground, task, wrong, addressOf(task)), wrong.what).toBe(false);
      for (const right of candidate.right ?? []) expect(passes(ground, task, right, addressOf(task))).toBe(true);
    }
  });

  it('row_too_many lives without the frame, row_left_out without a check of its row', () => {
    const { task, candidate } = made[0] as Made;
    expect(
      survivors(
        withChecks(task, (checks) => checks.filter(({ kind }) => kind !== 'unchanged')),
        candidate,
      ),
    ).toContain('row_too_many');
    const frameOnly = withChecks(task, (checks) => checks.filter(({ kind }) => kind === 'unchanged'));
    expect(survivors(frameOnly, candidate)).toContain('row_left_out');
  });
});
