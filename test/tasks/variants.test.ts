/** Variants: one structure, other rows, other words; each gated by itself and holding on a ground of its own. */
import { beforeAll, describe, expect, it } from 'vitest';
import { parseArtifact } from '../../src/artifacts/registry.js';
import type { Task } from '../../src/artifacts/task.js';
import { addressOf, canonicalJson } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { FAMILIES, type FamilyEntry } from '../../src/tasks/atomic/families.js';
import { generateTasks, strayCall } from '../../src/tasks/generate.js';
import { type Ground, prepareGround } from '../../src/tasks/ground/ground.js';
import { groundFor } from '../../src/tasks/ground/grounded.js';
import { emptySurvey, survey } from '../../src/tasks/kinds/survey.js';
import { passes } from '../../src/tasks/replay.js';
import { partsOf, structureOf } from '../../src/tasks/variants/sites.js';
import { type Variants, variantsOf } from '../../src/tasks/variants/variants.js';
import { catalogueWorld } from './worlds.js';

const COUNT = 4;

describe('variants of tasks', () => {
  let ground: Ground;
  let made: { task: Task; variants: Variants }[];
  const variants = (task: Task, seed = 'one'): Variants =>
    variantsOf(ground, task, { count: COUNT, seed, stray: strayCall(ground, rng('stray')) });

  beforeAll(async () => {
    const world = await catalogueWorld('a bicycle shop in Utrecht', 'variants', ['billing', 'order_mgmt']);
    ground = prepareGround(world);
    const { tasks } = generateTasks(world, { count: 4, seed: 'variants' });
    const single = emptySurvey();
    const update = FAMILIES.find(({ name }) => name === 'update') as FamilyEntry;
    survey(ground, update, { random: rng('single'), wanted: 3, tries: 30, stray: undefined }, single);
    made = [...tasks, ...single.kept].map(({ task }) => ({ task, variants: variants(task) }));
  }, 240_000);

  const all = (): { task: Task; variant: Task }[] =>
    made.flatMap(({ task, variants: { tasks } }) => tasks.map((one) => ({ task, variant: one.task })));

  it('keep the template and are numbered', () => {
    expect(all().length).toBeGreaterThan(made.length);
    for (const { task, variants: own } of made) {
      expect(own.tasks.map((one) => one.task.variant)).toEqual(own.tasks.map((_, i) => i + 1));
      for (const one of own.tasks) {
        expect(one.task.lineage).toEqual(task.lineage);
        expect(one.task.nodes[0]?.family).toBe(task.nodes[0]?.family);
        parseArtifact('task', JSON.parse(canonicalJson(one.task)), one.task.id);
      }
    }
  });

  it('ask in other words for other calls', () => {
    for (const { task, variants: own } of made) {
      const tasks = [task, ...own.tasks.map((one) => one.task)];
      expect(new Set(tasks.map(({ brief }) => brief)).size).toBe(tasks.length);
      expect(new Set(tasks.map(({ reference }) => canonicalJson(reference.calls))).size).toBe(tasks.length);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    }
  });

  it('passed the whole gate, and hold again on a ground with their rows', () => {
    for (const { task, variants: own } of made)
      for (const { certificate } of own.tasks) expect(certificate.pass, task.id).toBe(true);
    for (const { variant } of all()) {
      const { ground: again, drop } = groundFor(ground, variant);
      expect(passes(again, variant, variant.reference, addressOf(variant)), variant.brief).toBe(true);
      expect(passes(again, variant, { calls: [], answer: '' }, addressOf(variant))).toBe(false);
      drop();
    }
  });

  it('some are about rows that the world has for them alone', () => {
    const added = all().filter(({ task, variant }) => variant.grounding && !task.grounding);
    expect(added.length).toBeGreaterThan(0);
    const single = added.filter(({ variant }) => /^(lookup|action|update|conditional):/.test(variant.lineage.template));
    expect(single.length).toBeGreaterThan(0);
    for (const { variant } of single) {
      const subject = variant.bindings.find(({ name }) => name === 'subject');
      const rows = variant.grounding?.rounds.flatMap((round) => round.rows) ?? [];
      const keys = rows.map(({ service, table, row }) => row[ground.world.services.get(service)?.keys[table] ?? '']);
      expect(keys).toContain(subject?.key);
    }
  });

  it('are the same for the same seed', () => {
    const { task, variants: own } = made[0] as (typeof made)[number];
    expect(canonicalJson(variants(task).tasks)).toBe(canonicalJson(own.tasks));
    expect(canonicalJson(variants(task, 'two').tasks)).not.toBe(canonicalJson(own.tasks));
  });

  it('are not made of composed tasks', () => {
    const { task } = made[0] as (typeof made)[number];
    expect(() => variants({ ...task, kind: 'composed' })).toThrow(/atomic/);
  });

  it('a template that no tool of the world gives has none', () => {
    const { task } = made[0] as (typeof made)[number];
    const own = variants({ ...task, lineage: { ...task.lineage, template: 'update:no_such.thing.update.col' } });
    expect(own.tasks).toEqual([]);
    expect(own.dropped[0]).toMatch(/no tool/);
  });

  it('read a template into its parts', () => {
    expect(partsOf('errand:update:a.b.update.x+y+lookup:c.d.e')).toEqual(['update:a.b.update.x+y', 'lookup:c.d.e']);
    expect(partsOf('update:a.b.update.x+y')).toEqual(['update:a.b.update.x+y']);
    expect(structureOf('conditional:a.b.c.d-state.leave.no')).toBe(structureOf('conditional:a.b.c.d-state.leave.yes'));
  });
});
