/** Rule e: a status or a stamp is added where nothing a table has would tell that the verb was done. */
import type { Column, Table } from '../../artifacts/table.js';
import { snake } from '../../kit/words.js';
import type { Entry } from './load.js';
import { ADDED_STATUS, type MainRow, wantedStatus } from './main-row.js';
import { participleOf } from './participle.js';
import { quoted, type Scope } from './scope.js';
import { valuesIn } from './status.js';
import type { VerbMatch } from './types.js';

/** What a row without a status counts as, by the state the verb asks for. */
const presentDefault = (entry: Entry): string => {
  const from = entry.precondition.from ?? [];
  if (from.length === 0 || from.includes('live') || from.includes('active')) return 'active';
  const [first = 'active'] = from;
  return (
    {
      draft: 'draft',
      queued: 'pending',
      review: 'in_review',
      approved: 'approved',
      paused: 'paused',
      done: 'completed',
      ended: 'closed',
    }[first] ?? 'active'
  );
};

/** Adds a column to the row's table and writes it; the columns added come back by name, none when the verb has neither. */
export const addGround = (entry: Entry, match: VerbMatch, row: MainRow, scope: Scope): Record<string, Column> => {
  const { table } = scope;
  const [to] = wantedStatus(match, entry.effect).map((word) => snake(word));
  const status = table.cols.status;
  if (to !== undefined && !match.reversed && (status === undefined || status.description === ADDED_STATUS)) {
    const start = presentDefault(entry);
    const values = [...new Set([...(status?.enum ?? [start]), ...(to === start ? [start] : [start, to])])];
    row.set.status = quoted(to);
    row.already = `row.status == ${quoted(to)}`;
    const from = valuesIn(values, entry.precondition.from ?? []).filter((value) => value !== to);
    row.move = { col: 'status', to, nullable: false, ...(from.length > 0 ? { from } : {}) };
    return {
      status: {
        type: 'text',
        required: true,
        enum: values,
        default: status?.default ?? start,
        description: ADDED_STATUS,
      },
    };
  }
  const stamp =
    match.stamp?.[0] ?? entry.effect.stamp?.[0] ?? (to === undefined ? undefined : `${participleOf(match.word)}_at`);
  if (stamp === undefined || table.cols[stamp] !== undefined || match.reversed) return {};
  row.set[stamp] = '$now';
  row.already = `row.${stamp} != null`;
  return {
    [stamp]: { type: 'datetime', description: `When it was ${participleOf(match.word).replaceAll('_', ' ')}.` },
  };
};

/** The tables with the columns added, for compiling the next verb: an added status takes in the values of both. */
export const withAdded = (
  tables: Record<string, Table>,
  added: Record<string, Record<string, Column>>,
): Record<string, Table> => {
  const out = { ...tables };
  for (const [name, cols] of Object.entries(added)) {
    const table = out[name];
    if (!table) continue;
    const merged = { ...table.cols };
    for (const [col, column] of Object.entries(cols)) {
      const known = merged[col];
      merged[col] =
        known?.enum && column.enum
          ? { ...known, enum: [...new Set([...known.enum, ...column.enum])] }
          : (known ?? column);
    }
    out[name] = { ...table, cols: merged };
  }
  return out;
};
