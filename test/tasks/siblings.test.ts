/** Mutants among things that belong together, seen to live where a check is missing. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Task } from '../../src/artifacts/task.js';
import { importTau2 } from '../../src/cli/pipeline/import/tau2/import.js';
import { writeFolder } from '../../src/cli/pipeline/import/tau2/tau2.fixture.js';
import { rng } from '../../src/kit/rng.js';
import { gate } from '../../src/tasks/gate.js';
import { type Ground, prepareGround } from '../../src/tasks/ground/ground.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';

let engine: Engine;
let ground: Ground;
let task: Task;
beforeAll(async () => {
  engine = await Engine.start();
  const { built, judged } = importTau2(engine, writeFolder(mkdtempSync(join(tmpdir(), 'tau2-'))), { seed: '1' });
  ground = prepareGround(loadWorld(engine, built));
  task = judged.find((one) => one.task.id === 'tau2-retail-6')?.task as Task;
});
afterAll(() => engine.close());

const evidenceOf = (judged: Task): string[] =>
  gate(ground, judged, { random: rng('1', 'siblings'), stray: undefined, other: undefined }).findings.find(
    ({ id }) => id === 'mutants_fail',
  )?.evidence ?? [];

/** The task with only those of its checks that do not look at a column. */
const without = (col: string): Task => {
  const [milestone] = task.milestones as [Task['milestones'][number]];
  const checks = milestone.checks.filter((check) => !('col' in check) || check.col !== col);
  return { ...task, milestones: [{ ...milestone, checks }] };
};

it('names another variant of the same product, another way to pay of the same customer, one pair less', () => {
  const evidence = evidenceOf(task);
  expect(evidence).toEqual(expect.arrayContaining(['wrong_sibling: 2 of 2 fail', 'entry_left_out: 1 of 1 fail']));
  expect(evidence.join()).not.toContain('survives');
});

it('lives where nobody looks at what was named', () => {
  expect(evidenceOf(without('exchange_payment_method_id')).join()).toMatch(
    /survives: wrong_sibling \(payment_method_id names gift_1\)/,
  );
  const { milestones } = without('exchange_items');
  const loose = {
    ...task,
    milestones: milestones.map((one) => ({
      ...one,
      checks: one.checks.filter((check) => !('col' in check) || check.col === 'status'),
    })),
  };
  const evidence = evidenceOf(loose).join();
  expect(evidence).toMatch(/survives: entry_left_out \(leaves an entry of item_ids out\)/);
  expect(evidence).toMatch(/survives: wrong_sibling \(new_item_ids names /);
});
