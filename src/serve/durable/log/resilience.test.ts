/** What a page log keeps of a process that is killed, and what it does on a disk that is full: with real processes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLog } from './read-log.js';

let over: string;
let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  over = mkdtempSync(join(tmpdir(), 'treadle-log-'));
  folder = join(over, 'w#1');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(over, { recursive: true, force: true });
});

const LOADER = new URL('../../../../bench/loader.mjs', import.meta.url).href;
const LOG = new URL('./file-log.ts', import.meta.url).href;
/** A program that has `openPageLog`, `folder`, `body(n)` and `say`. */
const program = (text: string): string[] => [
  '--input-type=module',
  '-e',
  `import { register } from 'node:module'; import { writeSync } from 'node:fs';
   register(${JSON.stringify(LOADER)});
   const { openPageLog } = await import(${JSON.stringify(LOG)});
   const folder = process.argv[1];
   // Whoever listens may be slower.
   const nothing = new Int32Array(new SharedArrayBuffer(4));
   const say = (line) => {
     for (;;) {
       try { return writeSync(1, line + '\\n'); }
       catch (thrown) { if (thrown.code !== 'EAGAIN') throw thrown; }
       Atomics.wait(nothing, 0, 0, 1);
     }
   };
   const body = (n) => new Uint8Array((n * 131) % 6000).fill(n);
   ${text}`,
  folder,
];

/** Runs the program until it has said `lines` lines, kills it, and answers with all whole lines that it said. */
const killedAfter = async (lines: number, text: string): Promise<string[]> => {
  const child = spawn(process.execPath, program(text), { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let said = '';
  let whole = 0;
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
    whole += piece.split('\n').length - 1;
    if (whole >= lines) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return said.split('\n').slice(0, -1);
};

/** Every record that was appended has this body; see `program`. */
const isRight = (seq: number, body: Uint8Array): boolean => Buffer.alloc((seq * 131) % 6000, seq % 256).equals(body);

it.each([3, 400, 1_500])('kill -9 after %i acknowledged appends: every one of them is read', async (lines) => {
  const said = await killedAfter(
    lines,
    `const log = openPageLog(folder, { segmentBytes: 500_000 });
     for (let seq = 1; ; seq++) {
       log.append({ session: 's' + (seq % 5), gen: 1, seq, kind: 'delta', body: body(seq) });
       say(seq);
     }`,
  );
  const { records, damage } = readLog(folder);
  expect(damage).toEqual([]);
  const acknowledged = said.map(Number);
  expect(acknowledged.length).toBeGreaterThanOrEqual(lines);
  expect(records.slice(0, acknowledged.length).map(({ seq }) => seq)).toEqual(acknowledged);
  // One more may have been written and not told.
  expect(records.length - acknowledged.length).toBeLessThanOrEqual(1);
  expect(records.filter(({ seq, body }) => !isRight(seq, body))).toEqual([]);
});

it('kill -9 among many callers that wait for the disk, with savepoints in between: none that is needed is lost', async () => {
  const said = await killedAfter(
    300,
    `const log = openPageLog(folder, { segmentBytes: 60_000 });
     const covered = {};
     const caller = async (session) => {
       for (let seq = 1; ; seq++) {
         log.append({ session, gen: 1, seq, kind: 'delta', body: body(seq) });
         await log.sync();
         say(session + ' ' + seq);
         if (seq % 9 === 0) {
           // Told first: the process may die in between.
           say(session + ' covered ' + (seq - 2));
           log.covered(session, 1, seq - 2);
         }
       }
     };
     for (let i = 0; i < 8; i++) caller('s' + i);
     setInterval(() => {}, 1000);`,
  );
  const { records, damage } = readLog(folder);
  expect(damage).toEqual([]);
  const read = new Set(records.map(({ session, seq }) => `${session} ${seq}`));
  const covered = new Map<string, number>();
  const acknowledged: [string, number][] = [];
  for (const line of said) {
    const [session = '', seq, upTo] = line.split(' ');
    if (seq === 'covered') covered.set(session, Number(upTo));
    else acknowledged.push([session, Number(seq)]);
  }
  const lost = acknowledged.filter(
    ([session, seq]) => seq > (covered.get(session) ?? 0) && !read.has(`${session} ${seq}`),
  );
  expect(lost).toEqual([]);
  expect(covered.size).toBeGreaterThan(0);
  expect(records.filter(({ seq, body }) => !isRight(seq, body))).toEqual([]);
});

it('half a record at the end of what a process left is nothing; half a record in the middle is told', async () => {
  await killedAfter(
    20,
    `const log = openPageLog(folder);
     for (let seq = 1; ; seq++) { log.append({ session: 's', gen: 1, seq, kind: 'delta', body: body(seq) }); say(seq); }`,
  );
  const whole = readLog(folder).records.length;
  const path = join(folder, '1.log');
  const { size } = statSync(path);
  const bytes = readFileSync(path);
  const first = bytes.indexOf(bytes.subarray(12, 16), 20);
  appendFileSync(path, bytes.subarray(first, first + 100));
  const torn = readLog(folder);
  expect([torn.records.length, torn.damage]).toEqual([whole, []]);
  writeFileSync(join(folder, '2.log'), bytes);
  const both = readLog(folder);
  expect(both.damage).toMatchObject([{ segment: '1.log', offset: size }]);
  expect(both.records).toHaveLength(2 * whole);
});

it('a disk that is full: refused, nothing of it read, and it goes on once a savepoint made room', () => {
  // A limit on file sizes is a full disk that needs no root; bash counts in KiB.
  const text = `const log = openPageLog(folder, { segmentBytes: 10_000_000 });
     let seq = 0;
     for (let round = 0; round < 3; round++) {
       let failure;
       while (!failure) {
         try { log.append({ session: 's', gen: 1, seq: seq + 1, kind: 'delta', body: body(seq + 1) }); seq++; }
         catch (thrown) { failure = thrown; }
       }
       say(JSON.stringify({ seq, bytes: log.bytes, ...failure.toJSON() }));
       if (round < 2) log.covered('s', 1, seq);
     }`;
  const ran = spawnSync('bash', ['-c', 'ulimit -f 200; exec "$0" "$@"', process.execPath, ...program(text)], {
    encoding: 'utf8',
  });
  expect(ran.status, ran.stderr).toBe(0);
  const rounds = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; bytes: number; code: string; isRetryable: boolean });
  expect(rounds).toHaveLength(3);
  for (const round of rounds) expect(round).toMatchObject({ code: 'disk_full', isRetryable: true, value: 'EFBIG' });
  const { records, damage } = readLog(folder);
  expect(damage).toEqual([]);
  const [, second, third] = rounds;
  const from = (second?.seq ?? 0) + 1;
  expect(records.map(({ seq }) => seq)).toEqual(
    Array.from({ length: (third?.seq ?? 0) - from + 1 }, (_, i) => from + i),
  );
  expect(records.filter(({ seq, body }) => !isRight(seq, body))).toEqual([]);
  expect(readdirSync(folder)).toEqual(['1.log']);
  expect(statSync(join(folder, '1.log')).size).toBe(third?.bytes);
});
