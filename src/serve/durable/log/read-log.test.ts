/** Whatever becomes of a log's bytes: only what was appended is read, and all that the damage did not touch. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPageLog } from './file-log.js';
import { record, told } from './log.fixture.js';
import { KINDS, type LogRecord } from './page-log.js';
import { readLog } from './read-log.js';

let over: string;
let folder: string;
/** What was appended, by segment: where it begins and ends. */
const appended: { segment: string; from: number; to: number; text: string }[] = [];
const originals = new Map<string, Buffer>();

beforeAll(() => {
  over = mkdtempSync(join(tmpdir(), 'treadle-log-'));
  const made = join(over, 'made');
  const log = openPageLog(made, { segmentBytes: 3_000 });
  for (let seq = 1; seq <= 60; seq++) {
    // Some bodies hold a log, as an agent's text might that had seen one; not its own segment, whose marker it cannot know.
    const seen = seq % 7 === 0 ? readFileSync(join(made, '1.log')).subarray(0, 900) : undefined;
    const body = seen && log.segments > 1 ? new Uint8Array(seen) : new Uint8Array((seq * 37) % 300).fill(seq);
    const one: LogRecord = record(`s${seq % 4}`, seq, { kind: KINDS[seq % 4] ?? 'mark', body });
    const [segments, bytes] = [log.segments, log.bytes];
    log.append(one);
    const segment = `${log.segments}.log`;
    const to = readFileSync(join(made, segment)).length;
    const from = log.segments === segments ? to - (log.bytes - bytes) : -1;
    appended.push({ segment, from, to, text: told(one) });
  }
  log.close();
  for (const name of readdirSync(made)) originals.set(name, readFileSync(join(made, name)));
  // The first of a segment begins behind its header, which all segments have alike.
  const header = appended[0] as { segment: string; from: number; to: number };
  const first = originals.get('1.log')?.indexOf(originals.get('1.log')?.subarray(12, 16) ?? '', 20) ?? 0;
  header.from = first;
  for (const one of appended) if (one.from < 0) one.from = first;
  folder = join(over, 'read');
});
afterAll(() => rmSync(over, { recursive: true, force: true }));

const write = (changed: ReadonlyMap<string, Buffer>): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, bytes] of originals) writeFileSync(join(folder, name), changed.get(name) ?? bytes);
};

it('reads all of it where nothing was changed', () => {
  write(new Map());
  expect(originals.size).toBeGreaterThan(4);
  expect(readLog(folder)).toMatchObject({ damage: [] });
  expect(readLog(folder).records.map(told)).toEqual(appended.map(({ text }) => text));
});

/** Changes bytes from `from` to `to` (of the file's length in thousandths) as `how` says; tells which bytes it touched. */
const HOW: Record<string, (bytes: Buffer, from: number, to: number, put: Buffer) => Buffer> = {
  flip: (bytes, from, to) => {
    const made = Buffer.from(bytes);
    made[from] = (made[from] as number) ^ (1 << (to % 8));
    return made;
  },
  cut: (bytes, from, to) => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]),
  insert: (bytes, from, _, put) => Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from)]),
  replace: (bytes, from, to, put) => Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(to)]),
  zero: (bytes, from, to) => Buffer.from(bytes).fill(0, from, to),
  repeat: (bytes, from, to) => Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]),
  swap: (bytes, from, to) => {
    const made = Buffer.from(bytes);
    const length = Math.min(40, to - from);
    bytes.copy(made, from, to - length, to);
    bytes.copy(made, to - length, from, from + length);
    return made;
  },
  end: (bytes, from) => bytes.subarray(0, from),
};

it('reads nothing but what was appended, and all that was not touched', () => {
  const wanted = new Set(appended.map(({ text }) => text));
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(HOW)),
      fc.nat(originals.size - 1),
      fc.nat(999),
      fc.nat(999),
      fc.uint8Array({ maxLength: 80 }),
      (how, which, one, other, put) => {
        const name = [...originals.keys()][which] as string;
        const bytes = originals.get(name) as Buffer;
        const at = (thousandth: number): number => Math.floor((bytes.length * thousandth) / 1_000);
        const from = at(Math.min(one, other));
        const to = Math.max(from + 1, at(Math.max(one, other)));
        const changed = HOW[how]?.(bytes, from, to, Buffer.from(put)) as Buffer;
        write(new Map([[name, changed]]));
        const { records, damage } = readLog(folder);
        const read = new Set(records.map(told));
        expect([...read].filter((text) => !wanted.has(text))).toEqual([]);
        const end = how === 'end' ? bytes.length : how === 'flip' || how === 'insert' ? from + 1 : to;
        const lost = appended.filter(({ text }) => !read.has(text));
        const isStrange = damage.some(({ segment, offset }) => segment === name && offset === 0);
        for (const { segment, from: begins, to: ends } of lost) {
          expect(segment).toBe(name);
          if (!isStrange) expect(begins < end && ends > from).toBe(true);
        }
        // What is lost is told, but for a torn end of the last segment.
        const isLast = name === `${originals.size}.log`;
        if (lost.length > 0 && !isLast) expect(damage.length).toBeGreaterThan(0);
        if (lost.length > 0 && isLast && !['end', 'cut', 'replace'].includes(how))
          expect(damage.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 200 },
  );
});

it('survives anything that is not a log', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (noise, behindHeader) => {
      const [name, bytes] = [...originals][0] as [string, Buffer];
      const header = bytes.subarray(0, appended[0]?.from);
      write(new Map([[name, behindHeader ? Buffer.concat([header, noise]) : Buffer.from(noise)]]));
      const { records } = readLog(folder);
      expect(records.length).toBe(appended.filter(({ segment }) => segment !== name).length);
    }),
    { numRuns: 100 },
  );
});

it('tells whose the last record was, whichever byte of it is damaged', () => {
  const name = `${originals.size}.log`;
  const bytes = originals.get(name) as Buffer;
  const last = appended.at(-1) as (typeof appended)[number];
  const { session, gen, seq } = record(`s${60 % 4}`, 60);
  for (let at = last.from; at < last.to; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    write(new Map([[name, changed]]));
    const { records, hurt, damage } = readLog(folder);
    expect(records).toHaveLength(59);
    expect(damage).toHaveLength(1);
    const isHead = at < last.from + 36;
    // Nobody knows how long a name is whose length is damaged, nor what a damaged name was.
    const isName = at >= last.from + 36 && at < last.from + 36 + session.length;
    const isUnknown = isName || [8, 9, 10, 11, 34, 35].includes(at - last.from);
    if (!isUnknown) expect(hurt).toEqual([isHead ? { session } : { session, at: { gen, seq } }]);
  }
});

it('takes a record that was cut off for one that nobody was told of', () => {
  const name = `${originals.size}.log`;
  const bytes = originals.get(name) as Buffer;
  const last = appended.at(-1) as (typeof appended)[number];
  for (let end = last.from + 1; end < last.to; end++) {
    write(new Map([[name, bytes.subarray(0, end)]]));
    expect(readLog(folder)).toMatchObject({ hurt: [], damage: [] });
  }
});
