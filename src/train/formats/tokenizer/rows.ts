/** Token ids and loss masks: a rollout's own ids where its backend gave them, else those of a tokenizer that was named. */
import type { Tokens } from '../../../artifacts/trace.js';
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import type { Exclusion } from '../../sft/exclude.js';
import type { SftRow } from '../../sft/row.js';
import { METADATA } from '../columns.js';
import type { Line, Made, Shape, Source } from '../shape.js';
import { decode, encode, guardFor, withoutMarks } from './control.js';
import type { TokenizerFolder } from './folder.js';
import { type Manner, mannerOf, rendererOf } from './render.js';
import { type NoSegments, type Piece, segmentsOf } from './segments.js';

export interface NamedTokenizer {
  folder: TokenizerFolder;
  manner: Manner;
  /** The first thing that the template said when it refused a conversation. */
  refusal?: string;
}

export const named = (folder: TokenizerFolder): NamedTokenizer => ({ folder, manner: mannerOf(folder) });

interface Rendered {
  segments: Piece[][];
  mark: string;
  /** Texts of the conversation that would have been taken for control tokens. */
  hits: number;
}

/** The rollout's texts as the tokenizer's template renders them, with marks in them. */
export const renderedOf = (
  by: NamedTokenizer,
  { row, clock }: Pick<Source, 'row' | 'clock'>,
): Rendered | NoSegments => {
  const guard = guardFor(by.folder.control, JSON.stringify([row.messages, row.tools]));
  const { folder, manner } = by;
  const { messages, tools } = guard.guarded({ messages: row.messages, tools: row.tools });
  const roles = messages.map((message, n) => ({ ...message, role: row.messages[n]?.role ?? message.role }));
  const render = rendererOf(folder, manner, { messages: roles, tools, clock });
  const segments = segmentsOf(render, roles, tools, folder.special);
  if (!('refused' in segments)) return { segments, mark: guard.mark, hits: guard.hits };
  if (segments.said !== undefined) by.refusal ??= segments.said.slice(0, 200);
  return segments;
};

interface Ids {
  ids: number[];
  mask: (0 | 1)[];
  /** Index of the message of each id, for telling the failed part of a negative. */
  messages: number[];
}

/** Piece by piece, since a reply begins where its prompt ends; undefined when the ids do not say the text. */
const idsOf = (folder: TokenizerFolder, pieces: readonly Piece[], mark: string): Ids | undefined => {
  const out: Ids = { ids: [], mask: [], messages: [] };
  for (const { text, own, message } of pieces)
    for (const id of encode(folder.tokenizer, text, mark)) {
      out.ids.push(id);
      out.mask.push(own ? 1 : 0);
      out.messages.push(message);
    }
  const text = withoutMarks(pieces.map((piece) => piece.text).join(''), mark);
  return decode(folder.tokenizer, out.ids) === text ? out : undefined;
};

/** Runs of the model's own ids are its replies, in their order. */
const ofTrace = ({ inputIds, mask }: Tokens, row: SftRow): Ids | undefined => {
  const replies = row.messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  const messages: number[] = [];
  let run = -1;
  for (const [at, bit] of mask.entries()) {
    if (bit === 1 && mask[at - 1] !== 1) run++;
    messages.push(replies[Math.max(0, bit === 1 ? run : run + 1)] ?? replies.at(-1) ?? 0);
  }
  return run + 1 === replies.length && inputIds.length === mask.length
    ? { ids: [...inputIds], mask: [...mask], messages }
    : undefined;
};

/** Whether a rollout's own ids are of this vocabulary: they decode to what its assistant said. */
const speaks = ({ folder }: NamedTokenizer, { inputIds, mask }: Tokens, row: SftRow): boolean => {
  try {
    const said = decode(
      folder.tokenizer,
      inputIds.filter((_, at) => mask[at] === 1),
    );
    return row.messages.every(
      ({ role, content, tool_calls = [] }) =>
        role !== 'assistant' ||
        (said.includes(content.trim()) && tool_calls.every((call) => said.includes(call.function.name))),
    );
  } catch {
    return false;
  }
};

const lineOf = (
  { ids, mask, messages }: Ids,
  row: SftRow,
  more: {
    source: 'trace' | 'tokenizer';
    segment: number;
    segments: number;
    negatives: boolean;
    logprobs?: readonly number[];
  },
): Line => {
  const { label, negative_from: from } = row.metadata;
  return {
    input_ids: ids,
    // Nothing of a failed rollout is to be imitated; `negative_mask` says what was its own and wrong.
    loss_mask: label ? mask : mask.map(() => 0),
    ...(more.negatives
      ? { negative_mask: mask.map((bit, at) => (!label && bit === 1 && (messages[at] ?? 0) >= from ? 1 : 0)) }
      : {}),
    logprobs: more.logprobs ? [...more.logprobs] : null,
    source: more.source,
    segment: more.segment,
    segments: more.segments,
    metadata: row.metadata as unknown as Json,
  };
};

export interface TokenOptions {
  tokenizer?: NamedTokenizer;
  /** With a column `negative_mask`. */
  negatives?: boolean;
  /** What becomes of a rollout whose history the template rewrites: a line for each stretch, or none. */
  rewritten: 'split' | 'refuse';
}

