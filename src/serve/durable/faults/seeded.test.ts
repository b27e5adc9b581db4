import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { TreadleError } from '../../../errors.js';
import type { Clock } from '../clock.js';
import { type FaultPoint, type FaultPoints, NO_FAULTS, POINTS } from './fault-points.js';
import { type FaultPlan, faultsOfEnvironment, parseFaultPlan, type SeededOptions, seededFaults } from './seeded.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const hits = (faults: FaultPoints, point: FaultPoint, count: number): string =>
  Array.from({ length: count }, () => {
    try {
      faults.hit(point);
      return '.';
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  }).join('');
const rule = (what: FaultPlan['rules'][number]['what'], rest: Partial<FaultPlan['rules'][number]> = {}) => ({
  point: 'store.tx' as const,
  rate: 1,
  what,
  ...rest,
});
const plan = (...rules: FaultPlan['rules']): FaultPlan => ({ seed: 7, rules });

it('does the same for the same plan, and something else for another seed or another process', () => {
  const half = plan(rule('throw', { rate: 0.5 }));
  const first = hits(seededFaults(half), 'store.tx', 200);
  expect(hits(seededFaults(half), 'store.tx', 200)).toBe(first);
  expect(hits(seededFaults({ ...half, seed: 8 }), 'store.tx', 200)).not.toBe(first);
  expect(hits(seededFaults(half, { who: 'w1' }), 'store.tx', 200)).not.toBe(first);
  const count = first.split('EIO').length - 1;
  expect(count).toBeGreaterThan(70);
  expect(count).toBeLessThan(130);
});

it('moves no rule by another, and no point by another', () => {
  const alone = hits(seededFaults(plan(rule('throw', { rate: 0.3 }))), 'store.tx', 100);
  const beside = seededFaults(
    plan(
      rule('throw', { rate: 0.3 }),
      rule('delay', { rate: 0.5, ms: 0 }),
      rule('throw', { point: 'blob.put', rate: 0.5 }),
    ),
  );
  const mixed = Array.from({ length: 100 }, () => {
    hits(beside, 'blob.put', 2);
    return hits(beside, 'store.tx', 1);
  }).join('');
  expect(mixed).toBe(alone);
});

it('throws what the disk would say, at most so often, and nowhere else', () => {
  const faults = seededFaults(plan(rule('throw', { most: 2, code: 'ENOSPC' })));
  expect(hits(faults, 'store.tx', 4)).toBe('ENOSPCENOSPC..');
  for (const point of POINTS) expect(hits(faults, point, 1)).toBe('.');
  expect(hits(seededFaults(plan(rule('throw', { rate: 0 }))), 'store.tx', 50)).toBe('.'.repeat(50));
  expect(hits(seededFaults(plan()), 'store.tx', 3)).toBe('...');
});

it('waits where waiting is possible, and throws there too', async () => {
  const slept: number[] = [];
  const clock: Clock = { now: () => 0, sleep: async (ms) => void slept.push(ms) };
  const killed: string[] = [];
  const options: SeededOptions = { clock, kill: (signal) => killed.push(signal) };
  const faults = seededFaults(
    plan(rule('delay', { ms: 250 }), rule('delay'), rule('stop'), rule('exit'), rule('throw', { most: 1 })),
    options,
  );
  await expect(faults.reach('store.tx')).rejects.toMatchObject({ code: 'EIO' });
  await faults.reach('store.tx');
  await faults.reach('blob.put');
  expect(slept).toEqual([250, 10, 250, 10]);
  expect(killed).toEqual(['SIGSTOP', 'SIGKILL', 'SIGSTOP', 'SIGKILL']);
});

it('reads a plan from the environment', async () => {
  expect(faultsOfEnvironment({})).toBe(NO_FAULTS);
  expect(faultsOfEnvironment({ TREADLE_FAULT_POINTS: '' })).toBe(NO_FAULTS);
  const faults = faultsOfEnvironment({ TREADLE_FAULT_POINTS: JSON.stringify(plan(rule('throw', { most: 1 }))) });
  expect(hits(faults, 'store.tx', 2)).toBe('EIO.');
});

it.each([
  ['nonsense', 'is not JSON'],
  ['[]', 'the whole'],
  ['null', 'the whole'],
  ['{"rules":[]}', 'seed'],
  ['{"seed":1,"rules":[],"more":1}', 'the whole'],
  ['{"seed":1,"rules":[{"point":"nowhere","rate":1,"what":"throw"}]}', 'rules.0.point'],
  ['{"seed":1,"rules":[{"point":"store.tx","rate":2,"what":"throw"}]}', 'rules.0.rate'],
  ['{"seed":1,"rules":[{"point":"store.tx","rate":1,"what":"explode"}]}', 'rules.0.what'],
  ['{"seed":1,"rules":[{"point":"store.tx","rate":1,"what":"delay","ms":-1}]}', 'rules.0.ms'],
  ['{"seed":1,"rules":[{"point":"store.tx","rate":1,"what":"throw","most":0}]}', 'rules.0.most'],
  ['{"seed":1,"rules":[{"point":"store.tx","rate":1,"what":"throw","code":"EWHAT"}]}', 'rules.0.code'],
])('refuses %s in one line that names what is wrong', (text, named) => {
  try {
    faultsOfEnvironment({ TREADLE_FAULT_POINTS: text });
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error).toMatchObject({ name: 'TreadleError', code: 'bad_fault_points', fault: 'input' });
    expect(error.line()).toContain(named);
    expect(error.line()).not.toContain('\n');
    return;
  }
  expect.unreachable('it was taken');
});

it('refuses any other text, and throws nothing of its own', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(() => parseFaultPlan(text)).toThrow(expect.objectContaining({ code: 'bad_fault_points' }));
    }),
  );
});

const LOADER = new URL('../../../../bench/loader.mjs', import.meta.url).href;
const SEEDED = new URL('./seeded.ts', import.meta.url).href;
const program = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `import { register } from 'node:module'; import { writeSync } from 'node:fs';
   register(${JSON.stringify(LOADER)});
   const { faultsOfEnvironment } = await import(${JSON.stringify(SEEDED)});
   const faults = faultsOfEnvironment(process.env);
   ${body}`,
];
const environment = (...rules: FaultPlan['rules']) => ({
  ...process.env,
  TREADLE_FAULT_POINTS: JSON.stringify(plan(...rules)),
});

it('ends a process at once', () => {
  const ran = spawnSync(
    process.execPath,
    program(
      "writeSync(1, 'before'); faults.hit('store.tx'); writeSync(1, 'never'); process.on('exit', () => writeSync(1, 'never'));",
    ),
    { encoding: 'utf8', env: environment(rule('delay', { ms: 5 }), rule('exit')) },
  );
  expect(ran.stderr).toBe('');
  expect([ran.signal, ran.stdout]).toEqual(['SIGKILL', 'before']);
});

it.skipIf(process.platform !== 'linux')('stops a process until somebody lets it go on', async () => {
  const child = spawn(
    process.execPath,
    program("writeSync(1, 'before'); faults.hit('store.tx'); writeSync(1, 'after');"),
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment(rule('stop')),
    },
  );
  children.push(child);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]?.[0] ?? '';
  await expect.poll(state).toBe('T');
  expect(said).toBe('before');
  const closed = once(child, 'close');
  child.kill('SIGCONT');
  await closed;
  expect(said).toBe('beforeafter');
});
