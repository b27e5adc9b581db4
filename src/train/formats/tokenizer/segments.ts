/**
 * A conversation as one text or several, with what the assistant wrote marked. Each reply is what rendering it adds to what stood
 * before it: the prompt of a reply is the rendering of everything before it, as a server would render it. As long as each prompt
 * begins with the text so far, the text grows; where a template rewrites history (strips the thoughts of earlier turns) a new text
 * begins, with the rewritten history as its prompt. So every reply is learned once, behind exactly what its model would have seen.
 */
import type { Exclusion } from '../../sft/exclude.js';
import type { RowMessage, RowTool } from '../../sft/row.js';
import type { Render } from './render.js';

export interface Piece {
  text: string;
  /** The assistant wrote it. */
  own: boolean;
  /** Index of the message that it is, or that it leads up to. */
  message: number;
}

export interface NoSegments {
  refused: Exclusion;
  /** What the template said. */
  said?: string;
}

/** The end of a turn is the assistant's; white space that the template puts behind it is not. */
const partsOf = (reply: string, special: readonly string[]): [said: string, tail: string] => {
  const end = Math.max(
    -1,
    ...special.map((token) => (reply.includes(token) ? reply.lastIndexOf(token) + token.length : -1)),
  );
  return end > 0 && reply.slice(end).trim() === '' ? [reply.slice(0, end), reply.slice(end)] : [reply, ''];
};

/** Whether the template shows a text: as it is, or inside JSON. */
const shows = (rendered: string, text: string): boolean => {
  const said = text.trim();
  return said === '' || rendered.includes(said) || rendered.includes(JSON.stringify(said).slice(1, -1));
};

const showsReply = (reply: string, { content, reasoning_content = '', tool_calls = [] }: RowMessage): boolean =>
  shows(reply, content) &&
  shows(reply, reasoning_content) &&
  tool_calls.every(
    ({ function: { name, arguments: args } }) =>
      reply.includes(name) && Object.values(args).every((value) => typeof value !== 'string' || shows(reply, value)),
  );

/** Whether a prompt shows what came in since the message `from`. */
const showsInput = (added: string, messages: readonly RowMessage[], tools: readonly RowTool[]): boolean =>
  messages.every(({ role, content }) => role === 'assistant' || shows(added, content)) &&
  tools.every((tool) => added.includes(tool.function.name));

export const segmentsOf = (
  render: Render,
  messages: readonly RowMessage[],
  tools: readonly RowTool[],
  special: readonly string[],
): Piece[][] | NoSegments => {
  const segments: Piece[][] = [];
  let pieces: Piece[] = [];
  let text = '';
  let tail = '';
  let before = 0;
  const end = (): void => {
    const last = pieces.at(-1);
    if (last && tail) pieces.push({ text: tail, own: false, message: last.message });
    if (pieces.length > 0) segments.push(pieces);
  };
  for (const [at, message] of messages.entries()) {
    // A greeting before anything was asked is part of the next prompt.
    if (message.role !== 'assistant' || at === 0) continue;
    let prompt: string;
    let whole: string;
    try {
      prompt = render(at, true);
      whole = render(at + 1, false);
    } catch (thrown) {
      return { refused: 'template_refused', said: (thrown as Error).message };
    }
    // The reply is shown otherwise than its own prompt begins it: nothing tells which part is the reply.
    if (!whole.startsWith(prompt)) return { refused: 'history_rewritten' };
    const reply = whole.slice(prompt.length);
    const isGrown = pieces.length > 0 && prompt.startsWith(text);
    const added = isGrown ? prompt.slice(text.length) : prompt;
    if (!showsInput(isGrown ? added : prompt, messages.slice(isGrown ? before : 0, at), isGrown ? [] : tools))
      return { refused: 'template_drops' };
    if (!showsReply(reply, message)) return { refused: 'template_drops' };
    if (!isGrown) {
      end();
      pieces = [];
    }
    const [said, rest] = partsOf(reply, special);
    pieces.push({ text: added, own: false, message: at }, { text: said, own: true, message: at });
    text = prompt + said;
    tail = rest;
    before = at + 1;
  }
  end();
  return segments.length > 0 ? segments : { refused: 'no_conversation' };
};
