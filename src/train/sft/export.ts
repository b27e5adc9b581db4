/** Writes verified rollouts as a Hugging Face dataset folder. Rows stream through a spool file: memory holds counts, not rows. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  renameSync,
  rmSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { TreadleError } from '../../errors.js';
import { formatOf } from '../formats/registry.js';
import { type CardFacts, datasetCard, type SplitCount } from './card.js';
import { type Exclusion, exclusionOf } from './exclude.js';
import { type ExportItem, lineageOf, rowOf, type SftRow } from './row.js';
import { type Split, splitLineages } from './split.js';

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

const bump = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const push = async (file: WriteStream, text: string): Promise<void> => {
  if (!file.write(text)) await once(file, 'drain');
};

interface Spooled {
  lineages: Map<string, number>;
  producers: Map<string, number>;
  worlds: Map<string, number>;
  templates: Map<string, number>;
  excluded: Map<Exclusion, number>;
}

const sayingOf = (row: SftRow): string =>
  createHash('sha256')
    .update(JSON.stringify([row.metadata.task, row.messages]))
    .digest('base64');

const producerName = ({ policy, name }: SftRow['metadata']['producer']): string =>
  policy === name || policy === 'scripted' ? policy : `${policy} ${name}`;

/** Writes every row behind its lineage: `lineage \t row \n`. */
const spool = async (
  items: AsyncIterable<ExportItem> | Iterable<ExportItem>,
  file: WriteStream,
  options: SftOptions,
): Promise<Spooled> => {
  const format = formatOf(options.format ?? 'treadle');
  const out: Spooled = {
    lineages: new Map(),
    producers: new Map(),
    worlds: new Map(),
    templates: new Map(),
    excluded: new Map(),
  };
  const said = new Set<string>();
  for await (const item of items) {
    const exclusion = exclusionOf(item, options.onlyPassing ?? true);
    if (exclusion) {
      bump(out.excluded, exclusion);
      continue;
    }
    const row = rowOf(item);
    const saying = sayingOf(row);
    if (said.has(saying)) {
      bump(out.excluded, 'duplicate');
      continue;
    }
    said.add(saying);
    const lineage = lineageOf(item.task);
    bump(out.lineages, lineage);
    bump(out.producers, producerName(row.metadata.producer));
    bump(out.worlds, row.metadata.world_id);
    bump(out.templates, row.metadata.lineage.template);
    await push(file, `${JSON.stringify(lineage)}\t${JSON.stringify(format.write(row))}\n`);
  }
  return out;
};

const deal = async (
  spoolFile: string,
  sides: ReadonlyMap<string, Split>,
  files: Record<Split, WriteStream>,
): Promise<Record<Split, SplitCount>> => {
  const counts: Record<Split, SplitCount> = {
    train: { rows: 0, bytes: 0, lineages: 0 },
    validation: { rows: 0, bytes: 0, lineages: 0 },
  };
  for (const side of sides.values()) counts[side].lineages++;
  for await (const line of createInterface({
    input: createReadStream(spoolFile),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const tab = line.indexOf('\t');
    const side = sides.get(JSON.parse(line.slice(0, tab)) as string) ?? 'train';
    const row = `${line.slice(tab + 1)}\n`;
    counts[side].rows++;
    counts[side].bytes += Buffer.byteLength(row);
    await push(files[side], row);
  }
  return counts;
};

const close = async (file: WriteStream): Promise<void> => {
  file.end();
  await finished(file);
};

const opened = (path: string): WriteStream => {
  const file = createWriteStream(path);
  // The error reaches the caller through the next write or the close; without a listener it would end the process.
  file.on('error', () => undefined);
  return file;
};

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
    const spooled = await spool(watched(), writing, options);
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
    rmSync(scratch, { recursive: true, force: true });
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
