/** Writes verified rollouts as a Hugging Face dataset folder. Rows stream through a spool file: memory holds counts, not rows. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { formatOf } from '../formats/registry.js';
import { type CardFacts, datasetCard, type SplitCount } from './card.js';
import type { Exclusion } from './exclude.js';
import { close, opened } from './lines.js';
import type { ExportItem } from './row.js';
import { type Split, splitLineages } from './split.js';
import { deal, spool } from './spool.js';

export interface SftOptions {
  /** The folder; it is made. Files of an earlier export there are replaced once the new ones are whole. */
  out: string;
  /** A name of the registry (`treadle`, `openai`, `sharegpt`, `hermes`). */
  format?: string;
  split?: { validation: number; seed: string };
  /** False: failed rollouts are exported too, marked by their verdict. */
  onlyPassing?: boolean;
  title?: string;
  licence?: string;
}

export interface SftReport {
  rows: number;
  splits: Record<Split, SplitCount>;
  excluded: Partial<Record<Exclusion, number>>;
  files: string[];
}

const cannotWrite = (out: string, cause: unknown): TreadleError =>
  new TreadleError({
    code: 'cannot_write',
    message: `The rows cannot be written (${(cause as { code?: string }).code ?? (cause as Error).message})`,
    value: out,
    next: 'Free some space or choose another folder; what was there before is unchanged.',
    fault: 'infrastructure',
    cause,
  });

/**
 * Writes `README.md`, `data/train.jsonl` and (where there are two lineages or more) `data/validation.jsonl` under `out`. Same
 * items, seed and format: same bytes. Throws `unknown_format`, `cannot_write`; an earlier export stays whole when this one fails.
 */
export const exportSft = async (
  items: AsyncIterable<ExportItem> | Iterable<ExportItem>,
  options: SftOptions,
): Promise<SftReport> => {
  const {
    out,
    split = { validation: 0.1, seed: '0' },
    onlyPassing = true,
    title = 'Treadle rollouts',
    licence = 'other',
  } = options;
  const format = formatOf(options.format ?? 'treadle');
  const scratch = join(out, '.unfinished');
  const itemError: { thrown?: unknown } = {};
  // A defect of the items is the caller's to see, not a trouble with writing.
  const watched = async function* (): AsyncGenerator<ExportItem> {
    try {
      yield* items;
    } catch (thrown) {
      itemError.thrown = thrown;
      throw thrown;
    }
  };
  try {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    mkdirSync(join(out, 'data'), { recursive: true });
    const spoolFile = join(scratch, 'spool');
    const writing = opened(spoolFile);
    const spooled = await spool(watched(), writing, format, onlyPassing);
    await close(writing);
    const files = {
      train: opened(join(scratch, 'train.jsonl')),
      validation: opened(join(scratch, 'validation.jsonl')),
    };
    const splits = await deal(spoolFile, splitLineages(spooled.lineages, split.validation, split.seed), files);
    await Promise.all([close(files.train), close(files.validation)]);
    const facts: CardFacts = { title, licence, format, seed: split.seed, onlyPassing, splits, ...spooled };
    writeFileSync(join(scratch, 'README.md'), datasetCard(facts));
    return {
      rows: splits.train.rows + splits.validation.rows,
      splits,
      excluded: Object.fromEntries(spooled.excluded),
      files: moveInto(out, scratch, splits),
    };
  } catch (thrown) {
    if (thrown instanceof TreadleError || thrown === itemError.thrown) throw thrown;
    throw cannotWrite(out, thrown);
  } finally {
    if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
  }
};

/** Puts the finished files in place; a split without rows has no file, since loaders stumble over empty ones. */
const moveInto = (out: string, scratch: string, splits: Record<Split, SplitCount>): string[] => {
  const files: string[] = [];
  for (const split of ['train', 'validation'] as const) {
    const path = join('data', `${split}.jsonl`);
    if (splits[split].rows === 0) rmSync(join(out, path), { force: true });
    else {
      renameSync(join(scratch, `${split}.jsonl`), join(out, path));
      files.push(path);
    }
  }
  renameSync(join(scratch, 'README.md'), join(out, 'README.md'));
  return ['README.md', ...files];
};
