/** The actions of one or two tables of a service; each is compiled as it lands, and stands or falls alone. */
import { z } from 'zod';
import type { Step } from '../../../artifacts/step.js';
import { type DraftTable, DraftVerb } from '../../catalogue/archetype.js';
import type { Part } from '../ask.js';
import { ACTIONS } from '../prompts.js';
import { readColumnLine } from '../spec/column-line.js';
import { canonicalService, issueOf, type ServiceWork, type Setting } from '../spec/service.js';
import { shownTables } from '../spec/show.js';
import { nameOf, plainLine } from '../text/words.js';
import type { Issue } from '../types.js';
import { type Bag, bags, entries, get, isBag, lines } from './reading.js';

const text = z.string();
const texts = z.array(text).optional();
const Answer = z.object({
  actions: z.array(
    z.object({
      table: text,
      action: text,
      says: text,
      from: texts,
      to: text.optional(),
      writes: texts,
      inputs: texts,
      require: z.array(z.object({ that: text, error: text, message: text })).optional(),
      set: texts,
      insert: z.array(z.object({ table: text, set: z.array(text) })).optional(),
      update: z.array(z.object({ table: text, id: text, set: z.array(text) })).optional(),
    }),
  ),
});

/** Keys that an action has, and other names that models give them. */
const KNOWN = new Set(
  'table action name verb says about description from to writes put inputs args require requires set insert inserts update updates'.split(
    ' ',
  ),
);
const GENERIC = new Set(['list', 'search', 'get', 'create', 'update', 'delete']);
const MOST_ACTIONS = 5;

type Values = Record<string, string | number | boolean | null>;

const setValue = (raw: string, enumeration: readonly string[] | undefined): string | number | boolean | null => {
  const value = raw.trim().replace(/;$/, '');
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  if (enumeration?.includes(value)) return `'${value}'`;
  return value.replace(/^\$/, '').replace(/^"([^"']*)"$/, "'$1'");
};

const enumOf = (table: DraftTable | undefined, col: string): string[] | undefined => {
  const line = col === 'status' ? `one ${table?.status ?? ''}` : (table?.cols[col] ?? '');
  return /^one!? \S/.test(line) ? line.split(' ')[1]?.split('|') : undefined;
};

const setsOf = (value: unknown, table: DraftTable | undefined, at: string, issues: Issue[]): Values => {
  const out: Values = {};
  for (const line of lines(value ?? []).slice(0, 20)) {
    const found = /^\s*(?:row\.)?([a-z][a-z0-9_]*)\s*(?::=|=|:)\s*(?!=)([\s\S]{1,400})$/i.exec(line);
    const col = nameOf(found?.[1]);
    if (found && col) out[col] = setValue(found[2] as string, enumOf(table, col));
    else issues.push({ at, why: `"${line.slice(0, 60)}" sets nothing.`, hint: 'Write "column = value".' });
  }
  return out;
};

/** A table of this service; a name of another service or a made-up one is said as what it is. */
const tableNamed = (value: unknown, work: ServiceWork, at: string, issues: Issue[]): string | undefined => {
  const raw = typeof value === 'string' ? value.replace(new RegExp(`^${work.id}\\.`), '') : '';
  const name = raw.includes('.') ? undefined : nameOf(raw);
  if (name && Object.hasOwn(work.tables, name)) return name;
  issues.push({
    at,
    why: `there is no table ${String(value).slice(0, 60)} in this service.`,
    hint: `Tables: ${Object.keys(work.tables).join(', ')}.`,
  });
  return undefined;
};

const sideSteps = (bag: Bag, work: ServiceWork, at: string, issues: Issue[]): Step[] => {
  const steps: Step[] = [];
  for (const one of bags(get(bag, 'insert', 'inserts') ?? [], 'table')) {
    const table = tableNamed(get(one, 'table'), work, at, issues);
    if (table)
      steps.push({ insert: { table, set: setsOf(get(one, 'set', 'values'), work.tables[table], at, issues) } });
  }
  for (const one of bags(get(bag, 'update', 'updates') ?? [], 'table')) {
    const table = tableNamed(get(one, 'table'), work, at, issues);
    const id = String(get(one, 'id', 'where') ?? '')
      .replace(/^\$/, '')
      .replace(/^id\s*=+\s*/, '');
    if (table && !/^(row|args)\.[a-z][a-z0-9_]*$/.test(id))
      issues.push({ at, why: `"${id.slice(0, 40)}" names no row to update.`, hint: 'Write "id": "row.item_id".' });
    else if (table)
      steps.push({
        update: {
          table,
          where: { id: `$${id}` },
          set: setsOf(get(one, 'set', 'values'), work.tables[table], at, issues),
        },
      });
  }
  return steps;
};

const requirementsOf = (value: unknown): [string, string, string][] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value])
    .slice(0, 6)
    .flatMap((item): [string, string, string][] => {
      const [that, error, message] =
        typeof item === 'string'
          ? item.split(/\s+\|\s+/)
          : isBag(item)
            ? [get(item, 'that', 'condition'), get(item, 'error', 'code'), get(item, 'message')]
            : [];
      if (typeof that !== 'string' || that.trim() === '' || that.length > 400) return [];
      return [[that.trim(), nameOf(error) ?? 'not_allowed', plainLine(message, 160) || 'That is not allowed now.']];
    });

