/** `left` and `amount`: how much is still open, and how much this call moves. */
import type { Column, ColumnType } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { columnOf, isNumber } from './columns.js';
import { translate } from './expression.js';
import type { Entry } from './load.js';
import type { Offered, Scope } from './scope.js';

export interface Amounts {
  left?: string;
  amount?: string;
  /** The argument the amount is read from. */
  arg?: string;
}

const speaksOfAmount = (entry: Entry): boolean =>
  /\bamount\b/.test(
    JSON.stringify([entry.effect, entry.side_rows, entry.precondition]).replaceAll(/"[a-z_]*amount[a-z_]*":/g, ''),
  );

const widest = (types: readonly ColumnType[]): ColumnType =>
  types.includes('number') ? 'number' : types.includes('money') ? 'money' : 'int';

/** Type of the numbers the entry's amount is added to or taken from; undefined when there is no such column. */
const typeOfChange = (entry: Entry, scope: Scope): ColumnType | undefined => {
  const lines = { ...entry.effect.change, ...entry.effect.set };
  for (const [role, line] of Object.entries(lines)) {
    if (typeof line !== 'string' || !/\bamount\b/.test(line)) continue;
    const col = columnOf(scope.table, role);
    if (col !== undefined && isNumber(scope.table.cols[col] as Column)) return scope.table.cols[col]?.type;
  }
  return undefined;
};

const FITS: Record<string, readonly string[]> = {
  int: ['int'],
  money: ['money', 'int'],
  number: ['number', 'int', 'money'],
};

/** Both branches of a choice have one type: a whole number beside a fraction is made one. */
const either = (given: string, isGivenDouble: boolean, other: string, isOtherDouble: boolean): string =>
  isGivenDouble === isOtherDouble
    ? `has(${given}) ? ${given} : ${other}`
    : isGivenDouble
      ? `has(${given}) ? ${given} : (${other}) * 1.0`
      : `has(${given}) ? ${given} * 1.0 : ${other}`;

interface Left {
  cel: string;
  isDouble: boolean;
}

/** A default of the entry (`row.total`, `1`) as a number. */
const numberOf = (text: string, scope: Scope): Left | undefined => {
  const made = translate(text, scope);
  return made?.of === 'number' && !made.types.some((type) => type === 'date' || type === 'datetime') ? made : undefined;
};

const withDefault = (offered: Offered, left: Left | undefined, scope: Scope): Left | undefined => {
  const { arg, name, fallback } = offered;
  const given = `args.${name}`;
  const isDouble = arg.type === 'number';
  if (arg.required) return { cel: given, isDouble };
  const open = left && { ...left, cel: 'left' };
  const one = scope.isDocument && arg.type === 'int' ? { cel: '1', isDouble: false } : undefined;
  const other = (fallback === undefined || fallback === 'left' ? open : numberOf(fallback, scope)) ?? one;
  if (other) return { cel: either(given, isDouble, other.cel, other.isDouble), isDouble: isDouble || other.isDouble };
  if (scope.isDocument) return undefined;
  arg.required = true;
  return { cel: given, isDouble };
};

const leftOf = (entry: Entry, scope: Scope): (Left & { type: ColumnType }) | undefined => {
  const made = entry.effect.left === undefined ? undefined : translate(entry.effect.left, scope);
  if (!made?.types.length || !made.types.every((type) => ['int', 'money', 'number'].includes(type))) return undefined;
  return { cel: made.cel, isDouble: made.isDouble, type: widest(made.types) };
};

/** Works out both for an entry on a table, and readies the amount's argument; says in the scope which of them there are. */
export const amountsOf = (entry: Entry, scope: Scope): Amounts => {
  const left = leftOf(entry, scope);
  const out: Amounts = left ? { left: left.cel } : {};
  scope.left = left !== undefined;
  if (!speaksOfAmount(entry)) return out;
  const offered = scope.args.get('amount') ?? scope.args.get('quantity');
  const type = left?.type ?? typeOfChange(entry, scope) ?? (offered?.arg.type as ColumnType | undefined);
  if (type) scope.amountType = type;
  if (offered && !scope.isDocument && type) offered.arg.type = type;
  const fits = offered && type && FITS[type]?.includes(offered.arg.type);
  const amount = offered && fits ? withDefault(offered, left, scope) : undefined;
  if (offered && amount) {
    out.amount = amount.cel;
    out.arg = offered.name;
    if (amount.isDouble) scope.amountType = 'number';
    scope.settled.add(offered.name);
    bound(offered.arg, entry);
  } else if (left) out.amount = 'left';
  scope.amount = out.amount !== undefined;
  return out;
};

/** Nothing and less than nothing cannot be moved, unless the entry has an error of its own for it. */
const bound = (arg: Arg, entry: Entry): void => {
  if (arg.min === undefined && !entry.precondition.where?.too_small) arg.min = arg.type === 'number' ? 0 : 1;
};
