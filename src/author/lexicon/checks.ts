/** Preconditions of a verb as `require` lines, each with the error code it answers with. */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import { foreignKey, isTime } from './columns.js';
import { keep, translate, withCaller } from './expression.js';
import { kindOf } from './kind.js';
import { type Entry, lexicon } from './load.js';
import type { MainRow } from './main-row.js';
import { guardedText } from './main-row.js';
import { quoted, type Scope } from './scope.js';
import { endedState, spokenStates, statusColumns, valuesIn } from './status.js';

export interface Check {
  that: string;
  error: string;
  message: string;
}

const spoken = (value: string): string => value.replaceAll('_', ' ').toLowerCase();

/** States a message lists; a longer list says less than the reason. */
const MOST_SPOKEN = 4;

/** The status the row must stand in. */
const stateCheck = (entry: Entry, row: MainRow, scope: Scope): Check | undefined => {
  const { move } = row;
  if (!move?.from?.length) return undefined;
  // Done again, or with other arguments, the row may stand where it leads already.
  const isAgain = entry.idempotent.repeat === 'again' || row.moreThanState;
  const from =
    isAgain && valuesIn([move.to], entry.precondition.from ?? []).length > 0 ? [...move.from, move.to] : move.from;
  const path = guardedText(`row.${move.col}`, move.nullable);
  const values = from.map(quoted).join(', ');
  const reason = entry.typical_errors.invalid_state ?? 'its state does not allow this';
  const states = spokenStates(from, scope.table.cols[move.col]?.enum ?? []).join(' or ');
  return {
    that: from.length === 1 ? `${path} == ${values}` : `${path} in [${values}]`,
    error: 'invalid_state',
    message:
      from.length > MOST_SPOKEN
        ? `The ${scope.table.noun} is in no state for this: ${reason}.`
        : `The ${scope.table.noun} must be ${states} for this.`,
  };
};

/** Without a status, what has happened is read off the times: a row with `cancelled_at` is no longer live. */
const stampChecks = (entry: Entry, row: MainRow, scope: Scope): Check[] => {
  const { from } = entry.precondition;
  if (from === undefined || statusColumns(scope.table).length > 0) return [];
  const allowed = new Set(from.flatMap((one) => lexicon().state_groups[one] ?? [one]));
  return Object.entries(scope.table.cols).flatMap(([name, col]) => {
    const ended = isTime(col) && col.required !== true && !Object.hasOwn(row.set, name) ? endedState(name) : undefined;
    if (ended === undefined || allowed.has(ended.class) || allowed.has(ended.state)) return [];
    const message = `The ${scope.table.noun} is ${spoken(ended.state)}.`;
    return [{ that: `row.${name} == null`, error: 'invalid_state', message }];
  });
};

/** Every check besides existence and repetition, in the order they are made. */
export const checksOf = (entry: Entry, row: MainRow, scope: Scope): Check[] => {
  const state = stateCheck(entry, row, scope);
  const checks: Check[] = state ? [state] : stampChecks(entry, row, scope);
  for (const [error, text] of Object.entries(entry.precondition.where ?? {})) {
    const own = withCaller(text, scope);
    const made = own === undefined ? undefined : translate(own, scope);
    if (made === undefined || made.cel === 'true' || made.cel === 'false') continue;
    if (!/\b(row|args|left|amount|open_children)\b/.test(made.cel)) continue;
    // An argument that nothing is done with needs no check of its own.
    if (made.types.length === 0 && made.uses.some((name) => !scope.used.has(name))) continue;
    const absent = made.needs
      .filter((name) => !made.cel.includes(`has(args.${name})`))
      .map((name) => `!has(args.${name})`);
    const that = keep(made, scope);
    const reason = entry.typical_errors[error] ?? spoken(error);
    checks.push({
      that: absent.length > 0 ? `${absent.join(' || ')} || (${that})` : that,
      error,
      message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    });
  }
  return checks;
};

/** Kinds of child rows that a row waits for. */
const PARTS = ['task', 'check', 'ticket'];
const isPart = (noun: string, table: Table): boolean =>
  PARTS.includes(kindOf(noun, table.cols)) || /(^|_)(item|line|step|subtask)$/.test(noun);

/** Counts the open child rows when an entry asks for them: binds `open_children`, one find a child table. */
export const childCounts = (entry: Entry, scope: Scope): { steps: Step[]; reads: string[] } => {
  if (!JSON.stringify(entry.precondition).includes('row.open_children')) return { steps: [], reads: [] };
  const steps: Step[] = [];
  const reads: string[] = [];
  const names: string[] = [];
  for (const [name, child] of Object.entries(scope.tables)) {
    const fk = name === scope.tableName ? undefined : foreignKey(child, scope.tableName);
    if (fk === undefined || !isPart(name, child)) continue;
    const state = statusColumns(child).find((col) => child.cols[col]?.enum);
    if (state === undefined) continue;
    const live = valuesIn(child.cols[state]?.enum as string[], ['live']);
    if (live.length === 0) continue;
    const total = `open_${names.length + 1}`;
    names.push(total);
    reads.push(name);
    steps.push({
      find: {
        table: name,
        where: [
          { col: fk, op: 'eq', value: `$row.${scope.table.key.col}` },
          { col: state, op: 'in', value: `[${live.map(quoted).join(', ')}]` },
        ],
        limit: 1,
        as: `${total}_rows`,
        total,
      },
    });
  }
  if (steps.length > 0) steps.push({ let: { open_children: names.join(' + ') } });
  return { steps, reads };
};