const inputsOf = (value: unknown, at: string, issues: Issue[]): Record<string, string> => {
  const out: Record<string, string> = {};
  for (const line of lines(value ?? []).slice(0, 8)) {
    const read = readColumnLine(line, at);
    if (!read) continue;
    if ('text' in read) out[read.name] = read.text;
    else issues.push(read);
  }
  return out;
};

const states = (value: unknown): string[] =>
  lines(value ?? [])
    .flatMap((line) => line.split(/[|,]/))
    .flatMap((one) => nameOf(one) ?? []);

const strayKeys = (bag: Bag): string[] =>
  Object.entries(bag).flatMap(([key, value]) => {
    const isEmpty = value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);
    return KNOWN.has(key) || isEmpty ? [] : [key.slice(0, 40)];
  });

/** Writes (`put`) keep their mark; columns that the table lacks are said. */
const putsOf = (value: unknown, table: DraftTable, at: string, issues: Issue[]): string => {
  const known = Object.keys(table.cols);
  return lines(value ?? [])
    .flatMap((line) => {
      const word = line.trim().split(/[\s:]+/)[0] ?? '';
      const col = nameOf(word);
      if (col && known.includes(col)) return [`${col}${line.includes('!') ? '!' : ''}`];
      issues.push({
        at,
        why: `"writes" names ${word.slice(0, 40)}, which is no column.`,
        hint: `Columns: ${known.join(', ')}. Other values belong into "inputs".`,
      });
      return [];
    })
    .join(' ');
};

const verbOf = (bag: Bag, work: ServiceWork, table: DraftTable, at: string, issues: Issue[]): DraftVerb => {
  const set = setsOf(get(bag, 'set'), table, at, issues);
  const columns = [...Object.keys(table.cols), ...(table.status ? ['status'] : [])];
  for (const col of Object.keys(set))
    if (!columns.includes(col))
      issues.push({ at, why: `"set" names ${col}, which is no column.`, hint: `Columns: ${columns.join(', ')}.` });
  const known = table.status?.split('|') ?? [];
  const to = nameOf(get(bag, 'to'));
  const from = [...new Set(states(get(bag, 'from')))];
  const stray = [...from, ...(to ? [to] : [])].find((state) => !known.includes(state));
  if (stray !== undefined)
    issues.push({
      at,
      why: `there is no state ${stray}.`,
      hint: known.length > 0 ? `States: ${known.join(', ')}.` : 'The table has no status: leave out from and to.',
    });
  const may = known.find((state) => typeof set.status === 'string' && set.status.includes(`'${state}'`));
  const put = putsOf(get(bag, 'writes', 'put'), table, at, issues);
  const args = inputsOf(get(bag, 'inputs', 'args'), at, issues);
  const after = sideSteps(bag, work, at, issues);
  const require = requirementsOf(get(bag, 'require', 'requires'));
  const says = plainLine(get(bag, 'says', 'about', 'description'));
  return {
    ...(from.length > 0 ? { from } : {}),
    ...(to ? { to } : {}),
    ...(!to && may ? { may } : {}),
    ...(put ? { put } : {}),
    ...(Object.keys(args).length > 0 ? { args } : {}),
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(require.length > 0 ? { require } : {}),
    ...(after.length > 0 ? { after } : {}),
    ...(says ? { says } : {}),
  };
};

