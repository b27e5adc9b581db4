/** Validator 11 for real: compiled children (`npm test` builds first), and children that misbehave. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certifyWorld } from '../../src/certify/certify.js';
import { FreshProcess } from '../../src/certify/determinism/fresh-process.js';
import { checkDeterminism, FreshPair } from '../../src/certify/determinism/pair.js';
import { runJob } from '../../src/certify/determinism/run-job.js';
import type { Job } from '../../src/certify/determinism/script.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { fixtureParts } from '../fixtures/world.js';

let dir: string;
let engine: Engine;
let job: Job;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-determinism-'));
  engine = await Engine.start();
  const { world, services, images } = fixtureParts(engine);
  const parts = { world, services, images };
  const { probes } = certifyWorld(loadWorld(engine, parts));
  const calls = probes.flatMap(({ name, args }) => (args === undefined ? [] : [{ tool: name, args }]));
  job = { parts, calls, tasks: [] };
});
afterAll(() => {
  engine.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The job of another world of the same data. */
const named = (id: string, change: Partial<Job> = {}): Job => ({
  ...job,
  parts: { ...job.parts, world: { ...job.parts.world, id } },
  ...change,
});

/** A child program that only does what it is written to. */
const program = (name: string, source: string): string => {
  const file = join(dir, `${name}.mjs`);
  writeFileSync(file, source);
  return file;
};

describe('two fresh processes', () => {
  it('agree on a world, job by job', async () => {
    const found = await checkDeterminism([job, named('again')]);
    expect([...found.keys()]).toEqual(['fixture', 'again']);
    expect([...found.values()].every(({ id, pass }) => id === 'determinism' && pass)).toBe(true);
  });
  it('agree with this process', async () => {
    const child = new FreshProcess();
    const there = await child.ask(job);
    child.close();
    const here = runJob(engine, job);
    expect(there).toEqual(here);
    expect(here.restored).toBe(here.state);
  });
  it('are not started for an empty batch', async () => {
    expect(await checkDeterminism([], join(dir, 'missing.mjs'))).toEqual(new Map());
  });
  it('say which job could not be run and go on with the others', async () => {
    const broken = named('nowhere', {
      parts: { ...job.parts, world: { ...job.parts.world, id: 'nowhere' }, images: {} },
    });
    const found = await checkDeterminism([broken, job]);
    expect(found.get('nowhere')).toMatchObject({ pass: false, evidence: [expect.stringMatching(/could not be run/)] });
    expect(found.get('fixture')?.pass).toBe(true);
  });
  it('take calls that no tool answers', async () => {
    const found = await checkDeterminism([{ ...job, calls: [{ tool: 'no_such_tool', args: {} }] }]);
    expect(found.get('fixture')?.pass).toBe(true);
  });
  it('go on for many builds: findings are given once each', async () => {
    const pair = new FreshPair();
    await pair.give(named('one'));
    expect([...(await pair.findings()).keys()]).toEqual(['one']);
    for (const id of ['two', 'three', 'four']) await pair.give(named(id));
    expect([...(await pair.findings()).keys()]).toEqual(['two', 'three', 'four']);
    expect(await pair.findings()).toEqual(new Map());
    pair.close();
  });
  it('take more jobs than are held at a time', async () => {
    const found = await checkDeterminism(Array.from({ length: 21 }, (_, i) => named(`w${i}`, { calls: [] })));
    expect(found.size).toBe(21);
    expect([...found.values()].every(({ pass }) => pass)).toBe(true);
  });
});

describe('a world that the order of worlds changes', () => {
  it('is found, for the second process takes its worlds in another order', async () => {
    const forgetful = program(
      'forgetful',
      `let n = 0;
       process.on('message', ({ number, job }) => {
         n++;
         const state = job.parts.world.id + (job.parts.world.id === 'second' ? n : '');
         process.send({ number, result: { world: job.parts.world.id, observations: '', state, restored: state, tasks: {} } });
       });
       process.on('disconnect', () => process.exit(0));`,
    );
    const found = await checkDeterminism([named('first'), named('second')], forgetful);
    expect(found.get('first')?.pass).toBe(true);
    expect(found.get('second')).toMatchObject({ pass: false, evidence: ['two processes ended in different states'] });
  });
});

describe('a child that', () => {
  it.each([
    ['does not exist', () => join(dir, 'missing.mjs'), /exit status 1/],
    ['dies at once', () => program('dies', 'process.stderr.write("out of memory"); process.exit(3)'), /exit status 3/],
    ['kills itself', () => program('killed', 'process.kill(process.pid, "SIGKILL")'), /SIGKILL/],
    [
      'answers nonsense',
      () => program('nonsense', 'process.send("hello"); setInterval(() => 0, 1000)'),
      /something else/,
    ],
    [
      'answers what nobody asked',
      () => program('many', 'process.send({ number: 7, result: {} }); setInterval(() => 0, 1000)'),
      /something else/,
    ],
    [
      'dies of the second job',
      () =>
        program(
          'second',
          `process.on('message', ({ number, job }) => {
             if (number === 1) process.exit(9);
             process.send({ number, result: { world: job.parts.world.id, observations: '', state: '', restored: '', tasks: {} } });
           });`,
        ),
      /exit status 9/,
    ],
  ])('%s is told, with what to do', async (_, path, says) => {
    const failing = checkDeterminism([job, named('other')], path());
    await expect(failing).rejects.toMatchObject({
      code: 'child_failed',
      fault: 'infrastructure',
      next: expect.any(String),
    });
    await expect(failing).rejects.toThrow(says);
  });
  it('is closed with its parent leaves nothing behind', async () => {
    const child = new FreshProcess(
      program('idle', 'process.on("message", () => 0); process.on("disconnect", () => process.exit(0));'),
    );
    const asked = child.ask(job);
    child.close();
    await expect(asked).rejects.toMatchObject({ code: 'child_failed' });
    await expect(child.ask(job)).rejects.toMatchObject({ code: 'child_failed' });
  });
});
