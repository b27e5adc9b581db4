/** The tables of one service: columns, states, what is searched. */
import { z } from 'zod';
import type { DraftTable } from '../../catalogue/archetype.js';
import { readColumn } from '../../catalogue/column.js';
import { compileTable } from '../../catalogue/table.js';
import type { Part } from '../ask.js';
import { TABLES } from '../prompts.js';
import { type ColumnLine, readColumnLine, valuesOf } from '../spec/column-line.js';
import { wrongCondition } from '../spec/condition.js';
import { canonicalService, issueOf, type ServiceWork, type Setting } from '../spec/service.js';
import { shownTables } from '../spec/show.js';
import { nameOf, plainLine } from '../text/words.js';
import type { Issue } from '../types.js';
import type { Shared } from './plan.js';
import { type Bag, entries, get, lines } from './reading.js';

const MOST_TABLES = 6;
const MOST_COLUMNS = 14;

const text = z.string();
const Answer = z.object({
  tables: z.array(
    z.object({
      name: text,
      noun: text,
      about: text,
      columns: z.array(text),
      status: text.optional(),
      search: z.array(text).optional(),
      checks: z.array(text).optional(),
    }),
  ),
});

const isLine = (read: ColumnLine | Issue): read is ColumnLine => 'text' in read;

const columnsOf = (bag: Bag, name: string, issues: Issue[]): Record<string, string> => {
  const cols: Record<string, string> = {};
  for (const line of lines(get(bag, 'columns', 'cols', 'fields') ?? []).slice(0, MOST_COLUMNS + 3)) {
    const read = readColumnLine(line, name);
    if (!read) continue;
    if (!isLine(read)) issues.push(read);
    else if (Object.keys(cols).length < MOST_COLUMNS) cols[read.name] ??= read.text;
  }
  return cols;
};

const stateText = (value: unknown): string =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === 'string').join('|')
    : typeof value === 'string'
      ? value.replace(/^one!? /, '')
      : '';

const tableOf = (bag: Bag, name: string, about: string, issues: Issue[]): DraftTable | undefined => {
  const cols = columnsOf(bag, name, issues);
  let status = stateText(get(bag, 'status', 'states'));
  // A status among the columns is meant as the machine.
  if (cols.status?.startsWith('one') && !status) status = cols.status.split(' ')[1] ?? '';
  delete cols.status;
  if (Object.keys(cols).length < 2) {
    issues.push({
      at: name,
      why: 'it has fewer than two columns.',
      hint: 'Give "columns": ["name: type flags", ...].',
    });
    return undefined;
  }
  const states = status && !/^(none|null|no|-)$/i.test(status) ? valuesOf(status) : undefined;
  if (status && !states && !/^(none|null|no|-)$/i.test(status))
    issues.push({
      at: `${name}.status`,
      why: `"${status.slice(0, 60)}" are no states.`,
      hint: 'Write for example "open|closed".',
    });
  const search = lines(get(bag, 'search') ?? [])
    .flatMap((col) => nameOf(col) ?? [])
    .filter((col) => /^(text|no)/.test(cols[col] ?? ''));
  const noun = plainLine(get(bag, 'noun'), 40).toLowerCase();
  const says = plainLine(get(bag, 'about', 'description')) || about;
  const table: DraftTable = {
    cols,
    ...(noun && /^[a-z]+([ -][a-z]+){0,2}$/.test(noun) ? { noun } : {}),
    ...(says ? { about: says } : {}),
    ...(states ? { status: states.join('|') } : {}),
    ...(search.length > 0 ? { search: [...new Set(search)] } : {}),
  };
  return withChecks(table, name, lines(get(bag, 'checks', 'check') ?? []), issues);
};

const withChecks = (table: DraftTable, name: string, checks: readonly string[], issues: Issue[]): DraftTable => {
  let columns: ReturnType<typeof compileTable>;
  try {
    columns = compileTable(name, table, undefined);
  } catch (thrown) {
    issues.push(issueOf(thrown, name));
    return table;
  }
  const good = checks.slice(0, 4).filter((check) => {
    const why = wrongCondition(check, { '': columns.table.cols });
    if (why) issues.push({ at: `${name}.checks`, why: `"${check.slice(0, 80)}": ${why}` });
    return why === undefined;
  });
  return good.length > 0 ? { ...table, check: good } : table;
};

/** Foreign keys to tables that are not there, and those that must be given in a circle. */
const brokenKeys = (tables: Readonly<Record<string, DraftTable>>): { table: string; col: string; issue: Issue }[] => {
  const targets = (name: string): { col: string; to: string; must: boolean }[] =>
    Object.entries(tables[name]?.cols ?? {}).flatMap(([col, line]) => {
      const { column, mandatory } = readColumn(line);
      return column.fk ? [{ col, to: column.fk, must: mandatory }] : [];
    });
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    from === goal ||
    (!seen.has(from) && seen.add(from) && targets(from).some(({ to, must }) => must && reaches(to, goal, seen))) ===
      true;
  return Object.keys(tables).flatMap((table) =>
    targets(table).flatMap(({ col, to, must }) => {
      const at = `${table}.${col}`;
      if (!Object.hasOwn(tables, to))
        return [
          {
            table,
            col,
            issue: {
              at,
              why: `there is no table ${to} in this service.`,
              hint: `Tables: ${Object.keys(tables).join(', ')}. A table of another service is named by ref, not by fk.`,
            },
          },
        ];
      return must && reaches(to, table, new Set())
        ? [
            {
              table,
              col,
              issue: { at, why: 'rows would have to exist before one another.', hint: 'Leave the "!" out.' },
            },
          ]
        : [];
    }),
  );
};

