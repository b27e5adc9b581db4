import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runs } from '../../blobs/process.js';
import { type Supervised, type SupervisorLimits, supervise } from './supervisor.js';

let folder: string;
let supervised: Supervised | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-supervisor-'));
});
afterEach(async () => {
  await supervised?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A front of a few lines: appends what it was told to a file, one line a life. */
const front = (body: string, limits: Partial<SupervisorLimits> = {}) => {
  const said: string[] = [];
  const lives = join(folder, 'lives');
  const program = `const { appendFileSync } = require('node:fs');
    process.once('message', ({ before }) => {
      appendFileSync(${JSON.stringify(lives)}, JSON.stringify([process.pid, before]) + '\\n');
      ${body}
    });`;
  supervised = supervise({
    command: process.execPath,
    args: ['-e', program],
    limits: { firstMs: 1, ...limits },
    onDefect: (error) => said.push(error.message),
  });
  const read = (): [number, unknown][] =>
    existsSync(lives)
      ? readFileSync(lives, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as [number, unknown])
      : [];
  return { said, read, of: supervised };
};

const SERVES =
  "process.send({ keep: { port: 4711 } }); setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0));";

it('starts a killed front again, with what the one before kept, and leaves no process behind', async () => {
  const { read, of, said } = front(SERVES);
  await expect.poll(() => read().length).toBe(1);
  // What it says arrives after what it writes.
  await expect
    .poll(
      () => {
        const [pid] = read().at(-1) as [number, unknown];
        if (read().length < 3 && runs(pid)) process.kill(pid, 'SIGKILL');
        return read().length;
      },
      { interval: 300 },
    )
    .toBe(3);
  expect(read().at(0)?.[1]).toBeNull();
  expect(read().at(-1)?.[1]).toEqual({ port: 4711 });
  expect(said[0]).toMatch(/SIGKILL/);
  await of.stop();
  expect(await of.ended).toBe(0);
  expect(read().map(([pid]) => runs(pid))).toEqual([false, false, false]);
});

it('ends with a front that ends as it should', async () => {
  const { of, read } = front('process.send({ keep: 1 }, () => process.exit(0));');
  expect(await of.ended).toBe(0);
  expect(read()).toHaveLength(1);
});

it('does not start again what never served: what is wrong there is no accident', async () => {
  const { of, read, said } = front('process.exit(3);');
  expect(await of.ended).toBe(3);
  expect(read()).toHaveLength(1);
  expect(said).toEqual([]);
});

it('says so when the front ends again and again', async () => {
  const { of, read } = front('process.send({ keep: 1 }, () => process.exit(7));', { starts: 3 });
  await expect(of.ended).rejects.toMatchObject({
    code: 'front_crashes',
    message: expect.stringMatching(/3 times in a row .* code 7/),
  });
  expect(read()).toHaveLength(3);
});

it('ends a front that does not end when it is asked to', async () => {
  const { of, read } = front(
    "process.on('SIGTERM', () => {}); process.send({ keep: 1 }); setInterval(() => {}, 1000);",
    {
      graceMs: 50,
    },
  );
  await expect.poll(() => read().length).toBe(1);
  await vi.waitFor(() => expect(of.pid).toBeDefined());
  await of.stop();
  expect(runs(read()[0]?.[0] as number)).toBe(false);
});

it('says with which code a program that is not there ends', async () => {
  supervised = supervise({ command: join(folder, 'none'), args: [], onDefect: () => {} });
  expect(await supervised.ended).toBe(127);
});
