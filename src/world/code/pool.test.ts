import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CodeProcess } from './code-process.js';
import { CodePool, type PoolOptions } from './pool.js';
import type { CodeJob } from './protocol.js';
import { screenCode } from './screen.js';

const opened: CodePool[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const pool of opened.splice(0)) pool.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const poolOf = (options: PoolOptions): CodePool => {
  const pool = new CodePool(options);
  opened.push(pool);
  return pool;
};

const job = (source: string, args: CodeJob['args'] = {}): CodeJob => {
  const screened = screenCode(source);
  if ('why' in screened) throw new Error(screened.why);
  const rest = { fresh: false, args, now: 0, today: 0, me: { id: 'e', name: 'Ada', email: 'a' }, seed: [1, 2, 3, 4] };
  return { source: screened.factory, ...rest };
};
const ECHO = '(args) => args.n';
const ASK = '(args, ctx) => ctx.db.get("t", { id: args.n })';
const granted = (): string => 'O1';
const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; i < 500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('starts no more processes than it may, takes calls in turn, and closes what is idle', async () => {
  const pool = poolOf({ size: 2, wallMs: 8_000, idleMs: 50 });
  expect(pool.pids).toEqual([]);
  const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => pool.run(job(ECHO, { n }), granted)));
  expect(ends).toEqual(Array.from({ length: 20 }, (_, n) => ({ end: 'returned', value: String(n) })));
  const { pids } = pool;
  expect(pids.length).toBeLessThanOrEqual(2);
  await until(() => pool.pids.length === 0);
  await until(() => !pids.some(isAlive));
  expect(await pool.run(job(ECHO, { n: 5 }), granted)).toEqual({ end: 'returned', value: '5' });
});

it('does not count the time that its questions take', async () => {
  const pool = poolOf({ size: 1, wallMs: 1_000 });
  const slow = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('O7'), 1_500));
  expect(await pool.run(job(ASK), slow)).toEqual({ end: 'returned', value: '7' });
});

it.each(['before it is asked', 'while it works'])(
  'does not blame a process for an event loop that is held up %s',
  async (when) => {
    const pool = poolOf({ size: 1, wallMs: 1_000 });
    await pool.run(job(ECHO), granted);
    const end = pool.run(job(ECHO, { n: 3 }), granted);
    if (when === 'while it works') await Promise.resolve().then(() => undefined);
    const start = performance.now();
    while (performance.now() - start < 1_500);
    expect(await end).toEqual({ end: 'returned', value: '3' });
  },
);

it('ends running calls when it is closed, and starts anew after', async () => {
  const pool = poolOf({ size: 1 });
  const never = (): Promise<string> => new Promise(() => undefined);
  const call = pool.run(job(ASK), never);
  const waiting = pool.run(job(ECHO, { n: 2 }), granted);
  await until(() => pool.pids.length === 1);
  pool.close();
  expect(await call).toMatchObject({ end: 'broke', code: 'code_crashed' });
  expect(await waiting).toEqual({ end: 'returned', value: '2' });
});

it('keeps the text of questions, answers and results whole', async () => {
  const pool = poolOf({ size: 1, wallMs: 8_000 });
  const texts = ['', '\u0000', 'größer 漢字 🙂', '"\\\n\u2028', 'x'.repeat(500_000), '\u{1F600}'.repeat(100_000)];
  for (const text of texts) {
    let asked = '';
    const end = await pool.run(
      job('(args, ctx) => [args.text, ctx.db.get("t", { id: args.text })]', { text }),
      (ask) => {
        asked = ask;
        return `O${JSON.stringify(text)}`;
      },
    );
    expect((JSON.parse(asked) as { where: { id: string } }).where.id === text).toBe(true);
    expect(end.end === 'returned' && (JSON.parse(end.value) as string[]).every((each) => each === text)).toBe(true);
  }
});

/** A program that stands in for the child. */
const standIn = (source: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-code-'));
  folders.push(folder);
  const file = join(folder, 'child.mjs');
  const write = `import { writeSync, readSync } from 'node:fs';
    const frame = (text) => { const body = Buffer.from(text); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(1, Buffer.concat([head, body])); };
    const wait = () => readSync(0, Buffer.alloc(65536));
    frame('R'); wait();\n`;
  writeFileSync(file, write + source);
  return file;
};

it.each<[string, string, string]>([
  ['dies', 'process.exit(3);', 'code_crashed'],
  ['speaks out of turn', "frame('R'); setInterval(() => 1, 1e6);", 'code_crashed'],
  [
    'sends a frame longer than any',
    'writeSync(1, Buffer.from([255, 255, 255, 255, 1])); setInterval(() => 1, 1e6);',
    'code_crashed',
  ],
  ['goes on after its end', `frame('E{"end":"returned","value":"1"}'); frame('Ax'); setInterval(() => 1, 1e6);`, ''],
  ['runs out of heap', 'const all = []; for (;;) all.push({ n: all.length });', 'code_memory'],
  ['says nothing', 'setInterval(() => 1, 1e6);', 'code_timeout'],
])('a process that %s ends its call and is spent', async (_, source, code) => {
  const wallMs = code === 'code_memory' ? 30_000 : 1_000;
  const child = await CodeProcess.start(wallMs, standIn(source));
  const end = await child.run(job(ECHO), granted);
  if (code) expect(end).toMatchObject({ end: 'broke', code });
  await until(() => child.isSpent && !isAlive(child.pid as number));
});

it('a program that is not there says so', async () => {
  await expect(CodeProcess.start(1_000, join(tmpdir(), 'no-such-file.mjs'))).rejects.toMatchObject({
    code: 'code_unavailable',
    fault: 'infrastructure',
    isRetryable: true,
  });
});

it('a process may write no files', async () => {
  const file = standIn(
    `import { writeFileSync } from 'node:fs';
     let end = 'wrote'; try { writeFileSync(new URL('./left', import.meta.url), 'x'); } catch (e) { end = e.code; }
     frame('E' + JSON.stringify({ end: 'returned', value: end }));`,
  );
  const child = await CodeProcess.start(5_000, file);
  expect(await child.run(job(ECHO), granted)).not.toMatchObject({ value: 'wrote' });
  child.kill();
});
