/** Second pass of an export: each line to the files that want it. */
import type { Sink } from './files/sink.js';
import { linesOf } from './lines.js';
import type { Arm } from './mix/unit.js';
import { type Split, splitLineages } from './split.js';
import type { SpooledUnit } from './spool.js';

/** A file, or several shards, of one split. */
export interface Target {
  /** Relative to the export's folder, without an ending: `data/train`, `data/user_mixed/to-100/train`. */
  stem: string;
  holds(unit: number): boolean;
  rollouts: number;
  rows: number;
  /** Of the lines as JSON. */
  bytes: number;
}

export interface Dealt extends Target {
  files: string[];
}

/** Sides of the rollouts, by their lineages. */
export const sidesOf = (units: readonly SpooledUnit[], share: number, seed: string): Split[] => {
  const rows = new Map<string, number>();
  for (const { lineage, lines } of units) rows.set(lineage, (rows.get(lineage) ?? 0) + lines);
  const sides = splitLineages(rows, share, seed);
  return units.map(({ lineage }) => sides.get(lineage) ?? 'train');
};

const target = (stem: string, holds: Target['holds']): Target => ({ stem, holds, rollouts: 0, rows: 0, bytes: 0 });

export const splitTargets = (sides: readonly Split[]): Target[] =>
  (['train', 'validation'] as const).map((split) => target(`data/${split}`, (unit) => sides[unit] === split));

/**
 * Files of an arm's nested subsets: what each size adds to the one before it, so that a larger subset is made of the smaller one's
 * files and one more, and nothing is written twice.
 */
export const armTargets = (arm: Arm, sizes: readonly number[]): Target[] =>
  sizes.map((size, n) => {
    const members = new Set(arm.order.slice(sizes[n - 1] ?? 0, size));
    return target(`data/${arm.name}/to-${size}/train`, (unit) => members.has(unit));
  });

/** Reads the spool once. `openSink` makes the files of a target; all are ended, or let go of when something fails. */
export const deal = async (
  spoolFile: string,
  targets: readonly Target[],
  openSink: (stem: string) => Sink,
): Promise<Dealt[]> => {
  const dealt = targets.map((one) => ({ ...one, sink: openSink(one.stem) }));
  try {
    let before = -1;
    for await (const line of linesOf(spoolFile)) {
      const tab = line.indexOf('\t');
      const unit = Number(line.slice(0, tab));
      const json = line.slice(tab + 1);
      for (const one of dealt) {
        if (!one.holds(unit)) continue;
        await one.sink.push(json);
        one.rows++;
        one.bytes += Buffer.byteLength(json) + 1;
        if (unit !== before) one.rollouts++;
      }
      before = unit;
    }
    const files: string[][] = [];
    for (const { sink } of dealt) files.push(await sink.close());
    return dealt.map(({ sink: _, ...one }, n) => ({ ...one, files: files[n] ?? [] }));
  } catch (thrown) {
    for (const { sink } of dealt) sink.abandon();
    throw thrown;
  }
};
