/** An archetype cut down to what the model author's notation can say: its tables, states, actions, and the hints on its data. */
import type { Invariant } from '../../../artifacts/world.js';
import type { Archetype, DraftTable, DraftVerb } from '../../../author/catalogue/archetype.js';
import type { Rng } from '../../../kit/rng.js';
import type { TableHint } from '../types.js';
import { plainColumn } from './columns.js';
import { actionEntry } from './entries.js';

/** What the prompts ask for (author/model/prompts.ts). */
const MOST_TABLES = 5;
const LEAST_COLUMNS = 4;
const MOST_COLUMNS = 9;
/** What the reader takes (author/model/parts/tables.ts). */
const LONGEST_TABLE = 14;
const LEAST_ACTIONS = 2;
const MOST_ACTIONS = 4;

export interface Cut {
  tables: Record<string, DraftTable>;
  hints: Record<string, TableHint>;
}

const ends = (rule: Invariant): { service: string; table: string }[] => [rule.trigger, rule.target];

/** Tables in order of need: those of rules, what they point at, what others share, then a draw of the rest: three to five. */
export const chosenTables = (
  source: Archetype,
  rules: readonly Invariant[],
  shared: readonly string[],
  draw: Rng,
): string[] => {
  const most = draw.int(3, MOST_TABLES);
  const wanted = [
    ...rules.flatMap((rule) => ends(rule).flatMap(({ service, table }) => (service === source.id ? [table] : []))),
    ...shared,
    ...draw.shuffle(Object.keys(source.tables)),
  ].filter((name) => source.tables[name]);
  const out = new Set<string>();
  const add = (name: string): void => {
    if (out.has(name) || out.size >= most || !source.tables[name]) return;
    out.add(name);
    for (const text of Object.values(source.tables[name].cols)) {
      const parent = /^fk! (\w+)/.exec(text)?.[1];
      if (parent) add(parent);
    }
  };
  for (const name of wanted) add(name);
  return Object.keys(source.tables).filter((name) => out.has(name));
};

/** Columns that matter: given ones and those that rules and actions speak of; then a draw of the rest, so that worlds differ. */
const keptColumns = (cols: Readonly<Record<string, string>>, spoken: string, draw: Rng): string[] => {
  const names = Object.keys(cols);
  const isSpoken = (col: string): boolean => new RegExp(`\\b${col}\\b`).test(spoken);
  const needed = names.filter((col) => /^(no|fk!|ref|emp)\b|^\w+!/.test(cols[col] ?? '') || isSpoken(col));
  const most = Math.max(draw.int(LEAST_COLUMNS, MOST_COLUMNS), Math.min(needed.length, LONGEST_TABLE));
  const kept = new Set([...needed, ...draw.shuffle(names.filter((col) => !needed.includes(col)))].slice(0, most));
  return names.filter((col) => kept.has(col));
};

const mentions = (what: unknown, col: string): boolean => new RegExp(`\\b${col}\\b`).test(JSON.stringify(what));

const keptVerbs = (
  name: string,
  table: DraftTable,
  dropped: readonly string[],
  needed: ReadonlySet<string>,
  draw: Rng,
): NonNullable<DraftTable['verbs']> => {
  const verbs = Object.entries(table.verbs ?? {}).flatMap(([verb, draft]): [string, DraftVerb][] => {
    const { stamp, ...rest } = draft;
    const set = { ...(rest.set ?? {}) };
    if (stamp && table.cols[stamp] && !dropped.includes(stamp)) set[stamp] = 'now';
    for (const col of Object.keys(set))
      if (dropped.includes(col) || (!table.cols[col] && col !== 'status')) delete set[col];
    const { set: _, put, ...bare } = rest;
    const writes = (put ?? '').split(/\s+/).filter((word) => word && !dropped.includes(word.replace(/[!?]$/, '')));
    const next: DraftVerb = {
      ...bare,
      ...(writes.length > 0 ? { put: writes.join(' ') } : {}),
      ...(Object.keys(set).length > 0 ? { set } : {}),
    };
    if (!actionEntry(name, verb, next) || dropped.some((col) => mentions({ ...next, says: '' }, col))) return [];
    return [[verb, next]];
  });
  const sorted = draw.shuffle(verbs).sort(([a], [b]) => Number(needed.has(b)) - Number(needed.has(a)));
  const kept = new Set(sorted.slice(0, draw.int(LEAST_ACTIONS, MOST_ACTIONS)).map(([verb]) => verb));
  return Object.fromEntries(verbs.filter(([verb]) => kept.has(verb)));
};

