/** Flavours of chat: threads, reactions, pins, rooms of one's own, search, second thoughts. */
import type { Arg, Tool } from '../../artifacts/tool.js';
import {
  actionTool,
  createTool,
  deleteTool,
  type Extra,
  flagStep,
  getTool,
  keyArg,
  listTool,
  theRow,
  updateTool,
} from './extras.js';

const key = keyArg('post', 'post');
const EMOJI = ['thumbs_up', 'heart', 'tada', 'eyes', 'check_mark', 'question'];

const ofPost = (role: 'filter' | 'set', description: string): Arg => ({
  type: 'text',
  role,
  col: 'post_id',
  ...(role === 'filter' ? { op: 'eq' as const } : {}),
  ref: 'post',
  required: true,
  description,
});

const pin = (verb: string, description: string, value: boolean): Tool =>
  actionTool(
    `post.${verb}`,
    'post',
    description,
    key,
    [
      theRow('post', 'post'),
      flagStep('is_pinned', value),
      { update: { table: 'post', where: { id: '$row.id' }, set: { is_pinned: value }, as: 'done' } },
    ],
    { row: 'done' },
    { invalid_state: 409 },
  );

const topic: Arg = { type: 'text', role: 'set', col: 'topic', maxLength: 250, description: 'What it is for.' };

/** In the order in which they are drawn. */
export const CHAT_EXTRAS: readonly Extra[] = [
  {
    share: 45,
    tools: {
      reply_list: listTool(
        'reply.list',
        'post',
        'Read the replies to a post, oldest first.',
        {
          reply_to_id: {
            type: 'text',
            role: 'filter',
            col: 'reply_to_id',
            op: 'eq',
            ref: 'post',
            required: true,
            description: 'The post that was replied to.',
          },
        },
        [{ col: 'posted_at' }],
      ),
    },
  },
  { share: 40, tools: { post_get: getTool('post.get', 'post', 'Read one post by id.', 'post') } },
  {
    share: 35,
    tools: { channel_get: getTool('channel.get', 'channel', 'Read what a channel is for, by id.', 'channel') },
  },
  {
    share: 35,
    tables: {
      reaction: {
        noun: 'reaction',
        description: 'What somebody thinks of a post, as a small picture.',
        key: { col: 'id', gen: { style: 'upper', prefix: 'R', length: 12 } },
        rows: 30,
        cols: {
          id: { type: 'text', required: true, seed: 'key' },
          post_id: { type: 'text', required: true, fk: 'post', description: 'The post it belongs to.' },
          emoji: { type: 'text', required: true, enum: EMOJI, description: 'The picture.' },
          author_email: {
            type: 'text',
            required: true,
            format: 'email',
            auto: 'me',
            seed: 'message_party',
            description: 'E-mail address of whoever reacted.',
          },
          reacted_at: {
            type: 'datetime',
            required: true,
            auto: 'now',
            seed: 'created_at',
            description: 'When it was put there.',
          },
        },
      },
    },
    tools: {
      reaction_list: listTool(
        'reaction.list',
        'reaction',
        'List the reactions to a post.',
        { post_id: ofPost('filter', 'The post to look at.') },
        [{ col: 'reacted_at' }],
      ),
      reaction_add: createTool('reaction.add', 'reaction', 'React to a post under your own name.', {
        post_id: ofPost('set', 'The post to react to.'),
        emoji: { type: 'text', role: 'set', col: 'emoji', enum: EMOJI, required: true, description: 'The picture.' },
      }),
    },
  },
  {
    share: 25,
    cols: {
      post: {
        is_pinned: {
          type: 'bool',
          required: true,
          default: false,
          seed: 'flag',
          description: 'Whether it is kept at the top of the channel.',
        },
      },
    },
    args: {
      post_list: {
        is_pinned: {
          type: 'bool',
          role: 'filter',
          col: 'is_pinned',
          op: 'eq',
          description: 'true for what is kept at the top.',
        },
      },
    },
    tools: {
      post_pin: pin('pin', 'Keep a post at the top of its channel.', true),
      post_unpin: pin('unpin', 'Keep a post at the top no longer.', false),
    },
  },
  {
    share: 25,
    tools: {
      channel_create: createTool('channel.create', 'channel', 'Open a channel.', {
        name: {
          type: 'text',
          role: 'set',
          col: 'name',
          required: true,
          minLength: 1,
          maxLength: 80,
          description: 'Name without a leading #; no other channel may have it.',
        },
        topic,
      }),
    },
  },
  {
    share: 25,
    tools: {
      channel_update: updateTool('channel.update', 'channel', 'Say anew what a channel is for.', {
        ...keyArg('channel', 'channel'),
        topic: { ...topic, required: true },
      }),
    },
  },
  { share: 15, tools: { post_delete: deleteTool('post.delete', 'post', 'Take a post away for good.', 'post') } },
  {
    share: 30,
    tools: {
      post_search: {
        ...listTool(
          'post.search',
          'post',
          'Find posts by words of their text, newest first.',
          {
            query: {
              type: 'text',
              role: 'query',
              minLength: 1,
              maxLength: 200,
              description: 'Words that must all appear.',
            },
            channel_id: {
              type: 'text',
              role: 'filter',
              col: 'channel_id',
              op: 'eq',
              ref: 'channel',
              description: 'Only in this channel.',
            },
          },
          [{ col: 'posted_at', desc: true }],
        ),
        op: 'search',
        match: ['body'],
      },
    },
  },
  {
    share: 25,
    cols: {
      channel: {
        is_private: {
          type: 'bool',
          required: true,
          default: false,
          seed: 'flag',
          description: 'Whether only its members find it.',
        },
      },
    },
    args: {
      channel_list: {
        is_private: {
          type: 'bool',
          role: 'filter',
          col: 'is_private',
          op: 'eq',
          description: 'false for channels that are open to everyone.',
        },
      },
    },
  },
];
