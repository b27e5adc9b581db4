/** What the comparisons of a condition ask of single columns: values that meet each, and values that do not. */
import type { Table } from '../../artifacts/table.js';
import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Row, SqlValue } from '../../world/state/types.js';

export interface Wish {
  col: string;
  yes: SqlValue[];
  no: SqlValue[];
}

const CLAUSE =
  /\b(?:([tx])\.)?(\w+)\s*(<>|!=|<=|>=|=|<|>|\bis\s+not\s+null\b|\bis\s+null\b|\bnot\s+in\b|\bin\b)\s*('(?:[^']|'')*'|:now|-?\d+(?:\.\d+)?|[tx]\.\w+|\([^)]*\))?(?:\s*([+-])\s*(\d+))?/gi;

const unquoted = (text: string): string => text.slice(1, -1).replaceAll("''", "'");

const listed = (text: string): SqlValue[] =>
  [...text.matchAll(/'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?)/g)].map(([, word, number]) =>
    word === undefined ? Number(number) : word.replaceAll("''", "'"),
  );

const literal = (text: string, other: Row | undefined, now: number): SqlValue | undefined => {
  if (text === ':now') return now;
  if (text.startsWith("'")) return unquoted(text);
  if (/^[tx]\./.test(text)) return other?.[text.slice(2)];
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
};

/** Values on both sides of a bound, the nearest first. */
const around = (op: string, value: SqlValue, isTime: boolean): Omit<Wish, 'col'> => {
  if (typeof value !== 'number') return op === '=' ? { yes: [value], no: [] } : { yes: [], no: [value] };
  const step = isTime ? 6 * DAY : Math.max(1, Math.round(Math.abs(value) * 0.3));
  const low = isTime ? startOfDay(value - step) : value - step;
  const high = isTime ? startOfDay(value + step) : value + step;
  if (op === '=') return { yes: [value], no: [high, low] };
  if (op === '<>' || op === '!=') return { yes: [high, low], no: [value] };
  const down = { yes: op === '<=' ? [value, low] : [low], no: op === '<' ? [value, high] : [high] };
  return op.startsWith('<')
    ? down
    : { yes: op === '>=' ? [value, high] : [high], no: op === '>' ? [value, low] : [low] };
};

const enumRest = (table: Table, col: string, values: readonly SqlValue[]): SqlValue[] =>
  (table.cols[col]?.enum ?? []).filter((value) => !values.includes(value));

const FLIPPED: Record<string, string> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** A comparison read from the other end: `x.day >= t.week + 7` is a wish on `t.week` too. */
const flipped = (
  found: readonly (string | undefined)[],
  side: 't' | 'x',
  other: Row | undefined,
): Clause | undefined => {
  const [, of, col = '', operator = '', right = '', sign, more] = found;
  if (of === undefined || of === side || !right.startsWith(`${side}.`) || !other) return undefined;
  const held = other[col];
  if (held === undefined || held === null) return undefined;
  const shift = more === undefined ? 0 : Number(more) * (sign === '-' ? 1 : -1);
  return {
    col: right.slice(2),
    op: FLIPPED[operator] ?? operator,
    value: typeof held === 'number' ? held + shift : held,
  };
};

interface Clause {
  col: string;
  op: string;
  value: SqlValue;
}

const compared = ({ col, op, value }: Clause, table: Table): Wish => {
  const column = table.cols[col];
  const found = around(op, value, column?.type === 'date' || column?.type === 'datetime');
  const rest = typeof value === 'string' ? enumRest(table, col, [value]) : [];
  if (op === '=') found.no.push(...rest);
  else found.yes.push(...rest);
  return { col, ...found };
};

/**
 * Wishes of a conjunction on the columns of `side` (`t` or `x`; a bare name is the side's own). `other` is a row of the other
 * side, `now` unix seconds. What is no plain comparison is passed over.
 */
export const wishesOf = (where: string, side: 't' | 'x', table: Table, other: Row | undefined, now: number): Wish[] => {
  const out: Wish[] = [];
  for (const match of where.matchAll(CLAUSE)) {
    const [, of, col = '', operator = '', right = '', sign, more] = match;
    const turned = flipped(match, side, other);
    if (turned && table.cols[turned.col]) out.push(compared(turned, table));
    if ((of ?? side) !== side || !table.cols[col]) continue;
    const op = operator.toLowerCase().replace(/\s+/g, ' ');
    if (op === 'is null') out.push({ col, yes: [null], no: [] });
    else if (op === 'is not null') out.push({ col, yes: [], no: [null] });
    else if (op === 'in' || op === 'not in') {
      const items = listed(right);
      const rest = enumRest(table, col, items);
      out.push(op === 'in' ? { col, yes: items, no: rest } : { col, yes: rest, no: items });
    } else {
      const base = literal(right, other, now);
      if (base === undefined || base === null) continue;
      const shift = more === undefined ? 0 : Number(more) * (sign === '-' ? -1 : 1);
      const value = typeof base === 'number' ? base + shift : base;
      out.push(compared({ col, op, value }, table));
    }
  }
  return out;
};

/** One value a column that meets (or misses) every wish; columns without a value are left out. */
export const granted = (wishes: readonly Wish[], meet: boolean, turn = 0): Record<string, SqlValue> => {
  const out: Record<string, SqlValue> = {};
  for (const { col, yes, no } of wishes) {
    const values = (meet ? yes : no).filter((value) => value !== null);
    const value = values[turn % Math.max(1, values.length)];
    if (value !== undefined) out[col] = value;
  }
  return out;
};
