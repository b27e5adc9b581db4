/** What the products call their things: nouns, columns and verbs of each core service, as mail, chat and staff systems really differ. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Rng } from '../../kit/rng.js';
import { plural, snake } from '../../kit/words.js';
import type { Wording } from '../dialects/wording.js';

/** A wording without the words that any service may draw. */
export type CoreWording = Omit<Wording, 'words'>;

interface Choice {
  /** Nouns of a resource, in words, by weight. */
  nouns: Record<string, readonly (readonly [string, number])[]>;
  /** By table: names that go together are drawn together. */
  cols: Record<string, readonly Record<string, readonly string[]>[]>;
  /** By tool id, those that go together drawn together; the empty verb keeps the dialect's own. */
  verbs: readonly Record<string, readonly string[]>[];
}

const DIRECTORY: Choice = {
  nouns: {
    employee: [
      ['employee', 5],
      ['person', 3],
      ['staff member', 3],
      ['colleague', 2],
      ['team member', 2],
      ['worker', 1],
    ],
    direct_report: [
      ['direct report', 3],
      ['subordinate', 1],
    ],
    manager: [
      ['manager', 3],
      ['supervisor', 1],
      ['superior', 1],
    ],
  },
  cols: {
    employee: [
      { employee_no: ['employee_no', 'employee_number', 'personnel_no', 'staff_no'] },
      { name: ['name', 'full_name', 'display_name'] },
      { email: ['email', 'work_email', 'email_address'] },
      { title: ['title', 'job_title', 'position', 'job'] },
      { department: ['department', 'team', 'unit', 'dept'] },
      { manager_id: ['manager_id', 'supervisor_id', 'reports_to_id', 'line_manager_id'] },
      { phone: ['phone', 'work_phone', 'phone_number', 'telephone'] },
      { location: ['location', 'office', 'site', 'work_location'] },
      { hired_on: ['hired_on', 'start_date', 'joined_on', 'employed_since'] },
      { status: ['status', 'employment_status', 'state'] },
    ],
  },
  verbs: [{ 'employee.search': ['', '', 'find', 'look_up'] }],
};

const MAIL: Choice = {
  nouns: {
    message: [
      ['message', 4],
      ['email', 4],
      ['mail', 2],
      ['mail item', 1],
    ],
    reply: [
      ['reply', 3],
      ['answer', 1],
      ['response', 1],
    ],
  },
  cols: {
    message: [
      {
        from_email: ['from_email', 'from', 'sender', 'from_address', 'sender_email'],
        to_email: ['to_email', 'to', 'recipient', 'to_address', 'recipient_email'],
      },
      { cc: ['cc', 'cc_addresses', 'copy_to'] },
      { subject: ['subject', 'subject', 'subject_line'] },
      { body: ['body', 'text', 'content', 'body_text'] },
      { folder: ['folder', 'label', 'mailbox', 'folder_name'] },
      { is_read: ['is_read', 'read', 'seen', 'opened'] },
      { reply_to_id: ['reply_to_id', 'in_reply_to_id', 'parent_id', 'answers_id'] },
      { sent_at: ['sent_at', 'date', 'sent_on', 'sent_time'] },
      { is_starred: ['is_starred', 'starred', 'flagged'] },
    ],
  },
  verbs: [
    { 'message.send': ['send', 'send', 'send', 'compose', 'dispatch'] },
    {
      'message.archive': ['archive', 'archive', 'file_away'],
      'message.restore': ['unarchive', 'restore', 'bring_back'],
    },
    { 'message.reply': ['reply_to', 'answer', 'respond_to'] },
    { 'draft.create': ['', 'compose', 'save'] },
    { 'draft.delete': ['', 'discard'] },
    { 'message.star': ['star', 'flag'], 'message.unstar': ['unstar', 'unflag'] },
  ],
};

const CHAT: Choice = {
  nouns: {
    channel: [
      ['channel', 5],
      ['room', 3],
      ['space', 2],
      ['conversation', 1],
      ['stream', 1],
    ],
    post: [
      ['post', 4],
      ['message', 4],
      ['chat message', 2],
      ['entry', 1],
    ],
    reply: [
      ['reply', 3],
      ['thread reply', 2],
      ['thread message', 1],
    ],
    reaction: [
      ['reaction', 4],
      ['emoji reaction', 1],
    ],
  },
  cols: {
    channel: [
      { name: ['name', 'name', 'slug', 'handle'] },
      { topic: ['topic', 'purpose', 'about', 'description'] },
      { is_archived: ['is_archived', 'archived', 'closed'] },
      { is_private: ['is_private', 'private', 'members_only'] },
      { created_at: ['created_at', 'created', 'opened_at'] },
    ],
    post: [
      { author_email: ['author_email', 'author', 'user', 'sender', 'posted_by'] },
      { body: ['body', 'text', 'content', 'message_text'] },
      { reply_to_id: ['reply_to_id', 'thread_id', 'parent_id', 'in_reply_to_id'] },
      { posted_at: ['posted_at', 'time', 'sent_at', 'posted_on'] },
      { is_pinned: ['is_pinned', 'pinned'] },
    ],
    reaction: [{ author_email: ['author_email', 'user', 'reacted_by'] }, { emoji: ['emoji', 'icon', 'symbol'] }],
  },
  verbs: [
    { 'post.create': ['', 'send', 'write', 'publish'] },
    { 'channel.create': ['', 'open', 'start'] },
    { 'reaction.add': ['add', 'leave', 'set'] },
  ],
};

