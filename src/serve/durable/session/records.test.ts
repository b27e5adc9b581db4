import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SavedStart } from '../../sessions/server/image.js';
import type { LogRecord, RecordKind } from '../log/page-log.js';
import type { Head } from '../ownership/ownership.js';
import { type ForkOrigin, forkBytes } from './fork.js';
import { type Chain, evidenceOf, type Origins } from './records.js';

const record = (kind: RecordKind, gen: number, seq: number): LogRecord => ({
  session: 's',
  gen,
  seq,
  kind,
  body: Buffer.from(`${kind}/${gen}/${seq}`),
});
const whole = (gen: number, seq: number): LogRecord => record('whole', gen, seq);
const delta = (gen: number, seq: number): LogRecord => record('delta', gen, seq);
const mark = (gen: number, seq: number): LogRecord => record('mark', gen, seq);
const head = (gen: number, seq: number): Head => ({ key: `k/${gen}/${seq}`, gen, seq });

/** The best way, as text: base, then the seqs of its deltas. */
const said = ({ base, deltas }: Chain): string => {
  const from =
    'whole' in base ? Buffer.from(base.whole).toString() : 'key' in base ? base.key : `fork of (${said(base.of)})`;
  return [from, ...deltas.map(({ seq }) => seq)].join(' ');
};
const best = (logs: LogRecord[][], heads: Head[] = [], origins?: Origins): string => {
  const [chain] = evidenceOf(logs, heads, origins).chains;
  return chain ? said(chain) : 'none';
};

describe('where a session can be taken up again', () => {
  it('is its whole and the deltas after it', () => {
    expect(best([[whole(1, 0), delta(1, 1), delta(1, 2)]])).toBe('whole/1/0 1 2');
  });
  it('is the savepoint where the log of before is gone', () => {
    expect(best([[delta(1, 3), delta(1, 4)]], [head(1, 2)])).toBe('k/1/2 3 4');
  });
  it('prefers what need not be fetched', () => {
    expect(best([[whole(1, 0), delta(1, 1)]], [head(1, 1)])).toBe('whole/1/0 1');
  });
  it('stops at a gap, and at a change that is not in the log', () => {
    expect(best([[whole(1, 0), delta(1, 1), delta(1, 3)]])).toBe('whole/1/0 1');
    expect(best([[delta(1, 1), whole(1, 3), delta(1, 4)]], [head(1, 0)])).toBe('whole/1/3 4');
  });
  it('goes by generation before length: what a fenced owner wrote on is nobody’s', () => {
    const zombie = [whole(1, 0), delta(1, 1), delta(1, 2), delta(1, 3)];
    expect(best([zombie, [whole(2, 1), delta(2, 2)]])).toBe('whole/2/1 2');
    expect(best([[whole(2, 1)], zombie])).toBe('whole/2/1');
  });
  it('never continues a newer savepoint with an older owner’s deltas', () => {
    expect(best([[whole(1, 0), delta(1, 1), delta(1, 2), delta(1, 3)]], [head(2, 2)])).toBe('k/2/2');
  });
  it('goes on over a claim made twice by one owner', () => {
    expect(best([[whole(1, 0), delta(1, 1), delta(2, 2)]])).toBe('whole/1/0 1 2');
  });
  it('has the next best behind it', () => {
    const { chains } = evidenceOf([[whole(1, 0), delta(1, 1)]], [head(1, 1), head(1, 0)]);
    expect(chains.map(({ last }) => last)).toEqual([1, 1, 1]);
  });
  it('is nowhere where nothing was kept', () => {
    expect(evidenceOf([], [])).toEqual({ chains: [], acknowledged: 0, isGone: false });
    expect(best([[delta(1, 4), mark(1, 5)]])).toBe('none');
  });
});

describe('what was acknowledged', () => {
  const acknowledged = (logs: LogRecord[][], heads: Head[] = []): number => evidenceOf(logs, heads).acknowledged;
  it('is what the last mark says, whether its effect is here or not', () => {
    expect(acknowledged([[whole(1, 0), mark(1, 1), mark(1, 2)]])).toBe(2);
  });
  it('is what the savepoint holds where the log holds less', () => {
    expect(acknowledged([[mark(1, 1)]], [head(1, 4)])).toBe(4);
    expect(acknowledged([], [head(3, 4)])).toBe(4);
  });
  it('of an owner before does not count once another went on', () => {
    expect(
      acknowledged([
        [whole(1, 0), mark(1, 9)],
        [whole(2, 4), mark(2, 5)],
      ]),
    ).toBe(5);
  });
  it('stays to be told until something followed', () => {
    const lost = [whole(2, 4), mark(2, 9)];
    expect(acknowledged([lost])).toBe(9);
    expect(acknowledged([[...lost, delta(2, 5)]])).toBe(5);
  });
});

