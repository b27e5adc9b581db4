/** The contract of page logs, over every implementation; and what the one on files does when they fail. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreadleError } from '../../../errors.js';
import { NO_FAULTS } from '../faults/fault-points.js';
import { openPageLog, type PageLogOptions } from './file-log.js';
import { failingFiles, record, told } from './log.fixture.js';
import { KINDS, type PageLog, type ReadLog } from './page-log.js';
import { readLog, removeLog } from './read-log.js';

let over: string;
let folder: string;
beforeEach(() => {
  over = mkdtempSync(join(tmpdir(), 'treadle-log-'));
  folder = join(over, 'logs', 'one#1');
});
afterEach(() => rmSync(over, { recursive: true, force: true }));

const read = (at = folder): string[] => {
  const { records, damage } = readLog(at);
  expect(damage).toEqual([]);
  return records.map(told);
};
const refusal = (work: () => unknown): TreadleError => {
  try {
    work();
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error.name).toBe('TreadleError');
    expect(error.fault).toBe('infrastructure');
    expect(error.next).toBeTruthy();
    expect(error.line()).not.toContain(over);
    return error;
  }
  throw new Error('nothing was refused');
};
const refusalOf = (work: Promise<unknown>): Promise<TreadleError> =>
  work.then(
    () => refusal(() => {}),
    (thrown: unknown) =>
      refusal(() => {
        throw thrown;
      }),
  );

interface Implementation {
  open(options?: PageLogOptions): PageLog;
  read(): ReadLog;
}
const IMPLEMENTATIONS: Record<string, () => Implementation> = {
  files: () => ({ open: (options) => openPageLog(folder, options), read: () => readLog(folder) }),
};

describe.each(Object.entries(IMPLEMENTATIONS))('a page log: %s', (_, make) => {
  let log: PageLog;
  let all: Implementation;
  const open = (options?: PageLogOptions): PageLog => {
    log = all.open(options);
    return log;
  };
  beforeEach(() => {
    all = make();
  });
  afterEach(() => log.close());

  it('gives back what was appended, of every kind, in order', () => {
    open();
    const records = KINDS.flatMap((kind, i) => [
      record('s1', i, { kind }),
      record('s–2 ☂', 2 ** 40 + i, { kind, gen: 2 ** 33, body: new Uint8Array(0) }),
    ]);
    for (const one of records) log.append(one);
    expect(log.written).toBe(records.length);
    expect(all.read()).toEqual({ records, hurt: [], damage: [] });
    const large = record('', 0, { body: new Uint8Array(3_000_000).fill(7), kind: 'whole' });
    log.append(large);
    expect(told(all.read().records.at(-1) as typeof large) === told(large)).toBe(true);
  });

  it('keeps what it was given, not what the giver does to it later', () => {
    open();
    const body = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    log.append(record('s', 1, { body }));
    body.fill(0);
    expect([...(all.read().records[0]?.body ?? [])]).toEqual([1, 2]);
  });

  it('lets go of segments that nobody needs, and of nothing that somebody does', () => {
    open({ segmentBytes: 2_000 });
    const step = fc.record({
      session: fc.constantFrom('a', 'b', 'c', 'd'),
      cover: fc.boolean(),
      back: fc.nat(3),
      newGen: fc.nat(20),
      size: fc.nat(400),
    });
    const at = new Map<string, { gen: number; seq: number; covered: { gen: number; seq: number } }>();
    const appended: ReturnType<typeof record>[] = [];
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
        for (const { session, cover, back, newGen, size } of steps) {
          const now = at.get(session) ?? { gen: 1, seq: 0, covered: { gen: 0, seq: 0 } };
          at.set(session, now);
          if (cover) {
            const seq = Math.max(now.seq - back, now.covered.seq);
            now.covered = { gen: now.gen, seq };
            log.covered(session, now.gen, seq);
            continue;
          }
          if (newGen === 0) now.gen++;
          now.seq++;
          const one = record(session, now.seq, { gen: now.gen, body: new Uint8Array(size).fill(now.seq) });
          log.append(one);
          appended.push(one);
        }
        const isNeeded = ({ session, gen, seq }: { session: string; gen: number; seq: number }): boolean => {
          const { covered } = at.get(session) as { covered: { gen: number; seq: number } };
          return gen > covered.gen || (gen === covered.gen && seq > covered.seq);
        };
        const kept = new Set(all.read().records.map(told));
        const lost = appended.filter((one) => !kept.has(told(one)) && isNeeded(one));
        expect(lost).toEqual([]);
        for (const session of log.laggards(0)) expect(at.has(session)).toBe(true);
      }),
      { numRuns: 30 },
    );
    for (const session of ['a', 'b', 'c', 'd']) log.covered(session, 1_000, 0);
    expect(log.segments).toBe(1);
    expect(log.bytes).toBeLessThan(100);
    expect(log.laggards(0)).toEqual([]);
    expect(all.read()).toEqual({ records: [], hurt: [], damage: [] });
  });

  it('names who keeps the oldest segment, once there is more than enough', () => {
    open({ segmentBytes: 1_000 });
    const body = new Uint8Array(300);
    log.append(record('sleeps', 1, { body }));
    for (let seq = 1; seq <= 20; seq++) log.append(record('works', seq, { body }));
    expect(log.laggards(log.bytes)).toEqual([]);
    expect(log.laggards(1_000)).toEqual(['sleeps', 'works']);
    log.covered('works', 1, 19);
    expect(log.segments).toBe(2);
    expect(log.laggards(100)).toEqual(['sleeps']);
    log.covered('sleeps', 1, 1);
    expect(log.laggards(100)).toEqual(['works']);
    expect(all.read().records.map(({ seq }) => seq)).toContain(20);
  });

  it('closes once, and takes nothing afterwards', async () => {
    open();
    log.append(record('s', 1));
    await log.sync();
    log.append(record('s', 2));
    log.close();
    log.close();
    expect(refusal(() => log.append(record('s', 3))).code).toBe('log_failed');
    expect(all.read().records).toEqual([record('s', 1), record('s', 2)]);
  });

  it('lets a drill fail it, and then nothing was written', async () => {
    const planned = new Error('planned');
    open({
      faults: {
        hit: (point) => {
          if (point === 'log.append' && log.written === 1) throw planned;
        },
        reach: async (point) => {
          if (point === 'log.sync') throw planned;
        },
      },
    });
    log.append(record('s', 1));
    expect(() => log.append(record('s', 2))).toThrow(planned);
    await expect(log.sync()).rejects.toThrow('planned');
    expect(all.read().records).toEqual([record('s', 1)]);
  });
});

describe('a page log on files', () => {
  it('waits for the disk once for all who ask while it waits', async () => {
    const files = failingFiles();
    const log = openPageLog(folder, { files });
    const wait = (seq: number): Promise<void> => {
      log.append(record('s', seq));
      return log.sync();
    };
    const first = wait(0);
    await expect.poll(() => files.syncs.length).toBe(1);
    await Promise.all([first, ...Array.from({ length: 40 }, (_, i) => wait(i + 1))]);
    expect(files.syncs).toHaveLength(2);
    await log.sync();
    expect(files.syncs).toHaveLength(2);
    log.append(record('s', 41));
    await log.sync();
    expect(files.syncs).toHaveLength(3);
    log.close();
  });

  it('also waits for the segments that were filled in between, and not for those that went', async () => {
    const log = openPageLog(folder, { segmentBytes: 500 });
    for (let seq = 1; seq <= 30; seq++) {
      log.append(record(`s${seq % 3}`, seq, { body: new Uint8Array(200) }));
      const wait = log.sync();
      if (seq % 4 === 0) log.covered('s0', 1, seq);
      if (seq % 5 === 0) log.covered('s1', 1, seq);
      await wait;
    }
    log.close();
    const { records, damage } = readLog(folder);
    expect(damage).toEqual([]);
    // Nobody covered those of s2.
    expect(records.filter(({ session }) => session === 's2').map(({ seq }) => seq)).toEqual(
      Array.from({ length: 10 }, (_, i) => 3 * i + 2),
    );
  });

  it('a full disk: nothing of what did not fit is read, and it goes on when there is room', () => {
    const files = failingFiles();
    const log = openPageLog(folder, { files, segmentBytes: 4_000 });
    const kept: string[] = [];
    for (let seq = 1; seq <= 60; seq++) {
      const one = record('s', seq, { body: new Uint8Array(seq * 9).fill(seq) });
      if (seq % 3 === 0) {
        files.room = seq % 2 === 0 ? 0 : seq;
        const error = refusal(() => log.append(one));
        expect(error).toMatchObject({ code: 'disk_full', isRetryable: true });
        files.room = Number.POSITIVE_INFINITY;
      } else {
        log.append(one);
        kept.push(told(one));
      }
      if (seq % 10 === 0) expect(read()).toEqual(kept);
    }
    expect(log.written).toBe(kept.length);
    log.close();
    expect(read()).toEqual(kept);
  });

  it('what cannot be cut off is cut off before anything else is written', () => {
    const files = failingFiles();
    const log = openPageLog(folder, { files });
    log.append(record('s', 1));
    files.room = 20;
    files.fails.set('truncate', 'EIO');
    expect(refusal(() => log.append(record('s', 2))).code).toBe('disk_full');
    // A part of it is there, and no record is.
    expect(read()).toEqual([told(record('s', 1))]);
    files.room = Number.POSITIVE_INFINITY;
    expect(refusal(() => log.append(record('s', 3)))).toMatchObject({ code: 'log_failed', value: 'EIO' });
    files.fails.clear();
    log.append(record('s', 4));
    expect(read()).toEqual([told(record('s', 1)), told(record('s', 4))]);
    log.close();
  });

  it('after a failed wait for the disk it says so until savepoints cover what was written', async () => {
    const files = failingFiles();
    const log = openPageLog(folder, { files });
    log.append(record('s', 1));
    files.fails.set('sync', 'EIO');
    expect(await refusalOf(log.sync())).toMatchObject({ code: 'log_failed', value: 'EIO' });
    files.fails.clear();
    log.append(record('s', 2));
    log.append(record('t', 1));
    expect(await refusalOf(log.sync())).toMatchObject({ code: 'log_failed', value: ['s'] });
    log.covered('s', 1, 1);
    await log.sync();
    expect(read()).toEqual([record('s', 2), record('t', 1)].map(told));
    log.close();
  });

  it('a file that cannot be made: the append fails, the one that was written stays, and the next append tries again', () => {
    const files = failingFiles();
    const log = openPageLog(folder, { files, segmentBytes: 300 });
    const body = new Uint8Array(200);
    log.append(record('s', 1, { body }));
    files.fails.set('create', 'EACCES');
    expect(refusal(() => log.append(record('s', 2, { body }))).code).toBe('log_failed');
    files.fails.clear();
    files.room = 5;
    expect(refusal(() => log.append(record('s', 2, { body }))).code).toBe('disk_full');
    files.room = Number.POSITIVE_INFINITY;
    log.append(record('s', 2, { body }));
    log.close();
    expect(read()).toHaveLength(2);
  });

  it('a folder that vanished or cannot be made, or that holds a log', async () => {
    const log = openPageLog(folder, { segmentBytes: 300 });
    expect(refusal(() => openPageLog(folder)).code).toBe('log_failed');
    log.append(record('s', 1));
    removeLog(folder);
    removeLog(folder);
    expect(read()).toEqual([]);
    expect((await refusalOf(log.sync())).code).toBe('log_failed');
    expect(refusal(() => log.append(record('s', 2))).code).toBe('log_failed');
    log.close();
    writeFileSync(join(over, 'in-the-way'), '');
    expect(refusal(() => openPageLog(join(over, 'in-the-way', 'log'))).code).toBe('log_failed');
    expect(refusal(() => readLog(join(over, 'in-the-way'))).code).toBe('log_failed');
  });

  it('reads only the sessions it is asked for', () => {
    const log = openPageLog(folder, { segmentBytes: 500 });
    for (let seq = 1; seq <= 40; seq++) log.append(record(`s${seq % 10}`, seq));
    const { records } = readLog(folder, { only: new Set(['s3', 's7', 'none']) });
    expect(records.map(({ seq }) => seq)).toEqual([3, 7, 13, 17, 23, 27, 33, 37]);
    log.close();
  });

  it("tells another incarnation's segment, and files that are no log", () => {
    const log = openPageLog(folder);
    log.append(record('s', 1));
    log.close();
    const other = openPageLog(join(over, 'two#2'));
    other.append(record('s', 2));
    other.close();
    writeFileSync(join(folder, 'notes.txt'), 'not ours');
    writeFileSync(join(folder, '2.log'), 'TRDLPLOG of another kind, long enough to have a header');
    writeFileSync(join(folder, '3.log'), '');
    mkdirSync(join(folder, '4.log'));
    rmSync(join(folder, '5.log'), { force: true });
    const bytes = readdirSync(join(over, 'two#2'));
    expect(bytes).toEqual(['1.log']);
    const { records, damage } = readLog(folder);
    expect(records).toEqual([record('s', 1)]);
    expect(damage.map(({ segment, why }) => `${segment} ${why.split(' ').slice(0, 3).join(' ')}`)).toEqual([
      '2.log it has version',
      '3.log it ends inside',
      '4.log it cannot be',
    ]);
    expect(readLog(folder, { incarnation: basename(folder) }).records).toHaveLength(1);
    const foreign = readLog(folder, { incarnation: 'two#2' });
    expect(foreign.records).toEqual([]);
    expect(foreign.damage[0]).toMatchObject({ segment: '1.log', why: "it is one#1's" });
  });

  it('uses no fault points unless told', () => {
    expect(NO_FAULTS.hit('log.append')).toBeUndefined();
  });
});