const CHOICES: Record<string, Choice> = { directory: DIRECTORY, mail: MAIL, chat: CHAT };

type Names = Record<string, readonly string[]>;

/** One name for each member of a set, at the same place of each list. */
const drawSet = (set: Names, rng: Rng): [string, string][] => {
  const at = rng.int(0, Math.min(...Object.values(set).map(({ length }) => length)) - 1);
  return Object.entries(set).map(([what, names]) => [what, names[at] as string]);
};

/** Names of a table's columns; a name that another column has is not taken. */
const drawCols = (sets: readonly Names[], own: readonly string[], rng: Rng): Record<string, string> => {
  const out: Record<string, string> = {};
  for (const set of sets) {
    const drawn = drawSet(set, rng);
    const isTaken = (name: string): boolean => own.includes(name) || Object.values(out).includes(name);
    if (drawn.every(([col, name]) => name === col || !isTaken(name)))
      for (const [col, name] of drawn) if (own.includes(col)) out[col] = name;
  }
  return out;
};

/** Drawn for one product. `avoid`: nouns that another core service has, which would make two tools hard to tell apart. */
export const drawWording = (spec: ServiceSpec, rng: Rng, avoid: readonly string[] = []): CoreWording => {
  const { nouns, cols, verbs } = CHOICES[spec.id] as Choice;
  const columnsOf = (table: string): string[] => Object.keys(spec.tables[table]?.cols ?? {});
  const named = Object.fromEntries(
    Object.entries(cols).map(([table, sets]) => [table, drawCols(sets, columnsOf(table), rng)]),
  );
  // A draft's fields are those of the message that it becomes.
  const draft = columnsOf('draft').flatMap((col) => (named.message?.[col] ? [[col, named.message[col]] as const] : []));
  return {
    nouns: Object.fromEntries(
      Object.entries(nouns).map(([resource, list]) => [
        resource,
        snake(rng.weighted(list.filter(([noun]) => !avoid.includes(snake(noun))))),
      ]),
    ),
    cols: draft.length > 0 ? { ...named, draft: Object.fromEntries(draft) } : named,
    verbs: Object.fromEntries(verbs.flatMap((set) => drawSet(set, rng).filter(([, verb]) => verb !== ''))),
  };
};

const renamed = (text: string, nouns: readonly (readonly [string, string])[]): string =>
  nouns.reduce(
    (said, [from, to]) =>
      said
        .replace(new RegExp(`\\b(a|an) ${from}\\b`, 'g'), `${/^[aeiou]/.test(to) ? 'an' : 'a'} ${to}`)
        .replace(new RegExp(`\\b${plural(from)}\\b`, 'g'), plural(to))
        .replace(new RegExp(`\\b${from}\\b`, 'g'), to),
    text,
  );

/** The spec with its texts in the product's nouns. Only tables' nouns are written out in texts. */
export const saidIn = (spec: ServiceSpec, wording: CoreWording): ServiceSpec => {
  const nouns = Object.keys(spec.tables).flatMap((table) => {
    const to = wording.nouns[table]?.replaceAll('_', ' ');
    const { noun } = spec.tables[table] as ServiceSpec['tables'][string];
    return to === undefined || to === noun ? [] : [[noun, to] as const];
  });
  if (nouns.length === 0) return spec;
  const say = <T extends { description?: string | undefined }>(what: T): T =>
    what.description === undefined ? what : { ...what, description: renamed(what.description, nouns) };
  const sayAll = <T extends { description?: string | undefined }>(all: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).map(([name, what]) => [name, say(what)]));
  return {
    ...spec,
    description: renamed(spec.description, nouns),
    tables: Object.fromEntries(
      Object.entries(spec.tables).map(([name, table]) => [
        name,
        { ...say(table), noun: renamed(table.noun, nouns), cols: sayAll(table.cols) },
      ]),
    ),
    tools: Object.fromEntries(
      Object.entries(spec.tools).map(([name, tool]) => [name, { ...say(tool), args: sayAll(tool.args) }]),
    ),
  };
};
