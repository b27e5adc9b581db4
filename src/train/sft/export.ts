/** Rollouts as a dataset folder: `data/`, README.md. Two passes, since a split needs all lineages and an arm all rollouts. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { labelled, type Shape } from '../formats/shape.js';
import { shapeOf } from '../formats/shapes.js';
import { type CardFacts, type Config, datasetCard } from './card.js';
import { armTargets, type Dealt, deal, sidesOf, splitTargets } from './deal.js';
import type { Exclusion } from './exclude.js';
import { jsonlSink } from './files/jsonl.js';
import { parquetSink } from './files/parquet.js';
import type { FileKind, Sink } from './files/sink.js';
import { type Filters, filterWords } from './filters.js';
import { close, opened } from './lines.js';
import { armsOf } from './mix/arms.js';
import type { MixSpec } from './mix/spec.js';
import { endScratch, putInPlace, startScratch } from './place.js';
import { type ExportItem, SFT_SCHEMA } from './row.js';
import type { Split } from './split.js';
import { type Spooled, type SpoolOptions, spool } from './spool.js';
import { bump } from './tally.js';

/** What the card says beyond counts. */
export interface CardOptions {
  title?: string;
  licence?: string;
  modelLicences?: Readonly<Record<string, string>>;
  /** Lines such as "Treadle 0.1.0". */
  versions?: readonly string[];
  /** Rollouts that the items' maker left out, by reason; read when all items are. */
  leftOut?: ReadonlyMap<Exclusion, number>;
}

export interface SftOptions {
  /** The folder; it is made. An earlier export there is replaced once the new one is whole, and stays where no row is left. */
  out: string;
  /** A name (`treadle`, `openai`, `sharegpt`, `hermes`, `qwen-xml`, `prompt-completion`, `text`) or a shape. */
  format?: string | Shape;
  file?: { kind: FileKind; shardBytes?: number };
  split?: { validation: number; seed: string };
  /** False: failed rollouts and dropped attempts are exported too, marked by `label`. */
  onlyPassing?: boolean;
  filters?: Filters & Pick<SpoolOptions, 'lengthOf'>;
  mix?: MixSpec;
  /** What a user says right behind a tool's result goes into that result. */
  mergesNotices?: boolean;
  card?: CardOptions;
}

export interface SplitCount {
  rows: number;
  bytes: number;
  lineages: number;
}

export interface SftReport {
  rows: number;
  splits: Record<Split, SplitCount>;
  /** Subsets for ablations, by configuration. */
  subsets?: Record<string, { rollouts: number; rows: number }>;
  excluded: Partial<Record<Exclusion, number>>;
  /** What the shape has to say of its rows: which tokenizer, what its template refused. */
  notes?: string[];
  files: string[];
}

const SHARD_BYTES = 500_000_000;
/** Of JSON that waits in row groups, over all files that are written at once. */
const WAITING_BYTES = 64_000_000;

const cannotWrite = (out: string, cause: unknown): TreadleError =>
  new TreadleError({
    code: 'cannot_write',
    message: `The rows cannot be written (${(cause as { code?: string }).code ?? (cause as Error).message})`,
    value: out,
    next: 'Free some space or choose another folder; what was there before is unchanged.',
    fault: 'infrastructure',
    cause,
  });

const configsOf = (
  dealt: readonly Dealt[],
  arms: readonly { name: string; says: string; sizes: number[] }[],
): Config[] => {
  const [train, validation, ...parts] = dealt as [Dealt, Dealt, ...Dealt[]];
  const configs: Config[] = [{ name: 'default', says: 'everything', train: [train], validation }];
  let at = 0;
  for (const { name, says, sizes } of arms) {
    const own = parts.slice(at, at + sizes.length);
    at += sizes.length;
    for (const [n, size] of sizes.entries())
      configs.push({ name: `${name}_${size}`, says, train: own.slice(0, n + 1), validation });
  }
  return configs;
};

const notesOf = (shape: Shape): { notes?: string[] } => (shape.notes ? { notes: shape.notes() } : {});

