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

const withDefault = (offered: Offered, left: string | undefined, scope: Scope): string | undefined => {
  const { arg, name, fallback } = offered;
  const given = `args.${name}`;
  if (arg.required) return given;
  const other = fallback === 'left' || fallback === undefined ? left && 'left' : translate(fallback, scope)?.cel;
  if (other !== undefined) return `has(${given}) ? ${given} : ${other}`;
  if (fallback !== undefined && /^\d+$/.test(fallback)) return `has(${given}) ? ${given} : ${fallback}`;
  if (scope.isDocument) return arg.type === 'int' ? `has(${given}) ? ${given} : 1` : undefined;
  arg.required = true;
  return given;
};

/** Works out both for an entry on a table, and readies the amount's argument; says in the scope which of them there are. */
export const amountsOf = (entry: Entry, scope: Scope): Amounts => {
  const out: Amounts = {};
  const made = entry.effect.left === undefined ? undefined : translate(entry.effect.left, scope);
  if (made && made.types.length > 0 && made.types.every((type) => ['int', 'money', 'number'].includes(type)))
    out.left = made.cel;
  scope.left = out.left !== undefined;
  if (!speaksOfAmount(entry)) return out;
  const type = (out.left && made ? widest(made.types) : undefined) ?? typeOfChange(entry, scope);
  if (type) scope.amountType = type;
  const offered = scope.args.get('amount') ?? scope.args.get('quantity');
  if (offered) {
    if (!scope.isDocument) offered.arg.type = type ?? offered.arg.type;
    if (FITS[type ?? (offered.arg.type as string)]?.includes(offered.arg.type as string)) {
      const amount = withDefault(offered, out.left, scope);
      if (amount !== undefined) {
        out.amount = amount;
        out.arg = offered.name;
        bound(offered.arg, entry);
      }
    }
  }
  if (out.amount === undefined && out.left !== undefined) out.amount = 'left';
  scope.amount = out.amount !== undefined;
  return out;
};

/** Nothing and less than nothing cannot be moved, unless the entry has an error of its own for it. */
const bound = (arg: Arg, entry: Entry): void => {
  if (arg.min === undefined && !entry.precondition.where?.too_small) arg.min = arg.type === 'number' ? 0 : 1;
};
