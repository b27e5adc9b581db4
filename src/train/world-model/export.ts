/** World-model rows as a dataset folder: rows are spooled once, then dealt, since sides are known when all groups are. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { close, jsonLine, opened, push } from '../sft/lines.js';
import { type FileFormat, type Side, SPLITS, writeTable } from '../tables/files.js';
import type { Row } from '../tables/shape.js';
import { type WorldCardFacts, worldCard } from './card.js';
import { COLUMNS } from './row.js';
import { type LeftOut, placing, type SplitBy } from './select.js';

export interface WorldItem {
  row: Row;
  group: string;
  /** Of the history's calls and its own. */
  services: readonly string[];
}

export interface WorldExportOptions {
  out: string;
  file: FileFormat;
  split: { by: SplitBy; validation: number; seed: string };
  licence: string;
  version: string;
  /** What was asked for, in words, for the card. */
  asked: readonly string[];
}

/** Counted while the items are drawn. */
export interface WorldCounts {
  leftOut: Map<LeftOut, number>;
  answersDiffer: number;
}

export interface WorldReport {
  rows: number;
  splits: Record<Side, { rows: number; groups: number }>;
  errors: number;
  leftOut: Partial<Record<LeftOut, number>>;
  answersDiffer: number;
  files: string[];
}

const bump = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** Same items and options: same bytes. Throws `cannot_write` and what the items throw; an earlier export stays whole then. */
export const exportWorld = async (
  items: AsyncIterable<WorldItem> | Iterable<WorldItem>,
  counts: WorldCounts,
  options: WorldExportOptions,
): Promise<WorldReport> => {
  const { out, file, split } = options;
  const groups = new Map<string, number>();
  const sided = { train: new Set<string>(), validation: new Set<string>() };
  const by = {
    service: new Map<string, number>(),
    world: new Map<string, number>(),
    source: new Map<string, number>(),
  };
  let errors = 0;
  const facts = (): WorldCardFacts => ({
    ...options,
    groups: { train: [...sided.train].sort(), validation: [...sided.validation].sort() },
    ...by,
    errors,
    ...counts,
  });
  const written = await writeTable(
    { out, columns: COLUMNS, format: file, card: (done) => worldCard(facts(), done) },
    async (give, scratch) => {
      const spoolFile = join(scratch, 'spool');
      const spool = opened(spoolFile);
      for await (const { row, group, services } of items) {
        bump(groups, group);
        await push(spool, `${jsonLine([group, services, row])}\n`);
      }
      await close(spool);
      const { sideOf } = placing(split.by, groups, split.validation, split.seed);
      for await (const line of createInterface({ input: createReadStream(spoolFile), crlfDelay: Infinity })) {
        const [group, services, row] = JSON.parse(line) as [string, string[], Row];
        const side = sideOf(group, services);
        if (side === 'held_out_in_history') {
          bump(counts.leftOut, side);
          continue;
        }
        sided[side].add(group);
        bump(by.service, String(row.service || 'unknown tool'));
        bump(by.world, String(row.world));
        bump(by.source, String(row.producer));
        if (row.ok !== true) errors++;
        await give(side, row);
      }
    },
  );
  return {
    rows: written.rows.train + written.rows.validation,
    splits: Object.fromEntries(
      SPLITS.map((side) => [side, { rows: written.rows[side], groups: sided[side].size }]),
    ) as WorldReport['splits'],
    errors,
    leftOut: Object.fromEntries(counts.leftOut),
    answersDiffer: counts.answersDiffer,
    files: written.files,
  };
};