/** The folder's new contents in `scratch/new`. */
const writeNew = async (
  { tally, units }: Spooled,
  scratch: string,
  shape: Shape,
  options: SftOptions,
): Promise<{ report: SftReport; facts: Omit<CardFacts, 'versions'> }> => {
  const { split = { validation: 0.1, seed: '0' }, mix, file, card = {}, onlyPassing = true, filters = {} } = options;
  const sides = sidesOf(units, split.validation, split.seed);
  const pool = units.flatMap((_, n) => (sides[n] === 'train' ? [n] : []));
  const mixed = mix ? armsOf(units, pool, mix, split.seed) : { arms: [], sizes: [] };
  const targets = [...splitTargets(sides), ...mixed.arms.flatMap((arm) => armTargets(arm, mixed.sizes))];
  const root = join(scratch, 'new');
  const limits = {
    shardBytes: file?.shardBytes ?? SHARD_BYTES,
    groupBytes: Math.max(1_000_000, Math.floor(WAITING_BYTES / 4 / targets.length)),
  };
  const openSink = (stem: string): Sink =>
    file?.kind === 'parquet' ? parquetSink(root, stem, shape.columns, limits) : jsonlSink(root, stem);
  const dealt = await deal(join(scratch, 'spool'), targets, openSink);
  rmSync(join(scratch, 'spool'));
  const lineages = (side: Split): number =>
    new Set(units.flatMap(({ lineage }, n) => (sides[n] === side ? [lineage] : []))).size;
  const [train, validation] = dealt as [Dealt, Dealt];
  const configs = configsOf(
    dealt,
    mixed.arms.map(({ name, says }) => ({ name, says, sizes: mixed.sizes })),
  );
  const counts = ({ rows, bytes }: Dealt, side: Split): SplitCount => ({ rows, bytes, lineages: lineages(side) });
  for (const [why, n] of card.leftOut ?? []) bump(tally.excluded, why, n);
  const rowsOf = (parts: readonly Dealt[], key: 'rows' | 'rollouts'): number =>
    parts.reduce((total, part) => total + part[key], 0);
  return {
    report: {
      rows: train.rows + validation.rows,
      splits: { train: counts(train, 'train'), validation: counts(validation, 'validation') },
      ...(mix
        ? {
            subsets: Object.fromEntries(
              configs
                .slice(1)
                .map(({ name, train: parts }) => [
                  name,
                  { rollouts: rowsOf(parts, 'rollouts'), rows: rowsOf(parts, 'rows') },
                ]),
            ),
          }
        : {}),
      excluded: Object.fromEntries(tally.excluded),
      ...notesOf(shape),
      files: ['README.md', ...dealt.flatMap(({ files }) => files)],
    },
    facts: {
      title: card.title ?? 'Treadle rollouts',
      licence: card.licence ?? 'other',
      modelLicences: card.modelLicences ?? {},
      shape,
      seed: split.seed,
      onlyPassing,
      filters: [
        onlyPassing ? 'only what its verifier passed' : 'failed ones too, marked',
        ...filterWords(filters),
        ...(options.mergesNotices
          ? ['what a user says behind a tool’s result is in that result, behind `[Message from the user]`']
          : []),
      ],
      notes: shape.notes?.() ?? [],
      lineages: { train: lineages('train'), validation: lineages('validation') },
      configs,
      tally,
    },
  };
};

/**
 * Writes `README.md` and `data/`, of which `validation` is there where there are two lineages or more. Same items and options: same
 * bytes. Where no row is left nothing is written. Throws `unknown_format`, `bad_option`, `mix_too_small`, `cannot_write`; an earlier
 * export stays whole when this one fails.
 */
export const exportSft = async (
  items: AsyncIterable<ExportItem> | Iterable<ExportItem>,
  options: SftOptions,
): Promise<SftReport> => {
  const { out, onlyPassing = true, filters = {}, card = {} } = options;
  const { lengthOf, ...wanted } = filters;
  const named = typeof options.format === 'object' ? options.format : shapeOf(options.format ?? 'treadle');
  const shape = onlyPassing ? named : labelled(named);
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
    const scratch = startScratch(out);
    const writing = opened(join(scratch, 'spool'));
    const spooled = await spool(watched(), writing, {
      shape,
      onlyPassing,
      filters: wanted,
      ...(options.mergesNotices ? { mergesNotices: true } : {}),
      ...(lengthOf ? { lengthOf } : {}),
    });
    await close(writing);
    if (spooled.units.length === 0) return nothing(spooled, shape, card);
    const { report, facts } = await writeNew(spooled, scratch, shape, options);
    const corpus = sha256([...spooled.tally.sources].sort().join('\n'));
    const versions = [
      ...(card.versions ?? []),
      `rows ${SFT_SCHEMA}, traces trace/1`,
      `${spooled.tally.worlds.size} worlds and ${new Set(spooled.units.map(({ task }) => task)).size} tasks, whose addresses (sorted, a line each) have the SHA-256 \`${corpus}\``,
    ];
    writeFileSync(join(scratch, 'new', 'README.md'), datasetCard({ ...facts, versions }));
    putInPlace(out);
    return report;
  } catch (thrown) {
    if (thrown instanceof TreadleError || thrown === itemError.thrown) throw thrown;
    throw cannotWrite(out, thrown);
  } finally {
    endScratch(out);
  }
};

/** No row is left: an earlier export is worth more than an empty one. */
const nothing = ({ tally }: Spooled, shape: Shape, { leftOut }: CardOptions): SftReport => {
  for (const [why, n] of leftOut ?? []) bump(tally.excluded, why, n);
  const none = { rows: 0, bytes: 0, lineages: 0 };
  return {
    rows: 0,
    splits: { train: none, validation: { ...none } },
    excluded: Object.fromEntries(tally.excluded),
    ...notesOf(shape),
    files: [],
  };
};
