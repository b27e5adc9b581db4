/** Libraries by Algorithm 1 of real worlds: what they hold is proven, orthogonal, covers the tools, and comes out the same again. */
import { beforeAll, describe, expect, it } from 'vitest';
import { chainOf } from '../../src/corpus/statistics/masked.js';
import { addressOf, canonicalJson } from '../../src/kit/hash.js';
import { prepareGround } from '../../src/tasks/ground/ground.js';
import { groundFor } from '../../src/tasks/ground/grounded.js';
import { orthogonal } from '../../src/tasks/library/orthogonality.js';
import { libraryReport } from '../../src/tasks/library/report.js';
import { type WorldLibrary, worldLibrary } from '../../src/tasks/library/world.js';
import { passes } from '../../src/tasks/replay.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { catalogueWorld } from './worlds.js';

const BRIEF = 'a software company in Dublin with a help desk';
const world = () => catalogueWorld(BRIEF, 'library', ['billing', 'support_desk']);
const SETTINGS = { seed: 'library', coverage: 0.9, rounds: 4 };

let loaded: LoadedWorld;
let library: WorldLibrary;

beforeAll(async () => {
  loaded = await world();
  library = await worldLibrary(loaded, SETTINGS);
}, 240_000);

describe('a library', () => {
  it('calls nine in ten of the tools, counted after the filter, and stops there', () => {
    expect(libraryReport(loaded, library, SETTINGS).coverage).toBeGreaterThanOrEqual(0.9);
    for (const { service, tools, result } of library.services) {
      const called = new Set(result.retained.flatMap(({ chain }) => chain));
      expect(tools.filter((tool) => called.has(tool)).length / tools.length, service.id).toBe(result.coverage);
      expect(result.stopped === 'coverage', service.id).toBe(result.coverage >= SETTINGS.coverage);
    }
  });
  it('holds no task whose chain another one of its service holds', () => {
    for (const { result } of library.services) expect(orthogonal(result.retained).redundant).toEqual([]);
  });
  it("has chains that are those of the tasks' own references", () => {
    const chains = new Map(
      library.services.flatMap(({ result }) => result.retained.map(({ id, chain }) => [id, chain])),
    );
    for (const { task } of library.tasks) if (chains.has(task.id)) expect(chainOf(task)).toEqual(chains.get(task.id));
  });
  it('is proven: on a world loaded anew every reference passes and doing nothing fails', async () => {
    const ground = prepareGround(await world());
    for (const { task, certificate } of library.tasks) {
      expect(certificate).toMatchObject({ pass: true, subject: addressOf(task), name: task.id });
      const own = groundFor(ground, task);
      expect(passes(own.ground, task, task.reference, addressOf(task)), task.brief).toBe(true);
      expect(passes(own.ground, task, { calls: [], answer: '' }, addressOf(task)), task.brief).toBe(false);
      own.drop();
    }
  });
  it('writes, asks, sends and deletes, in the company core too', () => {
    const families = new Set(library.services.flatMap(({ result }) => result.retained.map(({ family }) => family)));
    for (const family of ['action', 'update', 'create', 'lookup', 'message']) expect(families).toContain(family);
    const sends = library.tasks.filter(({ task }) => task.nodes[0]?.family === 'message');
    for (const { task } of sends) expect(task.brief).toMatch(/“.+”/);
  });
  it('has errands over two services, and no id twice', () => {
    expect(library.errands.length).toBeGreaterThan(0);
    for (const { chain } of library.errands)
      expect(new Set(chain.map((tool) => tool.split('.')[0])).size).toBeGreaterThan(1);
    const ids = library.tasks.map(({ task }) => task.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('reads like requests', () => {
    for (const { task } of library.tasks) {
      expect(task.brief).toMatch(/^[A-Z“].*[.?!”]$/s);
      expect(task.brief).not.toMatch(/undefined|null|NaN|\s\s|\{|\}|\bthe the\b|of the e-mail address of the e-mail/);
    }
  });
  it('reports every round, what was left out and why, and the gate over all that was tried', () => {
    const report = libraryReport(loaded, library, SETTINGS);
    expect(report.gate.gated).toBeGreaterThanOrEqual(report.gate.passed);
    expect(report.gate.passed).toBeGreaterThanOrEqual(library.tasks.length);
    expect(report.gate.alternatives.tried).toBeGreaterThan(library.tasks.length);
    for (const { tools, coverage, uncovered, rounds } of report.services) {
      expect(uncovered.every(({ reason }) => reason.length > 0)).toBe(true);
      expect(Math.round(tools * (1 - coverage))).toBe(uncovered.length);
      expect(rounds.length).toBeGreaterThan(0);
    }
  });
});

it('the same settings give the same library, another seed another one', async () => {
  const bytes = ({ tasks }: WorldLibrary): string => canonicalJson(tasks);
  expect(bytes(await worldLibrary(await world(), SETTINGS))).toBe(bytes(library));
  expect(bytes(await worldLibrary(await world(), { ...SETTINGS, seed: 'other' }))).not.toBe(bytes(library));
}, 240_000);

it('a single round without a target keeps what it has', async () => {
  const short = await worldLibrary(await world(), { seed: 'library', coverage: 0, rounds: 1 });
  for (const { result } of short.services) {
    expect(result.rounds).toHaveLength(1);
    expect(result.retained.length).toBeGreaterThan(0);
  }
}, 240_000);