const readAction = (
  bag: Bag,
  work: ServiceWork,
  setting: Setting,
  present: ReadonlySet<string>,
): { at: string; issues: Issue[] } => {
  const verb = nameOf(get(bag, 'action', 'verb', 'name'));
  const issues: Issue[] = [];
  const tableName = tableNamed(get(bag, 'table'), work, verb ?? 'action', issues);
  const at = `${tableName ?? 'unknown'}.${verb ?? 'unnamed'}`;
  if (!verb) issues.push({ at, why: 'it has no name.', hint: 'Give "action".' });
  if (!verb || !tableName || GENERIC.has(verb)) return { at, issues };
  const stray = strayKeys(bag);
  if (stray.length > 0)
    issues.push({
      at,
      why: `an action has no "${stray.join('", "')}".`,
      hint: 'Actions only change rows of this service; leave it out.',
    });
  const table = work.tables[tableName] as DraftTable;
  const draft = verbOf(bag, work, table, at, issues);
  if (!draft.to && !draft.put && !draft.set && !draft.after)
    issues.push({
      at,
      why: 'it changes nothing.',
      hint: 'Give to, writes, set, insert or update, or leave the action out.',
    });
  const verbs = table.verbs ?? {};
  if (issues.length === 0 && (Object.hasOwn(verbs, verb) || Object.keys(verbs).length < MOST_ACTIONS)) {
    const next = { ...table, verbs: { ...verbs, [verb]: DraftVerb.parse(draft) } };
    canonicalService(work, setting, present, { ...work.tables, [tableName]: next });
    work.tables[tableName] = next;
  }
  return { at, issues };
};

export interface ActionsRequest {
  work: ServiceWork;
  setting: Setting;
  present: ReadonlySet<string>;
  /** The tables whose actions are asked for. */
  tables: readonly string[];
  document: string;
}

/** The part that fills `verbs` of the named tables. */
export const actionsPart = ({ work, setting, present, tables, document }: ActionsRequest): Part => {
  const flaws = new Map<string, Issue[]>();
  const read = (value: unknown): Issue[] => {
    const given = entries(value, 'action', 'actions', 'tools', 'verbs');
    const before = new Map(flaws);
    if (given.length > 0) flaws.clear();
    for (const bag of given) {
      let at = 'action';
      try {
        const done = readAction(bag, work, setting, present);
        at = done.at;
        flaws.set(at, done.issues);
      } catch (thrown) {
        at = `${nameOf(get(bag, 'table')) ?? 'unknown'}.${nameOf(get(bag, 'action', 'verb', 'name')) ?? 'unnamed'}`;
        flaws.set(at, [issueOf(thrown, at)]);
      }
    }
    // What was wrong and is not written again was left out, as the hints offer.
    for (const [at, issues] of before) if (!flaws.has(at) && !at.startsWith('unknown.')) work.lost.push(...issues);
    const idle = tables
      .filter((name) => work.tables[name]?.status && Object.keys(work.tables[name]?.verbs ?? {}).length === 0)
      .map(
        (name): Issue => ({
          at: name,
          why: 'nothing ever happens to it: it has states and no sound action.',
          hint: 'Write at least one action that moves its status.',
        }),
      );
    return [...[...flaws.values()].flat(), ...idle];
  };
  const prompt = `Part: actions of ${work.id}: ${tables.join(', ')}\n${document}The tables of the service ${work.title}:\n${shownTables(work)}\nWrite 1 to 4 actions for each of: ${tables.join(', ')}.\n${ACTIONS}`;
  return { id: `actions.${work.id}.${tables.join('.')}`, prompt, answer: Answer, read };
};