const sharedIssues = (work: ServiceWork, shared: readonly Shared[]): Issue[] =>
  shared.flatMap(({ from, to }) => {
    if (from.service === work.id) {
      const line = work.tables[from.table]?.cols[from.col] ?? '';
      const wanted = `ref ${to.service}.${to.table}.${to.col}`;
      return line.replace('!', '').startsWith(wanted)
        ? []
        : [
            {
              at: `${from.table}.${from.col}`,
              why: 'the plan shares it, and it is not there as planned.',
              hint: `Write "${from.col}: ${wanted}" in ${from.table}.`,
            },
          ];
    }
    const line = work.tables[to.table]?.cols[to.col] ?? '';
    return to.service !== work.id || /^no\b|\bunique\b/.test(line)
      ? []
      : [
          {
            at: `${to.table}.${to.col}`,
            why: 'the plan shares it, and it is no number of its own.',
            hint: `Write "${to.col}: no ${to.table.slice(0, 3).toUpperCase()}-" in ${to.table}.`,
          },
        ];
  });

const holdsEmployee = (work: ServiceWork): boolean =>
  Object.values(work.tables).some(({ cols }) => Object.values(cols).some((line) => /^emp(no)?\b/.test(line)));

/** What is wrong with the tables as a whole. */
const wholeIssues = (work: ServiceWork, shared: readonly Shared[]): Issue[] => {
  const missing = work.planned
    .filter(({ name }) => !Object.hasOwn(work.tables, name))
    .map(({ name }) => ({ at: name, why: 'this table is missing.', hint: 'Write it too.' }));
  const staff: Issue[] = holdsEmployee(work)
    ? []
    : [
        {
          at: work.id,
          why: 'nobody is responsible for anything.',
          hint: 'Give the main table a column like "handler_email: emp!".',
        },
      ];
  return [...missing, ...brokenKeys(work.tables).map(({ issue }) => issue), ...sharedIssues(work, shared), ...staff];
};

/** Leaves out what is still broken, so that the rest can be used; says what. */
export const mendTables = (work: ServiceWork): void => {
  for (const { table, col, issue } of brokenKeys(work.tables)) {
    const draft = work.tables[table] as DraftTable;
    const { [col]: line = '', ...rest } = draft.cols;
    work.lost.push(issue);
    const keeps = issue.hint?.startsWith('Leave');
    work.tables[table] = { ...draft, cols: keeps ? { ...draft.cols, [col]: line.replace('!', '') } : rest };
  }
  for (const [name, draft] of Object.entries(work.tables))
    if (Object.keys(draft.cols).length === 0) delete work.tables[name];
};

const sharedLines = (work: ServiceWork, shared: readonly Shared[]): string => {
  const wanted = shared.flatMap(({ from, to }) => [
    ...(from.service === work.id
      ? [
          `- ${from.table} needs "${from.col}: ref! ${to.service}.${to.table}.${to.col}" (without "!" where it may be missing)`,
        ]
      : []),
    ...(to.service === work.id ? [`- ${to.table} needs "${to.col}", a running number (no) or a unique text`] : []),
  ]);
  return wanted.length > 0 ? `Shared with other services:\n${[...new Set(wanted)].join('\n')}\n` : '';
};

export interface TablesRequest {
  work: ServiceWork;
  setting: Setting;
  present: ReadonlySet<string>;
  shared: readonly Shared[];
  /** The document's text, as it stands in a prompt. */
  document: string;
}

/** The part that fills `work.tables`; sound tables are kept from round to round, their actions too. */
export const tablesPart = ({ work, setting, present, shared, document }: TablesRequest): Part => {
  const flaws = new Map<string, Issue[]>();
  const about = new Map(work.planned.map((table) => [table.name, table.about]));
  const read = (value: unknown): Issue[] => {
    for (const bag of entries(value, 'name', 'tables')) {
      const name = nameOf(get(bag, 'name', 'table'));
      if (!name) continue;
      const found: Issue[] = [];
      const table = tableOf(bag, name, about.get(name) ?? '', found);
      flaws.set(name, found);
      const isNew = !Object.hasOwn(work.tables, name);
      if (!table || (isNew && Object.keys(work.tables).length >= MOST_TABLES)) continue;
      const verbs = work.tables[name]?.verbs;
      work.tables[name] = { ...table, ...(verbs ? { verbs } : {}) };
    }
    const issues = [...flaws.values()].flat().concat(wholeIssues(work, shared));
    if (issues.length > 0) return issues;
    try {
      canonicalService(work, setting, present, withoutVerbs(work.tables));
    } catch (thrown) {
      return [issueOf(thrown, work.id)];
    }
    return [];
  };
  const written = Object.keys(work.tables).length > 0 ? `Written so far:\n${shownTables(work)}\n` : '';
  const planned = work.planned.map(({ name, about: says }) => `- ${name}${says ? `: ${says}` : ''}`).join('\n');
  const prompt = `Part: tables of ${work.id}\n${document}The service: ${work.title}. ${work.about}\nIts tables:\n${planned}\n${sharedLines(work, shared)}${written}Write the tables.\n${TABLES}`;
  return { id: `tables.${work.id}`, prompt, answer: Answer, read };
};

export const withoutVerbs = (tables: Readonly<Record<string, DraftTable>>): Record<string, DraftTable> =>
  Object.fromEntries(Object.entries(tables).map(([name, { verbs: _, ...rest }]) => [name, rest]));
