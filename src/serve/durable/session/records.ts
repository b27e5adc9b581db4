/** What a log holds of one session, and what follows from it: where it can be taken up again, and what was acknowledged (serving.md). */

import type { LogRecord } from '../log/page-log.js';
import type { Head } from '../ownership/ownership.js';

/** A way to have the session again: a base, and the calls after it without a gap. */
export interface Chain {
  /** Of the base: in a log, or a savepoint's key. */
  base: { whole: Uint8Array } | { key: string };
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

/** `logs`: the session's records in each log, in their order. `heads`: its savepoints that the store knows, the newest first. */
export const evidenceOf = (logs: readonly (readonly LogRecord[])[], heads: readonly Head[]): Evidence => {
  const chains: Chain[] = [];
  let [gen, acknowledged, isGone] = [0, 0, false];
  for (const records of logs) {
    for (const [i, record] of records.entries()) {
      if (record.kind === 'whole')
        chains.push({
          base: { whole: record.body },
          seq: record.seq,
          ...links(records, i + 1, record.seq, record.gen),
        });
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
