/** Preference pairs as a dataset folder: spooled once, then dealt, since sides are known when all lineages are. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { close, jsonLine, opened, push } from '../sft/lines.js';
import type { RowProducer } from '../sft/row.js';
import { splitLineages } from '../sft/split.js';
import { type FileFormat, type Side, SPLITS, writeTable } from '../tables/files.js';
import type { Columns, Row } from '../tables/shape.js';
import { type PairCardFacts, pairCard } from './card.js';
import { mergedPair, type PairFormat } from './formats.js';
import type { NoPair, Pair } from './pair.js';

export interface PairItem {
  pair: Pair;
  lineage: string;
  /** Of whom the two replies are, for the card: `reference over stale`. */
  who: string;
  metadata: Row;
}

/** Besides what makes no pair: what the wanted row cannot be. */
export type LeftOut = NoPair | 'duplicate' | 'not_expressible' | 'other_source';

export interface PairOptions {
  out: string;
  format: PairFormat;
  file: FileFormat;
  /** What a user says behind a result goes into it. */
  mergesNotices: boolean;
  split: { validation: number; seed: string };
  licence: string;
  version: string;
  asked: readonly string[];
}

export interface PairReport {
  rows: number;
  splits: Record<Side, { rows: number; lineages: number }>;
  /** Rows by who is preferred to whom, and by the sources of the events before them. */
  who: Record<string, number>;
  sources: Record<string, number>;
  leftOut: Partial<Record<LeftOut, number>>;
  files: string[];
}

const SIDE: Columns = { trace_id: 'text', policy: 'text', name: 'text', model: 'text', by: 'text' };

export const METADATA: Columns[string] = {
  fields: {
    scenario: 'text',
    scenario_hash: 'text',
    task_id: 'text',
    task: 'text',
    world_id: 'text',
    world: 'text',
    lineage: 'text',
    user: 'text',
    detail: 'text',
    fired: 'text',
    sources: 'text',
    chosen: { fields: SIDE },
    rejected: { fields: { ...SIDE, failed: 'text' } },
  },
};

export const sideOf = (trace: string, by: string, { policy, name, model }: RowProducer): Row => ({
  trace_id: trace,
  policy,
  name,
  model,
  by,
});

export const bump = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** Same items and options: same bytes. Throws `cannot_write` and what the items throw; an earlier export stays whole then. */
export const exportPairs = async (
  items: Iterable<PairItem>,
  leftOut: Map<LeftOut, number>,
  options: PairOptions,
): Promise<PairReport> => {
  const { out, format, file, mergesNotices, split } = options;
  const rowsOf = new Map<string, number>();
  const [who, sources] = [new Map<string, number>(), new Map<string, number>()];
  const lineages = { train: new Set<string>(), validation: new Set<string>() };
  const facts = (): PairCardFacts => ({
    ...options,
    lineages: { train: lineages.train.size, validation: lineages.validation.size },
    who,
    sources,
    leftOut,
  });
  const seen = new Set<string>();
  const written = await writeTable(
    { out, columns: { ...format.columns, metadata: METADATA }, format: file, card: (done) => pairCard(facts(), done) },
    async (give, scratch) => {
      const path = join(scratch, 'spool');
      const spool = opened(path);
      for (const { pair, lineage, who: whose, metadata } of items) {
        const row = format.write(mergesNotices ? mergedPair(pair) : pair);
        if (!row) {
          bump(leftOut, 'not_expressible');
          continue;
        }
        const saying = jsonLine(row);
        if (seen.has(saying)) {
          bump(leftOut, 'duplicate');
          continue;
        }
        seen.add(saying);
        bump(rowsOf, lineage);
        bump(who, whose);
        bump(sources, pair.sources.join('+'));
        await push(spool, `${jsonLine([lineage, { ...row, metadata }])}\n`);
      }
      await close(spool);
      const sides = splitLineages(rowsOf, split.validation, split.seed);
      for await (const line of createInterface({
        input: createReadStream(path),
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        const [lineage, row] = JSON.parse(line) as [string, Row];
        const side = sides.get(lineage) ?? 'train';
        lineages[side].add(lineage);
        await give(side, row);
      }
    },
  );
  return {
    rows: written.rows.train + written.rows.validation,
    splits: Object.fromEntries(
      SPLITS.map((side) => [side, { rows: written.rows[side], lineages: lineages[side].size }]),
    ) as PairReport['splits'],
    who: Object.fromEntries(who),
    sources: Object.fromEntries(sources),
    leftOut: Object.fromEntries(leftOut),
    files: written.files,
  };
};
