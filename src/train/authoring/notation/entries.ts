/** Tables, actions, rules and the plan as a model answers them: the inverse of the readers in author/model/parts. */
import type { Step } from '../../../artifacts/step.js';
import type { Literal } from '../../../artifacts/table.js';
import type { Invariant } from '../../../artifacts/world.js';
import type { DraftTable, DraftVerb } from '../../../author/catalogue/archetype.js';
import type { Shared } from '../../../author/model/parts/plan.js';
import type { ServiceWork } from '../../../author/model/spec/service.js';
import type { TableHint } from '../types.js';

export interface TableEntry {
  name: string;
  noun: string;
  about: string;
  columns: string[];
  status?: string;
  search?: string[];
  checks?: string[];
}

export interface ActionEntry {
  table: string;
  action: string;
  says: string;
  from?: string[];
  to?: string;
  writes?: string[];
  inputs?: string[];
  require?: { that: string; error: string; message: string }[];
  set?: string[];
  insert?: { table: string; set: string[] }[];
  update?: { table: string; id: string; set: string[] }[];
}

export const tableEntry = (name: string, table: DraftTable): TableEntry => ({
  name,
  noun: table.noun ?? name.replaceAll('_', ' '),
  about: table.about ?? '',
  columns: Object.entries(table.cols).map(([col, text]) => `${col}: ${text}`),
  ...(table.status ? { status: table.status } : {}),
  ...(table.search ? { search: table.search } : {}),
  ...(table.check ? { checks: table.check } : {}),
});

const sets = (values: Readonly<Record<string, Literal>>): string[] =>
  Object.entries(values).map(([col, value]) => `${col} = ${String(value).replace(/^\$/, '')}`);

/** Steps beside the row; undefined for a step that the notation cannot say. */
const besides = (steps: readonly Step[]): Pick<ActionEntry, 'insert' | 'update'> | undefined => {
  const insert: NonNullable<ActionEntry['insert']> = [];
  const update: NonNullable<ActionEntry['update']> = [];
  for (const step of steps) {
    if ('insert' in step && Object.keys(step).length === 1)
      insert.push({ table: step.insert.table, set: sets(step.insert.set) });
    else if ('update' in step && Object.keys(step).length === 1) {
      const { table, where, set } = step.update;
      const id = String(where.id ?? '').replace(/^\$/, '');
      if (Object.keys(where).length !== 1 || !/^(row|args)\.[a-z][a-z0-9_]*$/.test(id)) return undefined;
      update.push({ table, id, set: sets(set) });
    } else return undefined;
  }
  return { ...(insert.length > 0 ? { insert } : {}), ...(update.length > 0 ? { update } : {}) };
};

/** An action; undefined where the notation has no words for it (rows looked up, counts, several steps before, new rows). */
export const actionEntry = (table: string, action: string, verb: DraftVerb): ActionEntry | undefined => {
  if (verb.look || verb.count || verb.before || verb.new || verb.returns) return undefined;
  const rest = besides(verb.after ?? []);
  if (!rest) return undefined;
  return {
    table,
    action,
    says: verb.says ?? '',
    ...(verb.from?.length ? { from: verb.from } : {}),
    ...(verb.to ? { to: verb.to } : {}),
    ...(verb.put ? { writes: verb.put.split(/\s+/).filter(Boolean) } : {}),
    ...(verb.args && Object.keys(verb.args).length > 0
      ? { inputs: Object.entries(verb.args).map(([name, text]) => `${name}: ${text}`) }
      : {}),
    ...(verb.require ? { require: verb.require.map(([that, error, message]) => ({ that, error, message })) } : {}),
    ...(verb.set && Object.keys(verb.set).length > 0 ? { set: sets(verb.set) } : {}),
    ...rest,
  };
};

/** The actions of some tables of a service, in their order. */
export const actionEntries = (work: ServiceWork, tables: readonly string[]): ActionEntry[] =>
  tables.flatMap((name) =>
    Object.entries(work.tables[name]?.verbs ?? {}).flatMap(([verb, draft]) => actionEntry(name, verb, draft) ?? []),
  );

export interface RuleEntry {
  says: string;
  when: { table: string; where: string };
  expect: string;
  of: { table: string; where: string };
  key: { t: string; x: string };
  broken_by: string;
  mended_by: string;
}

export const ruleEntry = ({ says, trigger, target, key, violatedBy, repairedBy }: Invariant): RuleEntry => ({
  says,
  when: { table: `${trigger.service}.${trigger.table}`, where: trigger.where },
  expect: target.expect,
  of: { table: `${target.service}.${target.table}`, where: target.where },
  key: { t: key.trigger, x: key.target },
  broken_by: violatedBy,
  mended_by: repairedBy,
});

const place = ({ service, table, col }: Shared['from']): string => `${service}.${table}.${col}`;

export const planAnswer = (
  works: readonly ServiceWork[],
  shared: readonly Shared[],
  country: string | undefined,
): object => ({
  services: works.map(({ id, title, about, planned }) => ({ id, title, about, tables: planned })),
  shared: shared.map(({ from, to }) => ({ from: place(from), to: place(to) })),
  ...(country ? { country } : {}),
});

/** Rows and kinds of a service's tables, those without a hint left out. */
export const hintEntries = (work: ServiceWork, hints: ReadonlyMap<string, TableHint>): object[] =>
  Object.keys(work.tables).flatMap((name) => {
    const hint = hints.get(`${work.id}.${name}`);
    const columns = Object.entries(hint?.kinds ?? {}).map(([col, kind]) => `${col}: ${kind}`);
    return hint && (columns.length > 0 || hint.rows !== undefined) ? [{ name, rows: hint.rows ?? 30, columns }] : [];
  });