const sentence = (name: string, cols: readonly string[], noun: string): string => {
  const words = cols
    .map((col) => col.replace(/_(id|no)$/, '').replaceAll('_', ' '))
    .filter((word) => word !== noun && word !== name.replaceAll('_', ' '));
  const list = [...new Set(words)].slice(0, 3).join(', ');
  return `One ${noun}${list ? `, with ${list}` : ''}.`;
};

const simpleTable = (
  name: string,
  whole: DraftTable,
  around: Parameters<typeof plainColumn>[1],
  needed: ReadonlySet<string>,
  spoken: string,
  draw: Rng,
): { table: DraftTable; hint: TableHint } => {
  const cols: Record<string, string> = {};
  const kinds: Record<string, string> = {};
  const chosen = keptColumns(whole.cols, spoken, draw.stream('columns'));
  for (const col of chosen) {
    const plain = plainColumn(whole.cols[col] ?? '', around);
    if (!plain || ['id', 'created_at', 'updated_at', 'status'].includes(col)) continue;
    cols[col] = plain.text;
    if (plain.kind) kinds[col] = plain.kind;
  }
  const dropped = Object.keys(whole.cols).filter((col) => !Object.hasOwn(cols, col));
  const verbs = keptVerbs(name, whole, dropped, needed, draw.stream('actions'));
  const noun = whole.noun && /^[a-z]+([ -][a-z]+){0,2}$/.test(whole.noun) ? whole.noun : undefined;
  const search = (whole.search ?? []).filter((col) => /^(text|no)/.test(cols[col] ?? ''));
  const check = (whole.check ?? []).filter((text) => !dropped.some((col) => mentions(text, col))).slice(0, 4);
  const status = whole.status && !whole.machine ? whole.status.split(/\s+/)[0] : undefined;
  const table: DraftTable = {
    cols,
    noun: noun ?? name.replaceAll('_', ' '),
    about: whole.about ?? sentence(name, Object.keys(cols), noun ?? name.replaceAll('_', ' ')),
    ...(status ? { status } : {}),
    ...(search.length > 0 ? { search } : {}),
    ...(check.length > 0 ? { check } : {}),
    verbs,
  };
  return { table, hint: { rows: whole.rows, kinds } };
};

/** What the needed actions of a table say, so that their columns stay. */
const neededVerbs = (table: DraftTable | undefined, needed: ReadonlySet<string>): string =>
  JSON.stringify(Object.entries(table?.verbs ?? {}).filter(([verb]) => needed.has(verb)));

/** The tables `names` of an archetype in the notation. `has`: whether a column of another service is there. */
export const simplify = (
  source: Archetype,
  names: readonly string[],
  has: (place: string) => boolean,
  rules: readonly Invariant[],
  draw: Rng,
): Cut => {
  const tables = new Set(names);
  const spoken = JSON.stringify(rules);
  const needed = new Set(rules.flatMap(({ violatedBy, repairedBy }) => [violatedBy, repairedBy]));
  const out: Cut = { tables: {}, hints: {} };
  for (const name of names) {
    const own = new Set(
      [...needed].flatMap((path) => {
        const [service, table, verb] = path.split('.');
        return service === source.id && table === name && verb ? [verb] : [];
      }),
    );
    const { table, hint } = simpleTable(
      name,
      source.tables[name] as DraftTable,
      { tables, has },
      own,
      `${spoken}${neededVerbs(source.tables[name], own)}`,
      draw.stream(name),
    );
    if (Object.keys(table.cols).length < 2) continue;
    out.tables[name] = table;
    out.hints[name] = hint;
  }
  return out;
};
