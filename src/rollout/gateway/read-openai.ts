/** OpenAI chat completion requests, read into our messages. */
import type { ChatMessage, ChatTool, RawCall } from '../../models/types.js';
import { type Asked, badRequest } from './asked.js';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Text of a content, parts joined; what is no text is named, since a trace holds text only. */
export const contentText = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => {
      if (typeof part === 'string') return part;
      if (!isFields(part)) return '';
      return typeof part.text === 'string'
        ? part.text
        : typeof part.refusal === 'string'
          ? part.refusal
          : `[${part.type}]`;
    })
    .join('');
};

const callOf = (call: unknown, n: number): RawCall => {
  const fields = isFields(call) ? call : {};
  const made = isFields(fields.function) ? fields.function : {};
  const given = made.arguments;
  return {
    id: text(fields.id) || `call_${n}`,
    name: text(made.name),
    arguments: typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given),
  };
};

const ROLES: Record<string, ChatMessage['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

const messageOf = (message: unknown, n: number): ChatMessage => {
  const role = isFields(message) ? ROLES[text(message.role)] : undefined;
  if (!isFields(message) || role === undefined)
    throw badRequest(
      `messages[${n}] has no role that is known`,
      isFields(message) ? message.role : message,
      'Use system, developer, user, assistant or tool.',
    );
  const content = contentText(message.content);
  if (role === 'tool') {
    const { name, tool_call_id: id } = message;
    return { role, content, toolCallId: text(id), ...(typeof name === 'string' ? { name } : {}) };
  }
  if (role !== 'assistant') return { role, content };
  const reasoning = text(message.reasoning_content) || text(message.reasoning);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(callOf) : [];
  return { role, content, ...(reasoning ? { reasoning } : {}), ...(calls.length > 0 ? { calls } : {}) };
};

const toolOf = (tool: unknown, n: number): ChatTool => {
  const made = isFields(tool) && isFields(tool.function) ? tool.function : undefined;
  if (!made || typeof made.name !== 'string' || made.name === '')
    throw badRequest(`tools[${n}] is no function with a name`, tool, 'Send {"type": "function", "function": {...}}.');
  return {
    name: made.name,
    description: text(made.description),
    parameters: isFields(made.parameters) ? made.parameters : { type: 'object', properties: {} },
  };
};

/** Throws `bad_request` for what no backend could answer either. */
export const readOpenai = (body: unknown): Asked => {
  if (!isFields(body)) throw badRequest('The body is no JSON object', body, 'Send a chat completion request.');
  const { messages, tools, n } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw badRequest('messages is empty', messages, 'Send at least one message.');
  if (n !== undefined && n !== null && n !== 1)
    throw badRequest('Only one choice is recorded', n, 'Leave n out; open a rollout for every sample.');
  if (tools !== undefined && tools !== null && !Array.isArray(tools))
    throw badRequest('tools is no list', tools, 'Send a list of functions.');
  return {
    dialect: 'openai',
    body,
    messages: messages.map(messageOf),
    tools: (tools ?? []).map(toolOf),
    isStream: body.stream === true,
  };
};
