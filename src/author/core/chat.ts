/** Company chat: channels and what is posted in them. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Company } from '../../artifacts/world.js';
import { neutralSurface } from '../dialects/neutral.js';
import { PAGING } from './paging.js';

const tools: Record<string, Tool> = {
  channel_list: {
    id: 'channel.list',
    op: 'list',
    table: 'channel',
    description: 'List chat channels by name; filter by exact name or leave archived ones out.',
    args: {
      name: {
        type: 'text',
        role: 'filter',
        col: 'name',
        op: 'eq',
        description: 'Exact channel name, without a leading #.',
      },
      is_archived: {
        type: 'bool',
        role: 'filter',
        col: 'is_archived',
        op: 'eq',
        description: 'false for channels still in use.',
      },
      ...PAGING,
    },
    order: [{ col: 'name' }],
    errors: { invalid_argument: 422 },
    reads: ['channel'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  post_list: {
    id: 'post.list',
    op: 'list',
    table: 'post',
    description:
      'Read what was posted, newest first: in a channel, by a person, in a span of time, or containing a text.',
    args: {
      channel_id: {
        type: 'text',
        role: 'filter',
        col: 'channel_id',
        op: 'eq',
        ref: 'channel',
        description: 'The channel to read.',
      },
      author_email: {
        type: 'text',
        role: 'filter',
        col: 'author_email',
        op: 'eq',
        format: 'email',
        description: 'E-mail address of the author.',
      },
      body: { type: 'text', role: 'filter', col: 'body', op: 'contains', description: 'Text that the post contains.' },
      posted_at_from: {
        type: 'datetime',
        role: 'filter',
        col: 'posted_at',
        op: 'gte',
        description: 'Posted at this time or later.',
      },
      posted_at_to: {
        type: 'datetime',
        role: 'filter',
        col: 'posted_at',
        op: 'lte',
        description: 'Posted at this time or earlier.',
      },
      ...PAGING,
    },
    order: [{ col: 'posted_at', desc: true }],
    errors: { invalid_argument: 422 },
    reads: ['post'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  post_create: {
    id: 'post.create',
    op: 'create',
    table: 'post',
    description: 'Write a post in a channel under your own name.',
    args: {
      channel_id: {
        type: 'text',
        role: 'set',
        col: 'channel_id',
        ref: 'channel',
        required: true,
        description: 'The channel to write to.',
      },
      body: {
        type: 'text',
        role: 'set',
        col: 'body',
        required: true,
        minLength: 1,
        maxLength: 4_000,
        description: 'The text.',
      },
      reply_to_id: {
        type: 'text',
        role: 'set',
        col: 'reply_to_id',
        ref: 'post',
        description: 'The post this one answers.',
      },
    },
    errors: { invalid_argument: 422, invalid_reference: 422 },
    reads: [],
    writes: [{ table: 'post', insert: true }],
    provenance: { tier: 'catalogue' },
  },
};

/** `chat`: channels and posts, three tools. */
export const chat = (company: Company): ServiceSpec => ({
  treadle: 'service/1',
  id: 'chat',
  title: `${company.name} chat`,
  description: `Team chat of ${company.name}: channels and the posts in them.`,
  source: { kind: 'core', ref: 'chat', archetype: 'chat' },
  tables: {
    channel: {
      noun: 'channel',
      description: 'A place where a team or a topic talks.',
      key: { col: 'id', gen: { style: 'upper', prefix: 'C', length: 10 } },
      label: 'name',
      rows: 8,
      cols: {
        id: { type: 'text', required: true, seed: 'key' },
        name: {
          type: 'text',
          required: true,
          unique: true,
          maxLength: 80,
          seed: 'slug',
          description: 'Name without a leading #.',
        },
        topic: { type: 'text', maxLength: 250, seed: 'description', description: 'What it is for.' },
        is_archived: {
          type: 'bool',
          required: true,
          default: false,
          seed: 'flag',
          description: 'Whether it is closed to new posts.',
        },
        created_at: {
          type: 'datetime',
          required: true,
          auto: 'now',
          seed: 'created_at',
          description: 'When it was opened.',
        },
      },
    },
    post: {
      noun: 'post',
      description: 'One text in a channel.',
      key: { col: 'id', gen: { style: 'upper', prefix: 'P', length: 12 } },
      rows: 70,
      cols: {
        id: { type: 'text', required: true, seed: 'key' },
        channel_id: { type: 'text', required: true, fk: 'channel', description: 'The channel it stands in.' },
        author_email: {
          type: 'text',
          required: true,
          format: 'email',
          auto: 'me',
          seed: 'message_party',
          description: 'E-mail address of the author.',
        },
        body: { type: 'text', required: true, maxLength: 4_000, seed: 'body_text', description: 'The text.' },
        reply_to_id: { type: 'text', fk: 'post', description: 'The post this one answers.' },
        posted_at: {
          type: 'datetime',
          required: true,
          auto: 'now',
          seed: 'created_at',
          description: 'When it was posted.',
        },
      },
    },
  },
  tools: structuredClone(tools),
  surface: neutralSurface(company.currency),
});
