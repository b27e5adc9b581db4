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
import { groundFor } from '../../src/tasks/ground/grounded.js';
import { brokenBy, rulesOf } from '../../src/tasks/kinds/rules.js';
import { sitesFor } from '../../src/tasks/kinds/survey.js';
import { passes, replay } from '../../src/tasks/replay.js';
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
const makeSome = (
  name: string,
  enough: (made: readonly Made[]) => boolean,
  tries = 80,
  on: Ground = ground,
): Made[] => {
  const family = FAMILIES.find((entry) => entry.name === name);
  if (!family) throw new Error(`no family ${name}`);
  const random = rng('kinds-test', name);
  const stray = strayCall(on, random.stream('stray'));
  const sites = random.shuffle(sitesFor(on, family));
  const out: Made[] = [];
  for (let turn = 0; turn < tries && !enough(out); turn++) {
    const site = sites[turn % sites.length];
    const candidate = site ? family.make(on, site, random.stream(String(turn))) : 'no site';
    if (typeof candidate === 'string') continue;
    const task = taskOf(on, candidate, `t-${turn}`, random);
    const { otherPath: other, wrong, right } = candidate;
    if (gate(candidate.grounded?.ground ?? on, task, { random, stray, other, wrong, right }).pass)
      out.push({ candidate, task });
  }
  return out;
};

const withChecks = (task: Task, change: (checks: Check[]) => Check[]): Task => ({
  ...task,
  milestones: task.milestones.map((milestone) => ({ ...milestone, checks: change(milestone.checks) })),
});

/** Kinds of mutants that a task lets through. */
const survivors = (
  task: Task,
  { wrong, right, otherPath: other, grounded }: Candidate,
  on: Ground = ground,
): string[] => {
  const random = rng('kinds-test', 'survivors');
  const { findings } = gate(grounded?.ground ?? on, task, { random, stray: undefined, other, wrong, right });
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

describe('conditional: what is done depends on what is found', () => {
  let made: Made[];
  const part = ({ candidate }: Made, at: number): string => candidate.template.split('.').at(at) as string;
  beforeAll(() => {
    made = makeSome('conditional', (all) => new Set(all.map((one) => part(one, -1) + part(one, -2))).size >= 6);
  }, 120_000);

  it('comes with both outcomes, and with leaving it and saying how it stands', () => {
    expect(new Set(made.map((one) => part(one, -1)))).toEqual(new Set(['yes', 'no']));
    const left = made.filter((one) => part(one, -1) === 'no' && part(one, -2) === 'leave');
    expect(left.length).toBeGreaterThan(0);
    for (const { task } of left) {
      expect(task.answer).toBeDefined();
      expect(passes(ground, task, { calls: [], answer: '' }, addressOf(task))).toBe(false);
    }
  });

  it('the other branch and both branches are wrong', () => {
    const kinds = new Set(made.flatMap(({ candidate }) => (candidate.wrong ?? []).map(({ kind }) => kind)));
    expect(kinds).toEqual(new Set(['other_branch', 'both_branches']));
    for (const { task, candidate } of made) {
      for (const wrong of candidate.wrong ?? [])
        expect(passes(ground, task, wrong, addressOf(task)), wrong.what).toBe(false);
    }
  });

  it('other_branch and both_branches live where only the answer is looked at, or only the right branch', () => {
    const both = made.find(({ candidate }) => candidate.wrong?.some(({ kind }) => kind === 'both_branches')) as Made;
    const key = both.task.bindings.find(({ name }) => name === 'subject')?.key ?? '';
    const tools = both.task.reference.calls.map(({ tool }) => tool);
    const noFrame = withChecks(both.task, () => [{ kind: 'returned', id: 'lax', footprint: [], tools, key }]);
    expect(survivors(noFrame, both.candidate)).toContain('both_branches');
    const left = made.find((one) => part(one, -1) === 'no' && part(one, -2) === 'leave') as Made;
    const answerOnly = withChecks(left.task, (checks) => checks.filter(({ kind }) => kind === 'answer'));
    expect(survivors(answerOnly, left.candidate)).toContain('other_branch');
  });
});

describe('investigation: over several look-ups and services', () => {
  let made: Made[];
  beforeAll(() => {
    made = makeSome(
      'investigation',
      (all) => all.some(({ candidate }) => candidate.wrong !== undefined) && all.length >= 4,
    );
  }, 120_000);

  it('takes at least two calls and mostly two services', () => {
    const services = made.map(({ task }) => new Set(task.reference.calls.map(({ service }) => service)).size);
    expect(made.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...made.map(({ task }) => task.reference.calls.length))).toBeGreaterThanOrEqual(2);
    expect(services.filter((n) => n >= 2).length).toBeGreaterThan(made.length / 2);
  });

  it('half an answer is wrong, and lives where one of the two is enough', () => {
    const { task, candidate } = made.find((one) => one.candidate.wrong !== undefined) as Made;
    for (const wrong of candidate.wrong ?? []) expect(passes(ground, task, wrong, addressOf(task))).toBe(false);
    const spec = task.answer as NonNullable<Task['answer']>;
    const lax: Task = { ...task, answer: { ...spec, expected: (spec.expected as string[]).slice(0, 1) } };
    expect(survivors(lax, candidate)).toContain('half_answer');
  });
});