describe('a session that ended', () => {
  const isGone = (logs: LogRecord[][], heads: Head[] = []): boolean => evidenceOf(logs, heads).isGone;
  it('is not taken up, whatever its savepoints are', () => {
    expect(isGone([[whole(1, 0), record('gone', 1, 1)]], [head(1, 1)])).toBe(true);
  });
  it('is taken up where somebody later owned it', () => {
    expect(isGone([[record('gone', 1, 1)], [whole(2, 1)]])).toBe(false);
  });
});

describe('a fork', () => {
  const start = { id: 's' } as SavedStart;
  const fork = (of: Omit<ForkOrigin, 'session'>): LogRecord => ({
    ...record('fork', 1, 0),
    body: forkBytes({ start, status: 'open', of: { session: 'p', ...of } }),
  });
  const taken = (of: Omit<ForkOrigin, 'session'>, parents: LogRecord[], own: LogRecord[] = []): string => {
    const forked = fork(of);
    return best([[forked, ...own]], [], new Map([[forked, parents]]));
  };

  it('is its parent up to the call after which it was made, and its own calls', () => {
    const parents = [whole(1, 0), delta(1, 1), delta(1, 2), delta(1, 3), whole(1, 4)];
    expect(taken({ seq: 2, from: 1, gen: 1 }, parents, [delta(1, 1)])).toBe('fork of (whole/1/0 1 2) 1');
  });
  it('is what a savepoint of its parent holds, where the log holds less', () => {
    const of = { seq: 5, from: 1, gen: 1, head: head(1, 4) };
    expect(taken(of, [delta(1, 5), delta(1, 6)])).toBe('fork of (k/1/4 5)');
    expect(taken({ ...of, seq: 4 }, [])).toBe('fork of (k/1/4)');
  });
  it('is not what its parent was before, where a call is missing', () => {
    expect(taken({ seq: 2, from: 1, gen: 1 }, [whole(1, 0), delta(1, 2)])).toBe('none');
    expect(taken({ seq: 2, from: 1, gen: 1 }, [whole(1, 0), delta(1, 1)])).toBe('none');
  });
  it('is not what its parent was in a life that does not count any more', () => {
    const before = [whole(1, 0), delta(1, 1), delta(1, 2)];
    expect(taken({ seq: 2, from: 3, gen: 3 }, before)).toBe('none');
    expect(taken({ seq: 2, from: 3, gen: 3 }, [...before, whole(3, 1), delta(3, 2)])).toBe('fork of (whole/3/1 2)');
    expect(taken({ seq: 2, from: 1, gen: 1 }, [...before, whole(3, 1), delta(3, 2)])).toBe('fork of (whole/1/0 1 2)');
  });
  it('is of a fork', () => {
    const parent = fork({ seq: 1, from: 1, gen: 1 });
    const forked = fork({ seq: 1, from: 1, gen: 1 });
    const origins: Origins = new Map([
      [parent, [whole(1, 0), delta(1, 1), delta(1, 2)]],
      [forked, [parent, delta(1, 1), delta(1, 2)]],
    ]);
    expect(best([[forked]], [], origins)).toBe('fork of (fork of (whole/1/0 1) 1)');
  });
});

it('a life of many owners is taken up where its last one left it', () => {
  const step = fc.constantFrom<'delta' | 'whole' | 'savepoint'>('delta', 'delta', 'delta', 'whole', 'savepoint');
  const epoch = fc.record({ steps: fc.array(step, { maxLength: 12 }), isLogged: fc.boolean() });
  fc.assert(
    fc.property(fc.array(epoch, { minLength: 1, maxLength: 5 }), fc.integer(), (epochs, seed) => {
      let seq = 0;
      let heads: Head[] = [];
      const logs: LogRecord[][] = [];
      epochs.forEach(({ steps, isLogged }, i) => {
        const gen = i + 1;
        const log = [whole(gen, seq)];
        for (const what of steps) {
          if (what === 'savepoint') {
            heads = [head(gen, seq), ...heads].slice(0, 2);
            continue;
          }
          seq++;
          log.push(isLogged ? record(what, gen, seq) : mark(gen, seq));
        }
        // What this owner never wrote down is lost: the next goes on from the best that there is.
        logs.push(log);
        const { chains, acknowledged } = evidenceOf(logs, heads);
        expect(acknowledged).toBe(seq);
        const [found] = chains;
        if (isLogged) expect(found).toMatchObject({ gen, last: seq });
        else expect(found?.gen).toBe(gen);
        seq = found?.last ?? 0;
      });
      // The order in which the logs are read says nothing.
      const turned = [...logs.slice(seed % logs.length), ...logs.slice(0, seed % logs.length)];
      const [one, other] = [evidenceOf(logs, heads), evidenceOf(turned, heads)];
      expect(other.acknowledged).toBe(one.acknowledged);
      expect([other.chains[0]?.gen, other.chains[0]?.last]).toEqual([one.chains[0]?.gen, one.chains[0]?.last]);
    }),
    { numRuns: 300 },
  );
});
