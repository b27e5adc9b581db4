/** Company e-mail: what came in, what was sent, and sending more. People are named by e-mail address, as in the directory. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import type { Company } from '../../artifacts/world.js';
import { neutralSurface } from '../dialects/neutral.js';
import { PAGING } from './paging.js';

const FOLDERS = ['inbox', 'sent', 'archive'];

const narrowing: Record<string, Arg> = {
  folder: {
    type: 'text',
    role: 'filter',
    col: 'folder',
    op: 'eq',
    enum: FOLDERS,
    description: 'inbox, sent or archive.',
  },
  from_email: {
    type: 'text',
    role: 'filter',
    col: 'from_email',
    op: 'eq',
    format: 'email',
    description: 'Address of the sender.',
  },
  to_email: {
    type: 'text',
    role: 'filter',
    col: 'to_email',
    op: 'eq',
    format: 'email',
    description: 'Address of the recipient.',
  },
};

const tools: Record<string, Tool> = {
  message_search: {
    id: 'message.search',
    op: 'search',
    table: 'message',
    description: 'Search e-mail by words of the subject or the text, newest first.',
    args: {
      query: { type: 'text', role: 'query', minLength: 1, maxLength: 200, description: 'Words that must all appear.' },
      ...narrowing,
      ...PAGING,
    },
    match: ['subject', 'body'],
    order: [{ col: 'sent_at', desc: true }],
    errors: { invalid_argument: 422 },
    reads: ['message'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  message_list: {
    id: 'message.list',
    op: 'list',
    table: 'message',
    description: 'List e-mail of a folder, a sender, a recipient or a span of time, newest first.',
    args: {
      ...narrowing,
      is_read: {
        type: 'bool',
        role: 'filter',
        col: 'is_read',
        op: 'eq',
        description: 'false for messages nobody has opened yet.',
      },
      reply_to_id: {
        type: 'text',
        role: 'filter',
        col: 'reply_to_id',
        op: 'eq',
        ref: 'message',
        description: 'Only answers to this message.',
      },
      sent_at_from: {
        type: 'datetime',
        role: 'filter',
        col: 'sent_at',
        op: 'gte',
        description: 'Sent at this time or later.',
      },
      sent_at_to: {
        type: 'datetime',
        role: 'filter',
        col: 'sent_at',
        op: 'lte',
        description: 'Sent at this time or earlier.',
      },
      ...PAGING,
    },
    order: [{ col: 'sent_at', desc: true }],
    errors: { invalid_argument: 422 },
    reads: ['message'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  message_get: {
    id: 'message.get',
    op: 'get',
    table: 'message',
    description: 'Read one e-mail in full by id.',
    args: {
      id: { type: 'text', role: 'key', col: 'id', ref: 'message', required: true, description: 'Id of the message.' },
    },
    errors: { not_found: 404, invalid_argument: 422 },
    reads: ['message'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  message_send: {
    id: 'message.send',
    op: 'create',
    table: 'message',
    description: 'Send an e-mail from your own address. It is stored in the sent folder.',
    args: {
      to_email: {
        type: 'text',
        role: 'set',
        col: 'to_email',
        required: true,
        format: 'email',
        description: 'Address of the recipient.',
      },
      cc: {
        type: 'text',
        role: 'set',
        col: 'cc',
        maxLength: 500,
        description: 'Further addresses, separated by commas.',
      },
      subject: {
        type: 'text',
        role: 'set',
        col: 'subject',
        required: true,
        minLength: 1,
        maxLength: 200,
        description: 'Subject line.',
      },
      body: {
        type: 'text',
        role: 'set',
        col: 'body',
        required: true,
        minLength: 1,
        maxLength: 10_000,
        description: 'Plain text of the message.',
      },
      reply_to_id: {
        type: 'text',
        role: 'set',
        col: 'reply_to_id',
        ref: 'message',
        description: 'The message this one answers.',
      },
    },
    errors: { invalid_argument: 422, invalid_reference: 422 },
    reads: [],
    writes: [{ table: 'message', insert: true }],
    provenance: { tier: 'catalogue' },
  },
};

/** `mail`: one table, search, list, get and send. */
export const mail = (company: Company): ServiceSpec => ({
  treadle: 'service/1',
  id: 'mail',
  title: `${company.name} mail`,
  description: `E-mail at ${company.domain}: search and read messages, send new ones.`,
  source: { kind: 'core', ref: 'mail', archetype: 'mail' },
  tables: {
    message: {
      noun: 'message',
      description: 'One e-mail.',
      key: { col: 'id', gen: { style: 'base62', prefix: 'msg_', length: 14 } },
      label: 'subject',
      rows: 60,
      cols: {
        id: { type: 'text', required: true, seed: 'key' },
        from_email: {
          type: 'text',
          required: true,
          format: 'email',
          auto: 'me',
          seed: 'message_party',
          description: 'Address of the sender.',
        },
        to_email: {
          type: 'text',
          required: true,
          format: 'email',
          seed: 'message_party',
          description: 'Address of the recipient.',
        },
        cc: {
          type: 'text',
          maxLength: 500,
          seed: 'message_party',
          description: 'Further addresses, separated by commas.',
        },
        subject: { type: 'text', required: true, maxLength: 200, seed: 'title', description: 'Subject line.' },
        body: { type: 'text', required: true, maxLength: 10_000, seed: 'body_text', description: 'Plain text.' },
        folder: {
          type: 'text',
          required: true,
          enum: FOLDERS,
          default: 'sent',
          description: 'inbox, sent or archive.',
        },
        is_read: { type: 'bool', required: true, default: true, seed: 'flag', description: 'Whether it was opened.' },
        reply_to_id: { type: 'text', fk: 'message', description: 'The message this one answers.' },
        sent_at: {
          type: 'datetime',
          required: true,
          auto: 'now',
          seed: 'created_at',
          description: 'When it was sent.',
        },
      },
    },
  },
  tools: structuredClone(tools),
  surface: neutralSurface(company.currency),
});
