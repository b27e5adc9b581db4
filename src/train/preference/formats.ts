/** What a preference row looks like to those who train on it. */
import type { Json } from '../../kit/hash.js';
import { openai } from '../formats/openai.js';
import { sharegpt } from '../formats/sharegpt.js';
import { plain } from '../formats/treadle.js';
import { withNoticesMerged } from '../sft/notices.js';
import type { RowMessage, SftRow } from '../sft/row.js';
import type { Columns, Row } from '../tables/shape.js';
import type { Pair } from './pair.js';

export interface PairFormat {
  id: string;
  describes: string;
  columns: Columns;
  /** Without `metadata`; undefined where the format cannot tell its words from its own marks. */
  write(pair: Pair): Row | undefined;
}

/** A row of the conversation with one of the replies at its end, for formats of whole conversations. */
const rowWith = ({ prompt, tools }: Pair, reply: RowMessage): SftRow => ({
  messages: [...prompt, reply],
  tools,
  metadata: { negative_from: -1, origin: { from: -1 } } as SftRow['metadata'],
});

const MESSAGES: Columns[string] = { list: 'json' };

const trl: PairFormat = {
  id: 'trl',
  describes:
    '`prompt`, `chosen` and `rejected` as lists of messages, `chosen` and `rejected` of one assistant turn each, and `tools`: TRL’s conversational preference form (DPOTrainer, RewardTrainer).',
  columns: { prompt: MESSAGES, chosen: MESSAGES, rejected: MESSAGES, tools: MESSAGES },
  write: ({ prompt, chosen, rejected, tools }) =>
    ({ prompt: prompt.map(plain), chosen: [plain(chosen)], rejected: [plain(rejected)], tools }) as unknown as Row,
};

const lastOf = (line: Record<string, Json>, column: string): Json[] => line[column] as Json[];

const sharegptPairs: PairFormat = {
  id: 'sharegpt',
  describes:
    '`conversations` up to a `human` or `observation` turn, `chosen` and `rejected` as one turn each, `system`, and `tools` as a JSON string: LLaMA-Factory with `ranking: true`. What a user says behind a result is in the observation.',
  columns: {
    conversations: { list: { fields: { from: 'text', value: 'text' } } },
    chosen: { fields: { from: 'text', value: 'text' } },
    rejected: { fields: { from: 'text', value: 'text' } },
    system: 'text',
    tools: 'text',
  },
  write: (pair) => {
    const rows = [pair.chosen, pair.rejected].map((reply) => rowWith(pair, reply));
    if (rows.some((row) => sharegpt.cannotSay?.(row))) return undefined;
    const [good, bad] = rows.map((row) => sharegpt.write(row)) as [Record<string, Json>, Record<string, Json>];
    const turns = lastOf(good, 'conversations');
    return {
      conversations: turns.slice(0, -1),
      chosen: turns.at(-1) as Json,
      rejected: lastOf(bad, 'conversations').at(-1) as Json,
      system: good.system as Json,
      tools: good.tools as Json,
    };
  },
};

const openaiPairs: PairFormat = {
  id: 'openai',
  describes:
    '`input` with `messages` and `tools`, `preferred_output` and `non_preferred_output` as lists of one message, arguments as JSON text: the preference form of OpenAI’s fine-tuning API.',
  columns: {
    input: { fields: { messages: MESSAGES, tools: MESSAGES } },
    preferred_output: MESSAGES,
    non_preferred_output: MESSAGES,
  },
  write: (pair) => {
    const [good, bad] = [pair.chosen, pair.rejected].map((reply) =>
      lastOf(openai.write(rowWith(pair, reply)), 'messages'),
    ) as [Json[], Json[]];
    return {
      input: { messages: good.slice(0, -1), tools: pair.tools as unknown as Json },
      preferred_output: good.slice(-1),
      non_preferred_output: bad.slice(-1),
    };
  },
};

export const PAIR_FORMATS: Readonly<Record<string, PairFormat>> = Object.fromEntries(
  [trl, sharegptPairs, openaiPairs].map((format) => [format.id, format]),
);

/** The pair with what the user says behind a result in that result. */
export const mergedPair = (pair: Pair): Pair => ({
  ...pair,
  prompt: withNoticesMerged(rowWith(pair, pair.chosen)).messages.slice(0, -1),
});
