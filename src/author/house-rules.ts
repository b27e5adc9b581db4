/** Rules and keys that tie a service nobody knows beforehand to the company core: its users are staff, its records are written about. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Table } from '../artifacts/table.js';
import type { Tool } from '../artifacts/tool.js';
import type { Invariant, Link } from '../artifacts/world.js';
import { plural, snake, spaced, withArticle } from '../kit/words.js';

const STAFF =
  /^(user|employee|agent|member|staff|assignee|owner|operator|technician|account manager|person|contributor|collaborator|teammate|admin)s?$/;
const EMAIL = /(^|_)e_?mail(_address)?$/;
const MOST_NAME = 63;

const toolsOf = (spec: ServiceSpec, table: string): Tool[] =>
  Object.values(spec.tools).filter((tool) => tool.table === table);

/** E-mail columns of people who work at the company: the key they share with the directory. */
export const staffLinks = (spec: ServiceSpec): Link[] =>
  Object.entries(spec.tables).flatMap(([table, { noun, cols }]) => {
    const col = Object.keys(cols).find((name) => EMAIL.test(name) && cols[name]?.type === 'text');
    if (!col || !STAFF.test(noun.toLowerCase())) return [];
    return [
      {
        id: `${spec.id}_${table}_${col}`.slice(0, MOST_NAME),
        from: { service: spec.id, table, col },
        to: { service: 'directory', table: 'employee', col: 'email' },
        says: `The ${noun} of ${spec.title} is an employee, by e-mail address.`,
      },
    ];
  });

/** "Nobody who has left is still a user": where a tool writes the address, and one can take it away again. */
export const staffRule = (spec: ServiceSpec, { from }: Link): Invariant | undefined => {
  const tools = toolsOf(spec, from.table);
  const writing = tools.filter(({ args }) =>
    Object.entries(args).some(([name, { role, col }]) => role === 'set' && (col ?? name) === from.col),
  );
  const breaks = writing.find(({ op }) => op === 'create') ?? writing[0];
  const mends = tools.find(({ op }) => op === 'delete') ?? writing.find(({ op }) => op === 'update');
  if (!breaks || !mends) return undefined;
  const { noun } = spec.tables[from.table] as Table;
  return {
    id: `left_${spec.id}_${from.table}`.slice(0, MOST_NAME),
    says: `Nobody who has left the company is among the ${plural(noun)} of ${spec.title}.`,
    trigger: { service: 'directory', table: 'employee', where: "t.status = 'left'" },
    target: { service: spec.id, table: from.table, expect: 'none', where: `x.${from.col} is not null` },
    key: { trigger: 'email', target: from.col },
    violatedBy: `${spec.id}.${breaks.id}`,
    repairedBy: `${spec.id}.${mends.id}`,
  };
};

/** The column that says when a row was made. */
const madeCol = ({ cols }: Table): string | undefined =>
  Object.keys(cols).find((col) => cols[col]?.auto === 'now' && cols[col]?.type === 'datetime');

interface Setting {
  col: string;
  value: string;
  tool: Tool;
}

/** A state that a tool can bring a row to and that rows do not begin in. */
const settingOf = (spec: ServiceSpec, name: string): Setting | undefined => {
  const { cols, machine } = spec.tables[name] as Table;
  const writers = (col: string): Tool[] =>
    Object.values(spec.tools).filter(
      ({ op, args, writes }) =>
        Object.entries(args).some(
          ([arg, { role, col: own }]) => role === 'set' && (own ?? arg) === col && op !== 'delete',
        ) || writes.some((write) => write.table === name && write.cols?.includes(col)),
    );
  const enums = Object.keys(cols).filter((col) => (cols[col]?.enum?.length ?? 0) > 1);
  for (const col of enums.sort((a, b) => Number(b === machine?.col) - Number(a === machine?.col))) {
    const tools = writers(col).filter(({ table }) => table === name);
    const tool = tools.find(({ op }) => op === 'update') ?? tools[0];
    const { default: initial, enum: values = [] } = cols[col] as Table['cols'][string];
    // An action brings a row to the states that its steps speak of, and to no other.
    const said = tool?.op === 'action' ? JSON.stringify(tool.steps ?? []) : undefined;
    const reached = values.filter((each) => said === undefined || said.includes(`'${each}'`));
    const value = reached.filter((each) => each !== initial && each !== machine?.initial).at(-1);
    if (tool && value !== undefined && !value.includes("'")) return { col, value, tool };
  }
  return undefined;
};

