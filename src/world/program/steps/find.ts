/** find: rows by optional conditions and a text, in an order, a page at a time. */
import type { PlainStep, Value } from '../../../artifacts/step.js';
import { quoted } from '../../ddl.js';
import type { SqlValue } from '../../state/types.js';
import { MAX_OFFSET } from '../../surface/cursor.js';
import { DEFAULT_LIMIT } from '../../surface/decode.js';
import type { CompiledStep, Planned, Run } from '../run.js';
import { bind, type Scope, stepColumn, stepTable } from '../scope.js';
import { compileValue } from '../value.js';
import { compileCondition, type Piece, textPiece } from './condition.js';

export type FindStep = Extract<PlainStep, { find: unknown }>;
type Find = FindStep['find'];

/** Most rows a find binds. */
const MAX_ROWS = 1_000;

const clamped = (value: unknown, low: number, high: number, standard: number): number =>
  typeof value === 'number' ? Math.min(Math.max(Math.floor(value), low), high) : standard;

/** Reads a limit or an offset; absent means `standard`. */
const countOf = (scope: Scope, value: Value | undefined, high: number, standard: number): ((run: Run) => number) => {
  if (value === undefined) return () => standard;
  const compiled = compileValue(scope, value);
  return (run) => clamped(compiled.get(run), 0, high, standard);
};

/** ORDER BY by the value of the sort argument; the key breaks ties, so that pages never overlap. `full`: by all that it may be. */
const orderOf = (scope: Scope, find: Find): { order(run: Run): string; full: string } => {
  const { key } = stepTable(scope, find.table);
  const by = (cols: readonly { col: string; desc?: boolean | undefined }[]): string => {
    const terms = cols.map(({ col, desc }) => {
      stepColumn(scope, find.table, col);
      return `${quoted(col)}${desc ? ' DESC' : ''}`;
    });
    if (!cols.some(({ col }) => col === key.col)) terms.push(quoted(key.col));
    return ` ORDER BY ${terms.join(', ')}`;
  };
  const fixed = by(find.order ?? []);
  if (!find.sort) return { order: () => fixed, full: fixed };
  const value = compileValue(scope, find.sort.value);
  const choices = new Map(
    find.sort.allowed.flatMap((col) => [
      [col, by([{ col }])],
      [`-${col}`, by([{ col, desc: true }])],
    ]),
  );
  const full = by([...(find.order ?? []), ...find.sort.allowed.map((col) => ({ col }))]);
  return { order: (run) => choices.get(String(value.get(run))) ?? fixed, full };
};

const pieces = (scope: Scope, find: Find): { of(run: Run): Piece[]; full: string[] } => {
  const conditions = (find.where ?? []).map((condition) => compileCondition(scope, find.table, condition));
  const { text } = find;
  for (const col of text?.cols ?? []) stepColumn(scope, find.table, col);
  const query = text && compileValue(scope, text.value);
  const full = conditions.map((condition) => condition.full);
  if (text) full.push(textPiece(text.cols, 'x')?.sql ?? '1');
  return {
    full,
    of: (run) => {
      const found = conditions.map((condition) => condition.piece(run));
      const words = query?.get(run);
      if (text && typeof words === 'string') found.push(textPiece(text.cols, words));
      return found.filter((piece) => piece !== undefined);
    },
  };
};

const whereSql = (parts: readonly string[]): string => (parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '');

export const compileFind = (scope: Scope, { find }: FindStep): [CompiledStep, Scope] => {
  stepTable(scope, find.table);
  const from = `FROM ${quoted(find.table)}`;
  const conditions = pieces(scope, find);
  const { order, full } = orderOf(scope, find);
  const limitOf = countOf(scope, find.limit, MAX_ROWS, find.limit === undefined ? MAX_ROWS : DEFAULT_LIMIT);
  const offsetOf = countOf(scope, find.offset, MAX_OFFSET, 0);
  const { returns } = scope.site.tool;
  const answers = returns?.rows === find.as;
  let [after, slot] = bind(scope, find.as, { is: 'rows', table: find.table });
  let totalSlot: number | undefined;
  if (find.total !== undefined)
    [after, totalSlot] = bind(after, find.total, { is: 'scalar', scalar: 'int', nullable: false });
  // One statement for all orders: they differ in columns of the one table only.
  const plans: Planned[] = [{ sql: `SELECT * ${from}${whereSql(conditions.full)}${full} LIMIT ? OFFSET ?` }];
  if (totalSlot !== undefined) plans.push({ sql: `SELECT COUNT(*) AS "n" ${from}${whereSql(conditions.full)}` });
  return [
    {
      run: (run) => {
        const found = conditions.of(run);
        const where = whereSql(found.map(({ sql }) => sql));
        const params: SqlValue[] = found.flatMap((piece) => piece.params);
        const limit = limitOf(run);
        const offset = offsetOf(run);
        // One row more than asked tells whether another page follows.
        const rows = run.conn
          .prepare(`SELECT * ${from}${where}${order(run)} LIMIT ? OFFSET ?`)
          .all([...params, limit + 1, offset]);
        const more = rows.length > limit;
        if (more) rows.length = limit;
        run.slots[slot] = rows;
        let total: number | undefined;
        if (totalSlot !== undefined) {
          total =
            more || offset > 0
              ? (run.conn.prepare(`SELECT COUNT(*) AS "n" ${from}${where}`).get(params)?.n as number)
              : rows.length;
          run.slots[totalSlot] = total;
        }
        if (answers) run.paging = { offset, limit, more, ...(total !== undefined && { total }) };
      },
      plans,
    },
    after,
  ];
};
