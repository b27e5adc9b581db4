/**
 * What was said over one token, as trees of exchanges: a request that goes on from an earlier reply is that reply's child. Beside
 * its main conversation a harness may hold others (titles, summaries, helpers of its own), and may rewrite history: then the
 * request begins a tree of its own.
 */
import type { Message, Tokens, ToolCall } from '../../artifacts/trace.js';
import { readArguments } from '../../models/arguments.js';
import { grown, historyKeys, lastReply } from '../../models/history.js';
import type { ChatMessage, ChatReply } from '../../models/types.js';
import { tokenTrack } from '../token-track.js';
import type { Asked, Dialect } from './asked.js';

interface Tree {
  /** Of its first message, and of the first that is no system message. */
  system: string;
  first: string;
  hasTools: boolean;
  /** It began with replies that are nobody's here. */
  hasHistory: boolean;
  size: number;
}

interface Exchange {
  tree: Tree;
  parent: Exchange | undefined;
  /** What the request added to its parent's reply. */
  added: ChatMessage[];
  reply: ChatReply;
  asked: Asked;
}

const replyMessage = ({ content, reasoning, calls }: ChatReply): ChatMessage => ({
  role: 'assistant',
  content,
  ...(reasoning === undefined ? {} : { reasoning }),
  ...(calls.length > 0 ? { calls } : {}),
});

const toolCall = ({ id, name, arguments: raw }: { id: string; name: string; arguments: string }): ToolCall => {
  const read = readArguments(raw);
  return { id, name, arguments: read.ok ? read.args : {}, ...(read.ok ? {} : { malformed: raw }) };
};

const traceMessage = ({ calls, ...message }: ChatMessage): Message => ({
  ...message,
  ...(calls?.length ? { toolCalls: calls.map(toolCall) } : {}),
});

export interface MainConversation {
  dialect: Dialect;
  messages: Message[];
  tools: Asked['tools'];
  tokens: Tokens | undefined;
  rewritten: boolean;
  weights: string[];
}

export interface Conversations {
  add(asked: Asked, reply: ChatReply): void;
  /** Undefined while nothing was answered. */
  main(): MainConversation | undefined;
}

/** The main tree, and whether it took the place of an earlier one. */
const chosen = (trees: readonly Tree[]): { tree: Tree; rewritten: boolean } | undefined => {
  const withTools = trees.filter(({ hasTools }) => hasTools);
  const [first] = withTools;
  // Without any tools the longest conversation is meant: titles and summaries are asked for once.
  if (!first) {
    const tree = trees.toSorted((a, b) => b.size - a.size)[0];
    return tree && { tree, rewritten: tree.hasHistory && trees[0] !== tree };
  }
  const kin = withTools.filter(({ system, first: start }) => system === first.system || start === first.first);
  const tree = kin.at(-1) as Tree;
  return { tree, rewritten: tree !== first };
};

export const conversations = (): Conversations => {
  const exchanges = new Map<string, Exchange>();
  const trees: Tree[] = [];
  const openings = new Map<string, Tree>();
  const latest = new Map<Tree, Exchange>();
  return {
    add: (asked, reply) => {
      const { messages, tools } = asked;
      const keys = historyKeys(messages);
      const at = lastReply(messages);
      const parent = at < 0 ? undefined : exchanges.get(keys[at] as string);
      // The same request once more, its answer lost on the way perhaps, is the same conversation.
      const asks = keys.at(-1) as string;
      let tree = parent ? parent.tree : openings.get(asks);
      if (!tree) {
        const start = messages.findIndex(({ role }) => role !== 'system');
        tree = {
          system: historyKeys(messages.slice(0, Math.max(0, start))).at(-1) ?? '',
          first: grown('', messages[Math.max(0, start)] as ChatMessage),
          hasTools: false,
          hasHistory: at >= 0,
          size: 0,
        };
        trees.push(tree);
        openings.set(asks, tree);
      }
      tree.hasTools ||= tools.length > 0;
      tree.size++;
      const exchange: Exchange = { tree, parent, added: parent ? messages.slice(at + 1) : messages, reply, asked };
      exchanges.set(grown(asks, replyMessage(reply)), exchange);
      latest.set(tree, exchange);
    },
    main: () => {
      const choice = chosen(trees);
      if (!choice) return undefined;
      const end = latest.get(choice.tree) as Exchange;
      const path: Exchange[] = [];
      for (let at: Exchange | undefined = end; at; at = at.parent) path.unshift(at);
      const track = tokenTrack();
      for (const { reply } of path) track.add(reply.tokens);
      const messages = path.flatMap(({ added, reply }) => [...added, replyMessage(reply)].map(traceMessage));
      return {
        dialect: end.asked.dialect,
        messages,
        tools: end.asked.tools,
        tokens: choice.rewritten ? undefined : track.tokens(),
        rewritten: choice.rewritten,
        weights: [...new Set(path.flatMap(({ reply }) => reply.tokens?.weights ?? []))],
      };
    },
  };
};
