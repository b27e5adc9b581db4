/** A chat template applied to a conversation, and what the template can show: found out by trying it on a small one. */
import { Environment, Interpreter, Template } from '@huggingface/jinja';
import type { Json } from '../../../kit/hash.js';
import type { RowCall, RowMessage, RowTool } from '../../sft/row.js';
import type { TokenizerFolder } from './folder.js';

/** How the template wants things; `none`: it leaves them out. */
export interface Manner {
  args: 'objects' | 'texts';
  /** `content`: only as `<think>` inside the content. */
  reasoning: 'field' | 'content' | 'none';
}

export interface Conversation {
  messages: readonly RowMessage[];
  tools: readonly RowTool[];
  /** Unix seconds: the day that a template is told. */
  clock: number;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Python's strftime in UTC, as far as templates use it. The library's own reads the wall clock. */
const strftime = (clock: number, format: string): string => {
  const date = new Date(clock * 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const month = MONTHS[date.getUTCMonth()] ?? '';
  const day = DAYS[date.getUTCDay()] ?? '';
  const words: Record<string, string> = {
    Y: String(date.getUTCFullYear()),
    m: two(date.getUTCMonth() + 1),
    d: two(date.getUTCDate()),
    H: two(date.getUTCHours()),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    '%': '%',
  };
  return format.replace(/%([YmdHMSBbAa%])/g, (_, key: string) => words[key] ?? '');
};

const namesOf = (messages: readonly RowMessage[]): Map<string, string> =>
  new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name])));

/** Messages as the template takes them. Thoughts that have no field go into the content, in tags. */
const shaped = (messages: readonly RowMessage[], { args, reasoning }: Manner): Json[] => {
  const names = namesOf(messages);
  const call = ({ id, type, function: { name, arguments: given } }: RowCall): Json => ({
    id,
    type,
    function: { name, arguments: args === 'texts' ? JSON.stringify(given) : given },
  });
  return messages.map(({ role, content, reasoning_content, tool_calls, tool_call_id, name }) => ({
    role,
    content:
      reasoning_content && reasoning === 'content' ? `<think>\n${reasoning_content}\n</think>\n\n${content}` : content,
    ...(reasoning_content && reasoning === 'field' ? { reasoning_content } : {}),
    ...(tool_calls ? { tool_calls: tool_calls.map(call) } : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(role === 'tool' ? { name: name ?? names.get(tool_call_id ?? '') ?? '' } : {}),
  })) as Json[];
};

export type Render = (upTo: number, forReply: boolean) => string;

const range = (from: number, to?: number, step = 1): number[] => {
  const [start, stop] = to === undefined ? [0, from] : [from, to];
  if (step === 0) throw new Error('range() step must not be zero');
  return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, n) => start + n * step);
};

/** What every template may use, and the day of the task where the library would read the wall clock. */
const globals = (folder: TokenizerFolder, clock: number): Environment => {
  const env = new Environment();
  for (const [name, value] of [
    ['false', false],
    ['true', true],
    ['none', null],
    ['False', false],
    ['True', true],
    ['None', null],
  ] as const)
    env.set(name, value);
  env.set('range', range);
  env.set('raise_exception', (said: string) => {
    throw new Error(said);
  });
  env.set('strftime_now', (format: string) => strftime(clock, format));
  for (const [name, word] of Object.entries(folder.words)) env.set(name, word);
  return env;
};

/** A list of the library's, and its class, which it does not export. */
interface ListValue {
  value: unknown[];
  constructor: new (value: unknown[]) => AnyRuntimeValue;
}
type AnyRuntimeValue = ReturnType<Environment['set']>;

/** `tools` as the template is given them. */
const runner = (
  folder: TokenizerFolder,
  manner: Manner,
  { messages, clock }: Conversation,
  tools: readonly Json[],
): Render => {
  const env = globals(folder, clock);
  if (tools.length > 0) env.set('tools', tools);
  // Converted once: a conversation of 150 turns is rendered 300 times.
  const all = new Environment().set('all', shaped(messages, manner)) as unknown as ListValue;
  return (upTo, forReply) => {
    const own = new Environment(env);
    own.variables.set('messages', new all.constructor(all.value.slice(0, upTo)));
    own.set('add_generation_prompt', forReply);
    return (new Interpreter(own).run(folder.template.parsed) as unknown as { value: string }).value;
  };
};

const TOJSON = new Template('{{ tool | tojson }}');

/** A character that none of the texts holds, other than the guard's. */
const marker = (text: string): string => {
  for (let code = 0xf8ff; code > 0xe000; code--)
    if (!text.includes(String.fromCharCode(code))) return String.fromCharCode(code);
  return '';
};

/**
 * Renders the first `upTo` messages, `forReply` with what stands before a reply. Throws what the template throws. Where the template
 * writes each tool as its JSON, which a first rendering shows, the tools are written once and put in place of short marks: they
 * would else be most of the work of every rendering.
 */
export const rendererOf = (folder: TokenizerFolder, manner: Manner, conversation: Conversation): Render => {
  const { tools, messages } = conversation;
  const plain = runner(folder, manner, conversation, tools as unknown as Json[]);
  if (messages.length < 6 || tools.length === 0) return plain;
  const mark = marker(JSON.stringify([messages, tools]));
  const texts = tools.map((tool) => TOJSON.render({ tool }));
  const marked = runner(
    folder,
    manner,
    conversation,
    tools.map((_, n) => `${mark}${n}`),
  );
  const filled = (text: string): string =>
    text.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, n: string) => texts[Number(n)] ?? '');
  const isSame = (): boolean => {
    try {
      return mark !== '' && filled(marked(1, true)) === plain(1, true);
    } catch {
      return false;
    }
  };
  return isSame() ? (upTo, forReply) => filled(marked(upTo, forReply)) : plain;
};

const PROBE: Conversation = {
  clock: 0,
  tools: [{ type: 'function', function: { name: 'probetool', description: 'probes', parameters: { type: 'object' } } }],
  messages: [
    { role: 'user', content: 'probeask' },
    {
      role: 'assistant',
      content: 'probesaid',
      reasoning_content: 'probethought',
      tool_calls: [
        { id: 'probecall', type: 'function', function: { name: 'probetool', arguments: { key: 'probevalue' } } },
      ],
    },
  ],
};

const attempt = (folder: TokenizerFolder, manner: Manner): string => {
  try {
    return rendererOf(folder, manner, PROBE)(PROBE.messages.length, false);
  } catch {
    return '';
  }
};

/** How the template is spoken to. Arguments as objects where it takes them; texts where they come out escaped twice or not at all. */
export const mannerOf = (folder: TokenizerFolder): Manner => {
  const showsArgs = (text: string): boolean => text.includes('probevalue') && !text.includes('\\"');
  const args = showsArgs(attempt(folder, { args: 'objects', reasoning: 'none' }))
    ? 'objects'
    : showsArgs(attempt(folder, { args: 'texts', reasoning: 'none' }))
      ? 'texts'
      : 'objects';
  const shows = (reasoning: Manner['reasoning']): boolean =>
    attempt(folder, { args, reasoning }).includes('probethought');
  return { args, reasoning: shows('field') ? 'field' : shows('content') ? 'content' : 'none' };
};
