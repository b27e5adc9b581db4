/** Validator 11 for real: compiled children (`npm test` builds first), and children that misbehave. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certifyWorld } from '../../src/certify/certify.js';
import { checkDeterminism, inFreshProcess } from '../../src/certify/determinism/processes.js';
import { runJob } from '../../src/certify/determinism/run-job.js';
import type { Job, Script } from '../../src/certify/determinism/script.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { fixtureParts } from '../fixtures/world.js';

let dir: string;
let engine: Engine;
let job: Job;
let script: Script;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-determinism-'));
  engine = await Engine.start();
  const corpus = Corpus.open(join(dir, 'corpus'), true);
  const parts = fixtureParts(engine);
  const { certificate, services, probes } = certifyWorld(loadWorld(engine, parts));
  corpus.writeWorld({ ...parts, certificates: { ...services, world: certificate } });
  const calls = probes.flatMap(({ name, args }) => (args === undefined ? [] : [{ tool: name, args }]));
  job = { world: 'fixture', calls, tasks: [] };
  script = { corpus: corpus.dir, jobs: [job] };
});
afterAll(() => {
  engine.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A child program that only does what it is written to. */
const program = (name: string, source: string): string => {
  const file = join(dir, `${name}.mjs`);
  writeFileSync(file, source);
  return file;
};

describe('two fresh processes', () => {
  it('agree on a world, batch by batch', async () => {
    const found = await checkDeterminism({ ...script, jobs: [job, job] });
    expect(found.get('fixture')).toMatchObject({ id: 'determinism', pass: true });
  });
  it('agree with this process', async () => {
    const [there] = await inFreshProcess(script);
    const here = runJob(engine, Corpus.open(script.corpus), job);
    expect(there).toEqual(here);
    expect(here.restored).toBe(here.state);
  });
  it('are not started for an empty batch', async () => {
    expect(await checkDeterminism({ ...script, jobs: [] })).toEqual(new Map());
  });
  it('say which job could not be run and go on with the others', async () => {
    const found = await checkDeterminism({ ...script, jobs: [{ world: 'nowhere', calls: [], tasks: [] }, job] });
    expect(found.get('nowhere')).toMatchObject({ pass: false, evidence: [expect.stringMatching(/could not be run/)] });
    expect(found.get('fixture')?.pass).toBe(true);
  });
  it('take calls that no tool answers', async () => {
    const odd = { world: 'fixture', calls: [{ tool: 'no_such_tool', args: {} }], tasks: ['no_such_task'] };
    const found = await checkDeterminism({ ...script, jobs: [odd] });
    expect(found.get('fixture')?.pass).toBe(true);
  });
});

describe('a child that', () => {
  it.each([
    ['does not exist', () => join(dir, 'missing.mjs'), /0 of 1 jobs/],
    ['dies at once', () => program('dies', 'process.stderr.write("out of memory"); process.exit(3)'), /exit status 3/],
    ['kills itself', () => program('killed', 'process.kill(process.pid, "SIGKILL")'), /SIGKILL/],
    ['answers nonsense', () => program('nonsense', 'console.log("hello")'), /something else than results/],
    ['answers too little', () => program('silent', 'process.stdin.resume()'), /0 of 1 jobs/],
    ['answers too much', () => program('many', 'console.log("{}\\n{}")'), /2 of 1 jobs/],
    ['answers and then fails', () => program('late', 'console.log("{}"); process.exit(1)'), /exit status 1/],
  ])('%s is told, with what to do', async (_, path, says) => {
    const failing = inFreshProcess(script, path());
    await expect(failing).rejects.toMatchObject({
      code: 'child_failed',
      fault: 'infrastructure',
      next: expect.any(String),
    });
    await expect(failing).rejects.toThrow(says);
  });
});