describe('refusal: a company policy forbids it', () => {
  let made: Made[];
  const isAllowed = ({ candidate }: Made): boolean => candidate.template.endsWith('.allowed');
  beforeAll(() => {
    made = makeSome('refusal', (all) => all.some(isAllowed) && all.filter((one) => !isAllowed(one)).length >= 2, 160);
  }, 120_000);

  it('changes nothing and names the policy; where none forbids it, it is done', () => {
    for (const one of made) {
      const policies = ground.world.spec.policies.map(({ text }) => text);
      const changes =
        one.task.milestones[0]?.checks.filter(({ kind }) => kind !== 'unchanged' && kind !== 'answer') ?? [];
      if (isAllowed(one)) expect(changes.length).toBeGreaterThan(0);
      else {
        expect(changes).toEqual([]);
        const [policy] = [one.task.answer?.expected ?? []].flat();
        expect(policies).toContain(policy);
      }
    }
    expect(made.some(isAllowed)).toBe(true);
    expect(made.filter((one) => !isAllowed(one)).length).toBeGreaterThanOrEqual(2);
  });

  it('an empty answer, doing it, another policy and an unrelated reason fail', () => {
    for (const { task, candidate } of made) {
      expect(passes(ground, task, { calls: [], answer: '' }, addressOf(task))).toBe(false);
      for (const wrong of candidate.wrong ?? [])
        expect(passes(ground, task, wrong, addressOf(task)), wrong.what).toBe(false);
    }
    const kinds = new Set(made.flatMap(({ candidate }) => (candidate.wrong ?? []).map(({ kind }) => kind)));
    expect(kinds).toEqual(new Set(['forbidden_done', 'other_rule', 'needless_refusal']));
  });

  it('forbidden_done lives without the frame, other_rule without the policy, needless_refusal without the change', () => {
    const { task, candidate } = made.find((one) => !isAllowed(one)) as Made;
    const answerOnly = withChecks(task, (checks) => checks.filter(({ kind }) => kind === 'answer'));
    expect(survivors(answerOnly, candidate)).toContain('forbidden_done');
    const frameOnly = withChecks(task, (checks) => checks.filter(({ kind }) => kind === 'unchanged'));
    expect(survivors(frameOnly, candidate)).toContain('other_rule');
    const allowed = made.find(isAllowed) as Made;
    const lax = withChecks(allowed.task, (checks) => checks.filter(({ kind }) => kind === 'unchanged'));
    expect(survivors(lax, allowed.candidate)).toContain('needless_refusal');
  });
});

describe('repair: a rule is broken in the initial state of the task', () => {
  let made: Made[];
  beforeAll(() => {
    made = makeSome('repair', (all) => all.length >= 4, 60);
  }, 120_000);

  it('adds rows of its own, and holds only on the world with them', () => {
    expect(made.length).toBeGreaterThanOrEqual(3);
    for (const { task } of made) {
      expect(task.grounding?.rounds[0]?.rows).toHaveLength(1);
      const { ground: own, drop } = groundFor(ground, task);
      expect(passes(own, task, task.reference, addressOf(task))).toBe(true);
      drop();
      expect(passes(ground, task, task.reference, addressOf(task))).toBe(false);
    }
  });

  it('the world breaks the rule at first and keeps it in the end', () => {
    for (const { task } of made) {
      const { ground: own, drop } = groundFor(ground, task);
      const check = task.milestones[0]?.checks.find(({ kind }) => kind === 'invariant');
      const rule = rulesOf(own.world).find(
        ({ invariant }) => check?.kind === 'invariant' && invariant.id === check.invariant,
      );
      expect(rule && brokenBy(own.world, rule)).toHaveLength(1);
      const { session } = replay(own, task, task.reference, addressOf(task));
      expect(rule && brokenBy(own.world, rule, session)).toEqual([]);
      session.drop();
      drop();
    }
  });

  it('mending another record and leaving the rule broken are wrong, and live where it is enough to have seen the record', () => {
    const kinds = new Set(made.flatMap(({ candidate }) => (candidate.wrong ?? []).map(({ kind }) => kind)));
    expect(kinds).toEqual(new Set(['mends_other', 'still_broken']));
    const has = (kind: string): Made =>
      made.find(({ candidate }) => candidate.wrong?.some((one) => one.kind === kind)) as Made;
    for (const kind of kinds) {
      const { task, candidate } = has(kind);
      const tools = task.reference.calls.map(({ tool }) => tool);
      const lax = withChecks(task, (checks) =>
        checks.flatMap((check) =>
          check.kind === 'unchanged'
            ? [{ kind: 'returned', id: 'lax', footprint: [], tools, key: check.except[0]?.keys?.[0] ?? '' }]
            : [],
        ),
      );
      expect(survivors(lax, candidate)).toContain(kind);
    }
  });
});

describe('file: work in the workspace', () => {
  let files: Ground;
  let made: Made[];
  beforeAll(async () => {
    files = prepareGround(
      await catalogueWorld('a law office in Vienna that keeps documents', 'files', [
        'document_store',
        'attachments',
        'reporting',
      ]),
    );
    made = makeSome('file', (all) => new Set(all.map(({ candidate }) => candidate.template)).size >= 6, 60, files);
  }, 120_000);

  it('takes out, rewrites, puts back and makes files, each with a check of the file', () => {
    expect(new Set(made.map(({ candidate }) => candidate.template)).size).toBeGreaterThanOrEqual(5);
    for (const { task } of made) expect(task.milestones[0]?.checks.some(({ kind }) => kind === 'file')).toBe(true);
  });

  it('another text or another path is wrong, and lives where nobody looks at the file and the record', () => {
    const { task, candidate } = made.find((one) => (one.candidate.wrong ?? []).length > 0) as Made;
    for (const wrong of candidate.wrong ?? [])
      expect(passes(files, task, wrong, addressOf(task)), wrong.what).toBe(false);
    const lax = withChecks(task, (checks) => checks.filter(({ kind }) => kind === 'unchanged'));
    expect(survivors(lax, candidate, files)).toContain('other_file');
  });
});
