/** What a log holds of one session, and what follows from it: where it can be taken up again, and what was acknowledged (serving.md). */

import type { LogRecord } from '../log/page-log.js';
import type { Head } from '../ownership/ownership.js';
import { type ForkOrigin, forkOf } from './fork.js';

/** A way to have the session again: a base, and the calls after it without a gap. */
export interface Chain {
  /** Of the base: in a log, or a savepoint's key, or of another session as it was when this one began as its fork. */
  base: { whole: Uint8Array } | { key: string } | { fork: Uint8Array; of: Chain };
  seq: number;
  deltas: readonly { seq: number; body: Uint8Array }[];
  /** Of the last link. */
  gen: number;
  last: number;
}

export interface Evidence {
  /** The best first. */
  chains: Chain[];
  /** The last request that anybody was told had been done. */
  acknowledged: number;
  /** It ended: nothing is to be taken up. */
  isGone: boolean;
}

/** By a fork's record: the records of its parent in the same log. */
export type Origins = ReadonlyMap<LogRecord, readonly LogRecord[]>;

const NO_ORIGINS: Origins = new Map();

/** Ways to have a fork's parent as it was then: to that request and no further, and of no life but the one that was forked. */
const waysTo = (
  { from, gen, seq, head }: ForkOrigin,
  records: readonly LogRecord[],
  origins: Origins,
): readonly Chain[] => {
  const upTo = records.filter((record) => record.gen < gen || (record.gen === gen && record.seq <= seq));
  const { chains } = evidenceOf([upTo], head ? [head] : [], origins);
  return chains.filter((chain) => chain.last === seq && chain.gen >= from);
};

const links = (
  records: readonly LogRecord[],
  from: number,
  seq: number,
  minGen: number,
): Pick<Chain, 'deltas' | 'gen' | 'last'> => {
  const deltas: { seq: number; body: Uint8Array }[] = [];
  let [gen, last] = [minGen, seq];
  for (let i = from; i < records.length; i++) {
    const record = records[i] as LogRecord;
    // Of an owner before: what became of it is in the base.
    if (record.kind === 'mark' || record.gen < gen || record.seq <= last) continue;
    if (record.kind !== 'delta' || record.seq !== last + 1) break;
    deltas.push({ seq: record.seq, body: record.body });
    gen = record.gen;
    last = record.seq;
  }
  return { deltas, gen, last };
};

const better = (a: Chain, b: Chain): number =>
  b.gen - a.gen || b.last - a.last || Number('key' in a.base) - Number('key' in b.base) || b.seq - a.seq;

/**
 * `logs`: the session's records in each log, in their order. `heads`: its savepoints that the store knows, the newest first. Throws
 * `damaged_savepoint` for a fork whose record cannot be read.
 */
export const evidenceOf = (
  logs: readonly (readonly LogRecord[])[],
  heads: readonly Head[],
  origins: Origins = NO_ORIGINS,
): Evidence => {
  const chains: Chain[] = [];
  let [gen, acknowledged, isGone] = [0, 0, false];
  for (const records of logs) {
    for (const [i, record] of records.entries()) {
      const { kind, seq, body } = record;
      const following = () => ({ seq, ...links(records, i + 1, seq, record.gen) });
      if (kind === 'whole') chains.push({ base: { whole: body }, ...following() });
      if (kind === 'fork')
        for (const of of waysTo(forkOf(body).of, origins.get(record) ?? [], origins))
          chains.push({ base: { fork: body, of }, ...following() });
      // A log is in the order of what happened, and a higher generation is later than all of a lower one.
      if (record.gen < gen) continue;
      gen = record.gen;
      acknowledged = record.seq;
      isGone = record.kind === 'gone';
    }
  }
  for (const { key, gen: headGen, seq } of heads) {
    const ways = logs.map((records) => links(records, 0, seq, headGen));
    const best = ways.sort((a, b) => b.gen - a.gen || b.last - a.last)[0] ?? { deltas: [], gen: headGen, last: seq };
    chains.push({ base: { key }, seq, ...best });
    if (headGen > gen || (headGen === gen && seq > acknowledged)) {
      [gen, acknowledged] = [headGen, seq];
      isGone = false;
    }
  }
  return { chains: chains.sort(better), acknowledged, isGone };
};