const mixedVocabularies = (models: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'mixed_vocabularies',
    message: 'Rollouts have token ids of several models, and ids of one mean nothing to another',
    value: models.join(', '),
    next: `Take those of one with --only model=${models[0]}, or name a tokenizer for all with --tokenizer DIR.`,
  });

export const tokenShape = ({ tokenizer, rewritten, negatives = false }: TokenOptions): Shape => {
  const models = new Set<string>();
  const seen = { trace: 0, tokenizer: 0, guarded: 0, split: 0 };
  const own = (tokens: Tokens, row: SftRow): Made => {
    const ids = ofTrace(tokens, row);
    if (!ids) return { refused: 'does_not_decode' };
    const { producer } = row.metadata;
    models.add(producer.model || producer.name);
    if (!tokenizer && models.size > 1) throw mixedVocabularies([...models]);
    seen.trace++;
    const logprobs = tokens.logprobs ? { logprobs: tokens.logprobs } : {};
    return { lines: [lineOf(ids, row, { source: 'trace', segment: 0, segments: 1, negatives, ...logprobs })] };
  };
  const made = (by: NamedTokenizer, source: Source): Made => {
    const rendered = renderedOf(by, source);
    if ('refused' in rendered) return { refused: rendered.refused };
    const { segments, mark, hits } = rendered;
    if (segments.length > 1 && rewritten === 'refuse') return { refused: 'history_rewritten' };
    const ids = segments.map((pieces) => idsOf(by.folder, pieces, mark));
    if (ids.some((one) => one === undefined)) return { refused: 'does_not_decode' };
    seen.tokenizer++;
    if (hits > 0) seen.guarded++;
    if (segments.length > 1) seen.split++;
    return {
      lines: (ids as Ids[]).map((one, segment) =>
        lineOf(one, source.row, { source: 'tokenizer', segment, segments: segments.length, negatives }),
      ),
    };
  };
  return {
    id: 'tokens',
    describes:
      '`input_ids` and `loss_mask` (1: the assistant wrote it; all 0 in negatives, whose `negative_mask` marks the failed part), `logprobs` where the backend gave them (0 where the mask is 0), `source` (`trace`: ids as the backend gave them; `tokenizer`: rendered and encoded), `segment` of `segments`.',
    columns: {
      input_ids: { list: 'int32' },
      loss_mask: { list: 'int32' },
      ...(negatives ? { negative_mask: { list: 'int32' as const } } : {}),
      logprobs: { list: 'double' },
      source: 'string',
      segment: 'int64',
      segments: 'int64',
      metadata: METADATA,
    },
    lines: (source) => {
      const { tokens, row } = source;
      if (tokens && (!tokenizer || speaks(tokenizer, tokens, row))) return own(tokens, row);
      return tokenizer ? made(tokenizer, source) : { refused: 'no_tokens' };
    },
    notes: () => [
      ...(tokenizer ? tokenizerNotes(tokenizer) : []),
      `${seen.trace} rollouts have the ids that their backend gave, ${seen.tokenizer} were rendered and encoded; those decode to the rendered text. ${seen.guarded} hold text that looks like a control token, encoded as the plain text it is. ${seen.split} are cut into stretches, since the template rewrites their history between turns.`,
    ],
  };
};

export const tokenizerNotes = ({ folder: { hashes }, manner, refusal }: NamedTokenizer): string[] => [
  `Tokenizer: tokenizer.json with SHA-256 \`${hashes.tokenizer}\`, chat template with \`${hashes.template}\` (arguments as ${manner.args}, reasoning ${{ field: 'in its field', content: 'in the content', none: 'not shown: rollouts with reasoning become no rows' }[manner.reasoning]}).`,
  ...(refusal === undefined ? [] : [`The chat template refused conversations, the first with: ${refusal}`]),
];

/** `text` by the tokenizer's own template: one text, or no row, since a text has no mask to say what is history. */
export const templateTextShape = (tokenizer: NamedTokenizer): Shape => ({
  id: 'text',
  describes: '`text`: the whole conversation as the tokenizer’s chat template renders it.',
  columns: { text: 'string', metadata: METADATA },
  lines: (source) => {
    const rendered = renderedOf(tokenizer, source);
    if ('refused' in rendered) return { refused: rendered.refused };
    if (rendered.hits > 0) return { refused: 'control_tokens' };
    if (rendered.segments.length > 1) return { refused: 'history_rewritten' };
    const text = (rendered.segments[0] ?? []).map((piece) => piece.text).join('');
    return { lines: [{ text, metadata: source.row.metadata as unknown as Json }] };
  },
  notes: () => tokenizerNotes(tokenizer),
});

/** Ids of the rollout's longest line, or why there are none: for `--max-tokens` with shapes that have no ids. */
export const lengthBy =
  (tokenizer: NamedTokenizer | undefined) =>
  (source: Source): number | Exclusion => {
    if (source.tokens && (!tokenizer || speaks(tokenizer, source.tokens, source.row)))
      return source.tokens.inputIds.length;
    if (!tokenizer) return 'no_tokens';
    const rendered = renderedOf(tokenizer, source);
    if ('refused' in rendered) return rendered.refused;
    const length = (pieces: readonly Piece[]): number =>
      pieces.reduce((sum, { text }) => sum + encode(tokenizer.folder.tokenizer, text, rendered.mark).length, 0);
    return Math.max(...rendered.segments.map(length));
  };
