/** Anthropic messages requests, translated into OpenAI chat completions. */
import { type Asked, badRequest } from './asked.js';
import { readOpenai } from './read-openai.js';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Arguments of a model that were no JSON object, as a client that takes only objects is told of them. */
export const MALFORMED = '_malformed_arguments';

/** The arguments that a tool_use block stands for: what was malformed is so again. */
const argumentsOf = (input: unknown): string => {
  const raw = isFields(input) && Object.keys(input).length === 1 ? input[MALFORMED] : undefined;
  return typeof raw === 'string' ? raw : JSON.stringify(input ?? {});
};

const blocksOf = (content: unknown, where: string): Fields[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every(isFields)) return content;
  throw badRequest(`${where} is neither text nor a list of blocks`, content, 'Send a string or content blocks.');
};

/** Claude Code's own accounting, different in every request: a prompt that held it would never be the same twice. */
const ACCOUNTING = /^x-anthropic-billing-header:/;

const textOf = (blocks: readonly Fields[], between: string): string =>
  blocks
    .filter(({ type, text }) => type === 'text' && typeof text === 'string' && !ACCOUNTING.test(text))
    .map(({ text }) => text)
    .join(between);

const imageOf = ({ source }: Fields): object | undefined => {
  if (!isFields(source)) return undefined;
  if (source.type === 'url') return { type: 'image_url', image_url: { url: source.url } };
  return { type: 'image_url', image_url: { url: `data:${source.media_type};base64,${source.data}` } };
};

/** A result's text; an error says so, since the OpenAI form has no place for it. */
const resultOf = ({ content, is_error: isError }: Fields, where: string): string => {
  const text = content === undefined ? '' : textOf(blocksOf(content, where), '\n');
  return isError === true && !/^error/i.test(text) ? `Error: ${text}` : text;
};

const userMessages = (blocks: readonly Fields[], where: string): object[] => {
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ role: 'tool', tool_call_id: block.tool_use_id, content: resultOf(block, where) }));
  const images = blocks.flatMap((block) => (block.type === 'image' ? (imageOf(block) ?? []) : []));
  const other = blocks.filter(({ type }) => type === 'document').map(() => '[document]');
  const text = [textOf(blocks, '\n'), ...other].filter((part) => part !== '').join('\n');
  if (images.length > 0)
    return [...results, { role: 'user', content: [...(text ? [{ type: 'text', text }] : []), ...images] }];
  return text !== '' || results.length === 0 ? [...results, { role: 'user', content: text }] : results;
};

const assistantMessage = (blocks: readonly Fields[]): object => {
  const reasoning = blocks.flatMap(({ type, thinking }) =>
    type === 'thinking' && typeof thinking === 'string' ? thinking : [],
  );
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: argumentsOf(input) } }));
  return {
    role: 'assistant',
    content: textOf(blocks, ''),
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('\n') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
};

const messagesOf = (messages: readonly unknown[]): object[] =>
  messages.flatMap((message, n) => {
    if (!isFields(message)) throw badRequest(`messages[${n}] is no object`, message, 'Send role and content.');
    const where = `messages[${n}].content`;
    const blocks = blocksOf(message.content, where);
    if (message.role === 'assistant') return [assistantMessage(blocks)];
    if (message.role === 'user') return userMessages(blocks, where);
    if (message.role === 'system') return [{ role: 'system', content: textOf(blocks, '\n\n') }];
    throw badRequest(`messages[${n}] has no role that is known`, message.role, 'Use user or assistant.');
  });

/** Tools of the client's own; those that Anthropic's servers would run have no schema, and nobody here to run them. */
const toolsOf = (tools: unknown): object[] =>
  (Array.isArray(tools) ? tools : [])
    .filter((tool) => isFields(tool) && isFields(tool.input_schema))
    .map(({ name, description, input_schema: parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }));

const choiceOf = (choice: unknown): object => {
  if (!isFields(choice)) return {};
  const one = choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  switch (choice.type) {
    case 'any':
      return { tool_choice: 'required', ...one };
    case 'tool':
      return { tool_choice: { type: 'function', function: { name: choice.name } }, ...one };
    case 'none':
      return { tool_choice: 'none' };
    default:
      return one;
  }
};

/** Throws `bad_request` for what is no messages request. */
export const readAnthropic = (body: unknown): Asked => {
  if (!isFields(body)) throw badRequest('The body is no JSON object', body, 'Send a messages request.');
  const { system, messages, tools, max_tokens, temperature, top_p, stop_sequences, stream } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw badRequest('messages is empty', messages, 'Send at least one message.');
  const told = system === undefined ? '' : textOf(blocksOf(system, 'system'), '\n\n');
  const made = toolsOf(tools);
  const asked = readOpenai({
    messages: [...(told === '' ? [] : [{ role: 'system', content: told }]), ...messagesOf(messages)],
    ...(made.length > 0 ? { tools: made, ...choiceOf(body.tool_choice) } : {}),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(Array.isArray(stop_sequences) && stop_sequences.length > 0 ? { stop: stop_sequences } : {}),
    ...(stream === true ? { stream } : {}),
  });
  return { ...asked, dialect: 'anthropic' };
};
