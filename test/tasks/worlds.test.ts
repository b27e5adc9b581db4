/** Over worlds of several trades: kept tasks hold when the world is loaded again, and no mutant survives unseen. */
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/kit/hash.js';
import { FAMILIES } from '../../src/tasks/atomic/families.js';
import { generateTasks } from '../../src/tasks/generate.js';
import { prepareGround } from '../../src/tasks/ground/ground.js';
import { groundFor } from '../../src/tasks/ground/grounded.js';
import { MUTANT_KINDS } from '../../src/tasks/mutants/kinds.js';
import { KNOWN_KINDS } from '../../src/tasks/mutants/known.js';
import { LONG } from '../../src/tasks/pool.js';
import { passes } from '../../src/tasks/replay.js';
import { catalogueWorld } from './worlds.js';

const BRIEFS = [
  'a hotel in Porto',
  'a machine shop in Stuttgart',
  'an online shop for climbing gear in Innsbruck',
  'a dental practice in Leeds',
];

/** Families that grow on mail, chat and the directory, of which a sample takes no changes: test/tasks/library.test.ts has them. */
const OF_CORE = new Set(['delete', 'message', 'told']);

describe('tasks of many worlds', () => {
  const families = new Set<string>();
  const kinds = new Set<string>();

  it.each(BRIEFS)('%s', async (brief) => {
    const world = await catalogueWorld(brief, 'many');
    const { tasks } = generateTasks(world, { count: 12, seed: 'many' });
    expect(tasks.length).toBeGreaterThanOrEqual(10);
    const again = prepareGround(await catalogueWorld(brief, 'many'));
    expect(tasks.filter(({ task }) => task.reference.calls.length >= LONG).length).toBeGreaterThanOrEqual(6);
    for (const { task, certificate } of tasks) {
      // An errand's are those of its two parts: `errand:action:...+update:...`.
      for (const [, family] of task.lineage.template.matchAll(/(?:^|[:+])([a-z]+)(?=:)/g))
        families.add(family as string);
      for (const line of certificate.findings.find(({ id }) => id === 'mutants_fail')?.evidence ?? [])
        kinds.add(line.split(':')[0] as string);
      const hash = addressOf(task);
      const { ground, drop } = groundFor(again, task);
      expect(passes(ground, task, task.reference, hash), task.brief).toBe(true);
      expect(passes(ground, task, { calls: [], answer: '' }, hash)).toBe(false);
      drop();
      expect(task.reference.calls.length).toBeLessThanOrEqual(7);
    }
  });

  it('grew on every family and were attacked by every kind of mutant', () => {
    const grown = FAMILIES.filter(({ name }) => !OF_CORE.has(name));
    expect(families.size).toBeGreaterThanOrEqual(grown.length);
    // What only single families and tools can get wrong is tested with them: kinds.test.ts and siblings.test.ts here.
    const rare = new Set<string>([...KNOWN_KINDS, 'wrong_sibling', 'entry_left_out', 'item_left_out', 'item_too_many']);
    expect(MUTANT_KINDS.map(({ kind }) => kind).filter((kind) => !rare.has(kind) && !kinds.has(kind))).toEqual([]);
  });
});
