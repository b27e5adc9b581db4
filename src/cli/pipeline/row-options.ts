/** What `treadle export` can be told about rows: its options, and what they mean to the exporter. */
import { type Command, Option } from 'commander';
import { EVENT_SOURCES } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import type { Shape } from '../../train/formats/shape.js';
import { SHAPES, shapeOf } from '../../train/formats/shapes.js';
import { withTextColumns } from '../../train/formats/text-columns.js';
import { readTokenizer } from '../../train/formats/tokenizer/folder.js';
import { lengthBy, named, templateTextShape, tokenShape } from '../../train/formats/tokenizer/rows.js';
import { FACETS, type Facet } from '../../train/sft/facets.js';
import { FILE_KINDS, type FileKind } from '../../train/sft/files/sink.js';
import type { Filters } from '../../train/sft/filters.js';
import { type ArmSpec, armSpecOf, sizesOf } from '../../train/sft/mix/spec.js';
import { shortText, wholeNumber } from '../arguments.js';
import { ownVersion } from '../version.js';
import type { RowOptions } from './rows.js';

export interface RowCliOptions {
  format: string;
  file: FileKind;
  shardMb: number;
  tools: 'objects' | 'text';
  all?: boolean;
  includeNegatives?: boolean;
  only: Partial<Record<Facet, string[]>>;
  source?: string[];
  withoutSource?: string[];
  maxChars?: number;
  maxTurns?: number;
  maxTokens?: number;
  notices: 'keep' | 'merge';
  dedup: NonNullable<Filters['dedup']>;
  mix: ArmSpec[];
  sizes?: number[];
  sameTasks?: boolean;
  tokenizer?: string;
  rewritten: 'split' | 'refuse';
  licence?: string;
  modelLicence: Record<string, string>;
}

type LengthOf = ReturnType<typeof lengthBy>;

const badOption = (message: string, value: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_option', message, value: value.slice(0, 80), next });

const readOnly = (text: string, before: Partial<Record<Facet, string[]>>): Partial<Record<Facet, string[]>> => {
  const at = text.indexOf('=');
  const facet = text.slice(0, Math.max(0, at)).trim() as Facet;
  const values = text
    .slice(at + 1)
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean);
  if (!FACETS.includes(facet) || values.length === 0)
    throw badOption(
      '--only takes a facet and its values',
      text,
      `Give for example --only policy=model,harness; the facets are ${FACETS.join(', ')}.`,
    );
  return { ...before, [facet]: [...(before[facet] ?? []), ...values] };
};

/** `flag` takes sources of events between commas. */
export const sourceOption = (flag: string, says: string): Option =>
  new Option(`${flag} <list>`, says).argParser((text: string): string[] => {
    const named = text.split(',').map((part) => part.trim());
    const stray = named.find((name) => !(EVENT_SOURCES as readonly string[]).includes(name));
    if (stray === undefined) return named;
    throw badOption(`${flag} takes sources of events between commas`, stray, `They are ${EVENT_SOURCES.join(', ')}.`);
  });

export const noticesOption = (): Option =>
  new Option(
    '--notices <how>',
    "merge: what a user says behind a tool's result goes into that result, for chat templates that refuse it there",
  )
    .choices(['keep', 'merge'])
    .default('keep');

const readLicence = (text: string, before: Record<string, string>): Record<string, string> => {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1)
    throw badOption(
      '--model-licence takes a model and its licence',
      text,
      'Give for example --model-licence m1=apache-2.0.',
    );
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
};

