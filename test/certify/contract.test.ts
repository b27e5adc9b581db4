/** The contract of validators: each has a broken input that fails it and nothing else, and a good one passes them all. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certifyService, certifyWorld, subjectOf, worldSubjectOf } from '../../src/certify/certify.js';
import { judgeDeterminism } from '../../src/certify/determinism/judge.js';
import { SERVICE_VALIDATORS, WORLD_VALIDATORS } from '../../src/certify/validators/registry.js';
import type { LoadedService } from '../../src/world/loaded.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { BROKEN, isConsistent } from './broken.js';
import { BROKEN_RUNS, GOOD_RUN } from './broken-runs.js';
import { BROKEN_WORLDS } from './broken-worlds.js';
import { wholeParts } from './whole.js';

let engine: Engine;
beforeEach(async () => {
  // An engine for each, since images of one DDL key may differ here in their tables.
  engine = await Engine.start();
});
afterEach(() => engine.close());

describe('the registry', () => {
  it('numbers its validators in order and names each once', () => {
    expect(SERVICE_VALIDATORS.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(WORLD_VALIDATORS.map(({ number }) => number)).toEqual([7, 8, 9, 10, 12]);
    const all = [...SERVICE_VALIDATORS, ...WORLD_VALIDATORS];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });
  it.each(WORLD_VALIDATORS.map(({ id }) => id))('has a broken world for %s', (id) => {
    expect(BROKEN_WORLDS.filter(({ validator }) => validator === id)).not.toEqual([]);
  });
  it.each(SERVICE_VALIDATORS.map(({ id }) => id))('has a broken input for %s', (id) => {
    expect(BROKEN.filter(({ validator }) => validator === id)).not.toEqual([]);
  });
});

describe('a good world', () => {
  it('passes every validator', () => {
    const { certificate, services, probes } = certifyWorld(loadWorld(engine, wholeParts(engine)));
    expect(certificate.findings.filter(({ pass }) => !pass)).toEqual([]);
    const failed = Object.values(services).flatMap(({ name, findings }) =>
      findings.filter(({ pass }) => !pass).map(({ id, evidence }) => `${name} ${id}: ${evidence[0]}`),
    );
    expect(failed).toEqual([]);
    expect(certificate.pass).toBe(true);
    expect(certificate.findings.map(({ id }) => id)).toEqual(
      [...SERVICE_VALIDATORS, ...WORLD_VALIDATORS].map(({ id }) => id),
    );
    expect(probes.filter(({ args }) => args === undefined)).toEqual([]);
  });
});

describe('a broken service', () => {
  it.each(BROKEN.map((broken) => [broken.validator, broken.what, broken] as const))(
    'fails %s alone when %s',
    (validator, _, broken) => {
      const parts = broken.parts(engine);
      expect(isConsistent(parts)).toBe(true);
      const world = loadWorld(engine, parts);
      const { certificate } = certifyService(world, world.services.get(broken.service) as LoadedService);
      const failed = certificate.findings.filter(({ pass }) => !pass);
      expect(failed.map(({ id, evidence }) => [id, evidence[0]])).toEqual([[validator, expect.any(String)]]);
      expect(certificate.pass).toBe(false);
      expect(failed[0]?.repair?.hint).not.toBe('');
    },
  );
});

describe('a broken world', () => {
  it.each(BROKEN_WORLDS.map((broken) => [broken.validator, broken.what, broken] as const))(
    'fails %s alone when %s',
    (validator, _, { load, says, part }) => {
      const world = load(engine);
      const subject = worldSubjectOf(
        world,
        [...world.services.values()].flatMap((service) => subjectOf(world, service).probes),
      );
      const failed = WORLD_VALIDATORS.map(({ run }) => run(subject)).filter(({ pass }) => !pass);
      expect(failed.map(({ id, evidence }) => [id, evidence[0]])).toEqual([[validator, expect.stringMatching(says)]]);
      expect(failed[0]?.repair?.part).toBe(part);
      expect(failed[0]?.repair?.hint).not.toBe('');
    },
  );
});

describe('determinism', () => {
  it('passes two equal runs', () => {
    const finding = judgeDeterminism(GOOD_RUN, GOOD_RUN, 3);
    expect(finding).toMatchObject({ id: 'determinism', pass: true });
  });
  it.each(BROKEN_RUNS)('fails when $what', ({ runs, says }) => {
    const finding = judgeDeterminism(...runs, 3);
    expect(finding.pass).toBe(false);
    expect(finding.evidence.join('\n')).toMatch(says);
  });
});