/** A table of the service that mail may be about: one whose rows have tools of their own and allow a rule, the best served one. */
const mainTable = (spec: ServiceSpec): string | undefined => {
  const served = Object.keys(spec.tables).filter((name) => toolsOf(spec, name).length > 0);
  const worth = (name: string): number => {
    const tools = toolsOf(spec, name);
    const isMade = tools.some(({ op }) => op === 'create');
    const allows = isMade && madeCol(spec.tables[name] as Table) ? 40 : settingOf(spec, name) ? 20 : 0;
    return tools.length + (isMade ? 10 : 0) + allows;
  };
  return served.sort((a, b) => worth(b) - worth(a))[0];
};

export interface Reference {
  link: Link;
  /** The company's mail with a field that names the record a message is about. */
  mail: ServiceSpec;
}

/** Gives mail a field that names a record of the service; undefined when the service has no table with tools. */
export const referTo = (mail: ServiceSpec, spec: ServiceSpec): Reference | undefined => {
  const table = mainTable(spec);
  const message = mail.tables.message;
  if (table === undefined || !message) return undefined;
  const { noun, key, cols } = spec.tables[table] as Table;
  const type = cols[key.col]?.type === 'int' ? ('int' as const) : ('text' as const);
  const wanted = `${snake(noun) || table}_ref`.slice(0, 40);
  const col = message.cols[wanted] ? `${wanted}_${spec.id}`.slice(0, 60) : wanted;
  const description = `Id of the ${noun} in ${spec.title} that the message is about.`;
  const withArg = (name: string, arg: Tool['args'][string]): Tool => {
    const tool = mail.tools[name] as Tool;
    return { ...tool, args: { ...tool.args, [col]: arg } };
  };
  return {
    link: {
      id: `mail_message_${col}`.slice(0, MOST_NAME),
      from: { service: mail.id, table: 'message', col },
      to: { service: spec.id, table, col: key.col },
      says: `A message may be about ${withArticle(noun)} of ${spec.title}, by its id.`,
    },
    mail: {
      ...mail,
      tables: { ...mail.tables, message: { ...message, cols: { ...message.cols, [col]: { type, description } } } },
      tools: {
        ...mail.tools,
        message_list: withArg('message_list', { type, role: 'filter', col, op: 'eq', description }),
        message_send: withArg('message_send', { type, role: 'set', col, description }),
      },
    },
  };
};

/** "Whoever enters a new record tells somebody": rows made after the world's clock. Needs a tool that makes them and a time of making. */
export const recordRule = (spec: ServiceSpec, { from, to }: Link, clock: number): Invariant | undefined => {
  const table = spec.tables[to.table] as Table;
  const { noun } = table;
  const made = madeCol(table);
  const create = toolsOf(spec, to.table).find(({ op }) => op === 'create');
  if (made === undefined || !create) return undefined;
  return {
    id: `told_${spec.id}_${to.table}`.slice(0, MOST_NAME),
    says: `Whoever enters ${withArticle(noun)} in ${spec.title} sends a message that names it.`,
    trigger: { service: to.service, table: to.table, where: `t.${made} >= ${clock}` },
    target: { service: 'mail', table: 'message', expect: 'at_least_one', where: "x.folder = 'sent'" },
    key: { trigger: to.col, target: from.col },
    violatedBy: `${spec.id}.${create.id}`,
    repairedBy: 'mail.message.send',
  };
};

/** "Whoever sets a record to a state tells somebody": where a tool writes a column of few values. */
export const stateRule = (spec: ServiceSpec, { from, to }: Link): Invariant | undefined => {
  const setting = settingOf(spec, to.table);
  if (!setting) return undefined;
  const { noun } = spec.tables[to.table] as Table;
  const { col, value, tool } = setting;
  return {
    id: `told_${spec.id}_${to.table}_${col}`.slice(0, MOST_NAME),
    says: `Whoever sets the ${spaced(col)} of ${withArticle(noun)} in ${spec.title} to ${spaced(value)} sends a message that names it.`,
    trigger: { service: to.service, table: to.table, where: `t.${col} = '${value}'` },
    target: { service: 'mail', table: 'message', expect: 'at_least_one', where: "x.folder = 'sent'" },
    key: { trigger: to.col, target: from.col },
    violatedBy: `${spec.id}.${tool.id}`,
    repairedBy: 'mail.message.send',
  };
};

/** The rule that every company can have, for worlds whose services allow no other: what is said in chat is also put in writing. */
export const writtenRule = (clock: number): Invariant => ({
  id: 'posted_also_mailed',
  says: 'Whoever posts in chat from today on also sends the same text by e-mail.',
  trigger: { service: 'chat', table: 'post', where: `t.posted_at >= ${clock}` },
  target: { service: 'mail', table: 'message', expect: 'at_least_one', where: "x.folder = 'sent'" },
  key: { trigger: 'body', target: 'body' },
  violatedBy: 'chat.post.create',
  repairedBy: 'mail.message.send',
});
