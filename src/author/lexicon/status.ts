/** Status columns: which one a verb moves, to which of its values, and from which. */
import type { Column, Table } from '../../artifacts/table.js';
import { snake, wordsOf } from '../../kit/words.js';
import { lexicon } from './load.js';
import { folder } from './spelling.js';

const STATUS_NAMES = ['status', 'state', 'stage', 'phase', 'lifecycle', 'condition'];

/** Where in the order of the names a column is: `status` before `ticket_status` before `state`; -1 for one that is none. */
const rankOf = (col: string): number => {
  const last = col.slice(col.lastIndexOf('_') + 1);
  const at = STATUS_NAMES.indexOf(last);
  return at < 0 ? -1 : 2 * at + (last === col ? 0 : 1);
};

/** Columns that may hold a status: text, named status, state, stage ..., or the table's machine. */
export const statusColumns = (table: Table): string[] => {
  const own = table.machine?.col;
  const found: { name: string; rank: number }[] = [];
  for (const name of Object.keys(table.cols)) {
    const column = table.cols[name] as Column;
    const rank = name === own ? -1 : rankOf(name);
    if ((name === own || rank >= 0) && column.type === 'text' && !column.fk) found.push({ name, rank });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ name }) => name);
};

const forms = new Map<string, string>();
/** The same values are asked about for verb after verb. */
const folded = (value: string): string => {
  const known = forms.get(value);
  if (known !== undefined) return known;
  const made = folder(lexicon().spelling)(wordsOf(value)).join('_');
  if (forms.size > 20_000) forms.clear();
  forms.set(value, made);
  return made;
};

/** Longest run of leading words that all values share (`job_state_` of JOB_STATE_RUNNING ...), when there are several. */
const sharedPrefix = (values: readonly string[]): number => {
  if (values.length < 2) return 0;
  const lists = values.map((value) => value.split('_'));
  const first = lists[0] as string[];
  let n = 0;
  while (n < first.length - 1 && lists.every((list) => list.length > n + 1 && list[n] === first[n])) n++;
  return n;
};

/** The enum's own value for the first of `wanted` that it holds: exactly, without a shared prefix, then as its first or last words. */
export const enumValue = (values: readonly string[], wanted: readonly string[]): string | undefined => {
  const whole = values.map(folded);
  const cut = sharedPrefix(whole);
  const bare = whole.map((form) => form.split('_').slice(cut).join('_'));
  for (const test of [
    (word: string) => whole.indexOf(word),
    (word: string) => bare.indexOf(word),
    (word: string) => bare.findIndex((form) => form.startsWith(`${word}_`) || form.endsWith(`_${word}`)),
  ])
    for (const word of wanted.map(folded)) {
      const at = test(word);
      if (at >= 0) return values[at];
    }
  return undefined;
};

/** Status values as a person says them: without the words that all values of the column share. */
export const spokenStates = (values: readonly string[], all: readonly string[]): string[] => {
  const cut = sharedPrefix(all.map(folded));
  return values.map((value) => folded(value).split('_').slice(cut).join(' '));
};

/** Class of a status value (`draft`, `active`, `ended` ...); an unknown one counts as active. */
export const classOf = (value: string, values: readonly string[] = []): string => {
  const form = folded(value);
  const bare = form
    .split('_')
    .slice(sharedPrefix(values.map(folded)))
    .join('_');
  const classes = Object.entries(lexicon().state_classes);
  return (
    (classes.find(([, list]) => list.includes(form)) ?? classes.find(([, list]) => list.includes(bare)))?.[0] ??
    'active'
  );
};

/** The state a time tells of (`cancelled_at`), when it is one that a row ends in. */
export const endedState = (column: string): { state: string; class: string } | undefined => {
  const state = folded(/^(.+)_(at|on|date)$/.exec(column)?.[1] ?? '');
  const ended = lexicon().state_groups.ended ?? [];
  const found = ended.find((one) => lexicon().state_classes[one]?.includes(state));
  return found === undefined ? undefined : { state, class: found };
};

/** Values of an enum that stand in one of `from`: classes, groups (live, ended) or single states. */
export const valuesIn = (values: readonly string[], from: readonly string[]): string[] => {
  const { state_groups: groups } = lexicon();
  const classes = new Set(from.flatMap((one) => groups[one] ?? [one]));
  return values.filter((value) => classes.has(classOf(value, values)) || from.includes(folded(value)));
};

export interface StatusMove {
  col: string;
  /** The value written. */
  to: string;
  /** While something is left. */
  partial?: string;
  /** Values the row may stand in; undefined when it may stand in any. */
  from?: string[];
  nullable: boolean;
}

/** The status a verb leads to in `table`; undefined when no status column takes any of its values. */
export const statusMove = (
  table: Table,
  wanted: readonly string[],
  partial: readonly string[] | undefined,
  from: readonly string[] | undefined,
): StatusMove | undefined => {
  if (wanted.length === 0) return undefined;
  for (const name of statusColumns(table)) {
    const col = table.cols[name] as Column;
    const nullable = col.required !== true;
    if (col.enum === undefined) return { col: name, to: snake(wanted[0] as string), nullable };
    const to = enumValue(col.enum, wanted);
    if (to === undefined) continue;
    const move: StatusMove = { col: name, to, nullable };
    const part = partial && enumValue(col.enum, partial);
    if (part !== undefined) move.partial = part;
    const allowed = from ? valuesIn(col.enum, from).filter((value) => value !== to) : [];
    if (from && allowed.length > 0 && allowed.length < col.enum.filter((value) => value !== to).length)
      move.from = allowed;
    return move;
  }
  return undefined;
};
