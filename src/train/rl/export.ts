/** Task rows for a trainer of reinforcement learning, one a task, as a dataset folder. */

import { splitLineages } from '../sft/split.js';
import { type FileFormat, type Side, SPLITS, writeTable } from '../tables/files.js';
import { type RlCardFacts, rlCard } from './card.js';
import type { RlFormat } from './formats/format.js';
import type { RlItem, RlView } from './item.js';
import type { LeftOut } from './select.js';

export interface RlExportOptions {
  out: string;
  format: RlFormat;
  file: FileFormat;
  server: string;
  agent: string;
  view: RlView;
  isPinned: boolean;
  split: { validation: number; seed: string };
  licence: string;
  /** How tasks were chosen, in words, for the card. */
  chosen: readonly string[];
  version: string;
}

/** The tasks that were chosen: how many there are of each lineage, and then the items themselves, in the same order each time. */
export interface RlSource {
  lineages: ReadonlyMap<string, number>;
  leftOut: ReadonlyMap<LeftOut, number>;
  items(): Iterable<RlItem>;
}

export interface RlReport {
  rows: number;
  splits: Record<Side, { rows: number; lineages: number }>;
  leftOut: Partial<Record<LeftOut, number>>;
  files: string[];
}

const bump = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** Same tasks, seed and options: same bytes. Throws `cannot_write`; an earlier export stays whole when this one fails. */
export const exportRl = async (source: RlSource, options: RlExportOptions): Promise<RlReport> => {
  const { out, format, file, server, agent, split } = options;
  const sides = splitLineages(source.lineages, split.validation, split.seed);
  const lineages = { train: new Set<string>(), validation: new Set<string>() };
  const kinds = new Map<string, number>();
  const worlds = new Map<string, number>();
  const scenarios = new Map<string, number>();
  const facts = (): RlCardFacts => ({
    ...options,
    seed: split.seed,
    lineages: { train: lineages.train.size, validation: lineages.validation.size },
    kinds,
    worlds,
    scenarios,
    leftOut: source.leftOut,
  });
  const written = await writeTable(
    { out, columns: format.columns, format: file, beside: format.beside, card: (done) => rlCard(facts(), done) },
    async (give) => {
      const next: Record<Side, number> = { train: 0, validation: 0 };
      for (const item of source.items()) {
        const side = sides.get(item.lineage) ?? 'train';
        lineages[side].add(item.lineage);
        bump(kinds, item.kind === 'composed' ? `composed ${item.profile}`.trim() : item.kind);
        bump(worlds, item.world);
        if (item.scenario) bump(scenarios, item.scenario.sources);
        await give(side, format.row(item, { split: side, index: next[side]++, server, agent }));
      }
    },
  );
  return {
    rows: written.rows.train + written.rows.validation,
    splits: Object.fromEntries(
      SPLITS.map((side) => [side, { rows: written.rows[side], lineages: lineages[side].size }]),
    ) as RlReport['splits'],
    leftOut: Object.fromEntries(source.leftOut),
    files: written.files,
  };
};