export const addRowOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <name>', 'shape of a row').choices([...Object.keys(SHAPES), 'tokens']).default('treadle'),
    )
    .addOption(new Option('--file <kind>', 'kind of the files').choices([...FILE_KINDS]).default('jsonl'))
    .addOption(
      new Option('--shard-mb <n>', 'Parquet: megabytes of JSON after which the next file begins')
        .default(500)
        .argParser(wholeNumber('--shard-mb', 100_000)),
    )
    .addOption(
      new Option('--tools <form>', 'text: tools and arguments as JSON texts, for `datasets` older than 4.7')
        .choices(['objects', 'text'])
        .default('objects'),
    )
    .option('--include-negatives', 'failed rollouts and dropped attempts too, marked by `label`')
    .option('--all', 'the same as --include-negatives')
    .addOption(
      new Option('--only <facet=values>', `only rows of these, by ${FACETS.join(', ')}; may be given several times`)
        .default({}, 'all')
        .argParser(readOnly),
    )
    .addOption(sourceOption('--source', 'only rollouts in which an event of one of these sources fired'))
    .addOption(sourceOption('--without-source', 'only rollouts in which no event of these sources fired'))
    .addOption(
      new Option('--max-chars <n>', 'longest conversation, in characters').argParser(
        wholeNumber('--max-chars', 1_000_000_000),
      ),
    )
    .addOption(new Option('--max-turns <n>', 'most assistant turns').argParser(wholeNumber('--max-turns', 1_000_000)))
    .addOption(
      new Option('--max-tokens <n>', 'most token ids, by --tokenizer or as the backend gave them').argParser(
        wholeNumber('--max-tokens', 1_000_000_000),
      ),
    )
    .addOption(
      new Option(
        '--tokenizer <dir>',
        'folder with tokenizer.json and a chat template, for --format tokens and text, and for --max-tokens',
      ).argParser(shortText('--tokenizer', 'models/m1')),
    )
    .addOption(
      new Option('--rewritten <how>', 'tokens: split or refuse a rollout whose history the chat template rewrites')
        .choices(['split', 'refuse'])
        .default('split'),
    )
    .addOption(noticesOption())
    .addOption(
      new Option('--dedup <how>', 'exact: the same task and messages; near: nearly the same words too')
        .choices(['none', 'exact', 'near'])
        .default('exact'),
    )
    .addOption(
      new Option(
        '--mix <arm>',
        'subsets for ablations: user=none:0.5,simulated:0.5, by=profile or by=source; several times',
      )
        .default([], 'none')
        .argParser((text: string, before: ArmSpec[]) => [...before, armSpecOf(text)]),
    )
    .addOption(new Option('--sizes <list>', 'rollouts of the nested subsets, such as 100,1000').argParser(sizesOf))
    .option('--same-tasks', 'subsets draw only from tasks that have rows of every value')
    .option('--licence <name>', "the dataset card's licence")
    .addOption(
      new Option('--model-licence <model=licence>', 'licence or terms of what a model wrote; several times')
        .default({}, 'not stated')
        .argParser(readLicence),
    );

const mixOf = ({ mix, sizes, sameTasks }: RowCliOptions): Pick<RowOptions, 'mix'> => {
  if (mix.length > 0) return { mix: { arms: mix, ...(sizes ? { sizes } : {}), ...(sameTasks ? { sameTasks } : {}) } };
  if (sizes || sameTasks)
    throw badOption('--sizes and --same-tasks are of subsets', sizes?.join(',') ?? '', 'Say which with --mix by=user.');
  return {};
};

/** The shape, and how long a rollout is in token ids where the shape holds none. */
const shapeFor = (options: RowCliOptions, negatives: boolean): { shape: Shape; lengthOf?: LengthOf } => {
  const { format, tokenizer: dir, tools, maxTokens, rewritten } = options;
  if (dir !== undefined && format !== 'tokens' && format !== 'text' && maxTokens === undefined)
    throw badOption(
      '--tokenizer is for --format tokens, --format text and --max-tokens',
      `--format ${format}`,
      'Ask for one of them, or leave --tokenizer out: the trainer renders these rows itself.',
    );
  const tokenizer = dir === undefined ? undefined : named(readTokenizer(dir));
  if (format === 'tokens') return { shape: tokenShape({ ...(tokenizer ? { tokenizer } : {}), rewritten, negatives }) };
  const shape = format === 'text' && tokenizer ? templateTextShape(tokenizer) : shapeOf(format);
  return {
    shape: tools === 'text' ? withTextColumns(shape) : shape,
    ...(maxTokens === undefined ? {} : { lengthOf: lengthBy(tokenizer) }),
  };
};

/** Throws `bad_option` for what does not go together. */
export const rowOptionsOf = (options: RowCliOptions): Omit<RowOptions, 'out' | 'seed'> => {
  const { file, shardMb, only, source, withoutSource, maxChars, maxTurns, maxTokens, dedup } = options;
  const negatives = options.all === true || options.includeNegatives === true;
  const { shape, lengthOf } = shapeFor(options, negatives);
  return {
    format: shape,
    file: { kind: file, shardBytes: shardMb * 1_000_000 },
    negatives,
    filters: {
      only,
      dedup,
      ...(source ? { sources: source } : {}),
      ...(withoutSource ? { withoutSources: withoutSource } : {}),
      ...(maxChars === undefined ? {} : { maxChars }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(lengthOf ? { lengthOf } : {}),
    },
    ...(options.notices === 'merge' ? { mergesNotices: true } : {}),
    ...mixOf(options),
    card: {
      versions: [`Treadle ${ownVersion()}`],
      modelLicences: options.modelLicence,
      ...(options.licence ? { licence: options.licence } : {}),
    },
  };
};
