/** OpenAI's newer responses requests, translated into chat completions. */
import { type Asked, badRequest } from './asked.js';
import { contentText, readOpenai } from './read-openai.js';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const partOf = (part: unknown): unknown =>
  isFields(part) && part.type === 'input_image' && typeof part.image_url === 'string'
    ? { type: 'image_url', image_url: { url: part.image_url } }
    : { type: 'text', text: contentText([part]) };

const contentOf = (content: unknown): unknown =>
  Array.isArray(content) && content.some((part) => isFields(part) && part.type === 'input_image')
    ? content.map(partOf)
    : contentText(content);

interface Reply {
  role: 'assistant';
  content: string;
  reasoning_content?: string;
  tool_calls?: object[];
}

/** What the model said in one turn comes as several items: they are one message here. */
const messagesOf = (input: readonly unknown[]): object[] => {
  const messages: object[] = [];
  let reply: Reply | undefined;
  const turn = (): Reply => {
    if (!reply) {
      reply = { role: 'assistant', content: '' };
      messages.push(reply);
    }
    return reply;
  };
  for (const [n, item] of input.entries()) {
    if (!isFields(item)) throw badRequest(`input[${n}] is no object`, item, 'Send items with a type.');
    const { type = 'message', role, content } = item;
    if (type === 'function_call') {
      const made = { name: item.name, arguments: item.arguments };
      const call = { id: item.call_id, type: 'function', function: made };
      turn().tool_calls = [...(turn().tool_calls ?? []), call];
    } else if (type === 'reasoning') {
      const text = contentText(item.content) || contentText(item.summary);
      if (text !== '') turn().reasoning_content = text;
    } else if (type === 'message' && role === 'assistant') turn().content += contentText(content);
    else {
      reply = undefined;
      if (type === 'function_call_output')
        messages.push({ role: 'tool', tool_call_id: item.call_id, content: contentText(item.output) });
      else if (type === 'message') messages.push({ role, content: contentOf(content) });
    }
  }
  return messages;
};

/** Functions only: what OpenAI's servers would run themselves, nobody here runs. */
const toolsOf = (tools: unknown): object[] =>
  (Array.isArray(tools) ? tools : [])
    .filter((tool) => isFields(tool) && tool.type === 'function')
    .map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, ...(description == null ? {} : { description }), parameters },
    }));

const choiceOf = (choice: unknown): object => {
  if (isFields(choice))
    return choice.type === 'function' ? { tool_choice: { type: 'function', function: { name: choice.name } } } : {};
  return typeof choice === 'string' ? { tool_choice: choice } : {};
};

const formatOf = (text: unknown): object => {
  const format = isFields(text) ? text.format : undefined;
  if (!isFields(format) || format.type === 'text') return {};
  const { type, ...schema } = format;
  return { response_format: type === 'json_schema' ? { type, json_schema: schema } : { type } };
};

/** Throws `bad_request`, also for a request that names an earlier one: nothing is stored here but the recording. */
export const readResponses = (body: unknown): Asked => {
  if (!isFields(body)) throw badRequest('The body is no JSON object', body, 'Send a responses request.');
  const { input, instructions, previous_response_id: previous, temperature, top_p, stream } = body;
  if (previous !== undefined && previous !== null)
    throw badRequest('Earlier responses are not stored', previous, 'Send the whole input, with store: false.');
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (!Array.isArray(items) || items.length === 0)
    throw badRequest('input is empty', input, 'Send text or at least one item.');
  const tools = toolsOf(body.tools);
  return readOpenai({
    messages: [
      ...(typeof instructions === 'string' && instructions !== '' ? [{ role: 'system', content: instructions }] : []),
      ...messagesOf(items),
    ],
    ...(tools.length > 0 ? { tools, ...choiceOf(body.tool_choice) } : {}),
    ...(tools.length > 0 && body.parallel_tool_calls === false ? { parallel_tool_calls: false } : {}),
    ...(body.max_output_tokens == null ? {} : { max_tokens: body.max_output_tokens }),
    ...(temperature == null ? {} : { temperature }),
    ...(top_p == null ? {} : { top_p }),
    ...formatOf(body.text),
    ...(stream === true ? { stream } : {}),
  });
};
