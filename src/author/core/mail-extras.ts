/** Flavours of e-mail: drafts, marks, archive, threads, answers, importance. */
import type { Arg } from '../../artifacts/tool.js';
import {
  actionTool,
  createTool,
  deleteTool,
  type Extra,
  flagStep,
  keyArg,
  listTool,
  theRow,
  updateTool,
} from './extras.js';

const key = keyArg('message', 'message');

const mark = (verb: string, description: string, col: string, value: boolean): NonNullable<Extra['tools']> => ({
  [`message_${verb}`]: actionTool(
    `message.${verb}`,
    'message',
    description,
    key,
    [
      theRow('message', 'message'),
      flagStep(col, value),
      { update: { table: 'message', where: { id: '$row.id' }, set: { [col]: value }, as: 'done' } },
    ],
    { row: 'done' },
    { invalid_state: 409 },
  ),
});

const toFolder = (
  verb: string,
  description: string,
  from: string,
  to: string,
  refusal: string,
): NonNullable<Extra['tools']> => ({
  [`message_${verb}`]: actionTool(
    `message.${verb}`,
    'message',
    description,
    key,
    [
      theRow('message', 'message'),
      { require: [{ that: `row.folder == '${from}'`, error: 'invalid_state', message: refusal, field: 'id' }] },
      { update: { table: 'message', where: { id: '$row.id' }, set: { folder: `'${to}'` }, as: 'done' } },
    ],
    { row: 'done' },
    { invalid_state: 409 },
  ),
});

const contains = (col: string, description: string): Arg => ({
  type: 'text',
  role: 'filter',
  col,
  op: 'contains',
  minLength: 1,
  maxLength: 200,
  description,
});

const to: Arg = {
  type: 'text',
  role: 'set',
  col: 'to_email',
  required: true,
  format: 'email',
  description: 'Address of the recipient.',
};
const body: Arg = {
  type: 'text',
  role: 'set',
  col: 'body',
  required: true,
  minLength: 1,
  maxLength: 10_000,
  description: 'Plain text.',
};
const subject: Arg = {
  type: 'text',
  role: 'set',
  col: 'subject',
  required: true,
  minLength: 1,
  maxLength: 200,
  description: 'Subject line.',
};
const IMPORTANCE = ['low', 'normal', 'high'];

const drafts: Extra = {
  share: 35,
  tables: {
    draft: {
      noun: 'draft',
      description: 'An e-mail that is written and not sent yet.',
      key: { col: 'id', gen: { style: 'base62', prefix: 'dft_', length: 14 } },
      label: 'subject',
      rows: 6,
      cols: {
        id: { type: 'text', required: true, seed: 'key' },
        to_email: {
          type: 'text',
          required: true,
          format: 'email',
          seed: 'message_party',
          description: 'Address of the recipient.',
        },
        subject: { type: 'text', required: true, maxLength: 200, seed: 'title', description: 'Subject line.' },
        body: { type: 'text', required: true, maxLength: 10_000, seed: 'body_text', description: 'Plain text.' },
        created_at: {
          type: 'datetime',
          required: true,
          auto: 'now',
          seed: 'created_at',
          description: 'When it was begun.',
        },
      },
    },
  },
  tools: {
    draft_create: createTool('draft.create', 'draft', 'Write a draft without sending it.', {
      to_email: to,
      subject,
      body,
    }),
    draft_list: listTool(
      'draft.list',
      'draft',
      'List drafts that are not sent yet, newest first.',
      { to_email: { ...to, role: 'filter', op: 'eq', required: false } },
      [{ col: 'created_at', desc: true }],
    ),
    draft_send: actionTool(
      'draft.send',
      'draft',
      'Send a draft as it is. It goes to the sent folder and is no draft any more.',
      keyArg('draft', 'draft'),
      [
        theRow('draft', 'draft'),
        {
          insert: {
            table: 'message',
            set: { to_email: '$row.to_email', subject: '$row.subject', body: '$row.body' },
            as: 'sent',
          },
        },
        { delete: { table: 'draft', where: { id: '$row.id' } } },
      ],
      { row: 'sent', table: 'message' },
      {},
    ),
    draft_delete: deleteTool('draft.delete', 'draft', 'Throw a draft away.', 'draft'),
  },
};

const answers: Extra = {
  share: 35,
  tools: {
    message_reply: actionTool(
      'message.reply',
      'message',
      'Answer a message: to its sender, under the same subject.',
      { ...key, body: { ...body, description: 'Plain text of the answer.' } },
      [
        theRow('message', 'message'),
        {
          insert: {
            table: 'message',
            set: { to_email: '$row.from_email', subject: '$row.subject', body: '$args.body', reply_to_id: '$row.id' },
            as: 'sent',
          },
        },
      ],
      { row: 'sent' },
      {},
    ),
  },
};

const forwarding: Extra = {
  share: 25,
  tools: {
    message_forward: actionTool(
      'message.forward',
      'message',
      'Send a message on to somebody else, subject and text as they are.',
      { ...key, to_email: to },
      [
        theRow('message', 'message'),
        {
          insert: {
            table: 'message',
            set: { to_email: '$args.to_email', subject: '$row.subject', body: '$row.body' },
            as: 'sent',
          },
        },
      ],
      { row: 'sent' },
      {},
    ),
  },
};

/** In the order in which they are drawn. */
export const MAIL_EXTRAS: readonly Extra[] = [
  drafts,
  {
    share: 30,
    group: 'marks',
    tools: {
      ...mark('mark_read', 'Mark a message as read.', 'is_read', true),
      ...mark('mark_unread', 'Mark a message as not read yet.', 'is_read', false),
    },
  },
  {
    share: 30,
    group: 'marks',
    tools: {
      message_update: updateTool('message.update', 'message', 'Mark a message as read or as not read yet.', {
        ...key,
        is_read: { type: 'bool', role: 'set', col: 'is_read', required: true, description: 'Whether it was opened.' },
      }),
    },
  },
  {
    share: 40,
    tools: {
      ...toFolder(
        'archive',
        'Take a message out of the inbox into the archive.',
        'inbox',
        'archive',
        'It is not in the inbox.',
      ),
      ...toFolder(
        'restore',
        'Put an archived message back into the inbox.',
        'archive',
        'inbox',
        'It is not in the archive.',
      ),
    },
  },
  {
    share: 40,
    tools: {
      reply_list: listTool(
        'reply.list',
        'message',
        'List the answers to a message, oldest first.',
        {
          reply_to_id: {
            type: 'text',
            role: 'filter',
            col: 'reply_to_id',
            op: 'eq',
            ref: 'message',
            required: true,
            description: 'The message that was answered.',
          },
        },
        [{ col: 'sent_at' }],
      ),
    },
  },
  answers,
  forwarding,
  {
    share: 30,
    cols: {
      message: {
        importance: {
          type: 'text',
          required: true,
          enum: IMPORTANCE,
          default: 'normal',
          description: 'How important the sender calls it.',
        },
      },
    },
    args: {
      message_list: {
        importance: {
          type: 'text',
          role: 'filter',
          col: 'importance',
          op: 'eq',
          enum: IMPORTANCE,
          description: 'How important the sender calls it.',
        },
      },
      message_send: {
        importance: {
          type: 'text',
          role: 'set',
          col: 'importance',
          enum: IMPORTANCE,
          description: 'How important it is; normal when left out.',
        },
      },
    },
  },
  {
    share: 25,
    cols: {
      message: {
        is_starred: {
          type: 'bool',
          required: true,
          default: false,
          seed: 'flag',
          description: 'Whether it is marked to be found again.',
        },
      },
    },
    args: {
      message_list: {
        is_starred: {
          type: 'bool',
          role: 'filter',
          col: 'is_starred',
          op: 'eq',
          description: 'true for messages that are marked so.',
        },
      },
    },
    tools: {
      ...mark('star', 'Mark a message so that it is found again.', 'is_starred', true),
      ...mark('unstar', 'Take that mark off a message.', 'is_starred', false),
    },
  },
  {
    share: 25,
    args: {
      message_list: {
        subject_contains: contains('subject', 'Text that the subject contains.'),
        body_contains: contains('body', 'Text that the message contains.'),
      },
    },
    without: ['message_search'],
  },
];
