/** What was filled in beside given values is changed where the two break a table's own conditions: given values stay. */
import type { Table } from '../../artifacts/table.js';
import { DAY } from '../../kit/calendar.js';
import { compileSql, holdsCheck, type SqlExpression } from '../../world/seed/sql-expression.js';
import type { Row, SqlValue } from '../../world/state/types.js';

export interface Condition {
  holds: SqlExpression;
  /** Columns it names. */
  cols: string[];
}

const MOST_LOOKED_AT = 60;

/** The CHECKs of a table that can be evaluated here. */
export const conditionsOf = ({ check = [], cols }: Table): Condition[] =>
  check.flatMap((text) => {
    const holds = compileSql(text);
    return holds ? [{ holds, cols: Object.keys(cols).filter((col) => new RegExp(`\\b${col}\\b`).test(text)) }] : [];
  });

const valuesFor = (
  table: Table,
  col: string,
  row: Row,
  cols: readonly string[],
  others: readonly Row[],
): SqlValue[] => {
  const column = table.cols[col];
  if (!column || column.fk !== undefined) return [];
  const step = column.type === 'date' ? DAY : column.type === 'datetime' ? 3_600 : 1;
  const beside = cols.flatMap((other) => {
    const value = row[other];
    return other !== col && typeof value === 'number' ? [value, value + step, value - step] : [];
  });
  return [
    ...(column.required ? [] : [null]),
    ...(typeof column.default === 'string' || typeof column.default === 'number' ? [column.default] : []),
    ...(column.type === 'text'
      ? []
      : beside.filter((value) => value >= (column.min ?? 0) && value <= (column.max ?? value))),
    ...(column.type === 'text' || column.type === 'date' || column.type === 'datetime' ? [] : [0, 1]),
    ...others
      .slice(0, MOST_LOOKED_AT)
      .map((each) => each[col] ?? null)
      .filter((value) => value !== null || !column.required),
  ];
};

/** Changes columns of `row` that `given` does not hold, one at a time and then two; leaves it as it is where nothing helps. */
export const mendRow = (
  table: Table,
  conditions: readonly Condition[],
  row: Row,
  given: Row,
  others: readonly Row[],
): void => {
  const broken = (each: Row): number => conditions.filter(({ holds }) => !holdsCheck(holds, each)).length;
  for (let round = 0, left = broken(row); left > 0 && round < 4; round++) {
    let best: { col: string; value: SqlValue } | undefined;
    for (const { cols, holds } of conditions) {
      if (holdsCheck(holds, row)) continue;
      for (const col of cols.filter((one) => given[one] === undefined))
        for (const value of valuesFor(table, col, row, cols, others)) {
          const now = broken({ ...row, [col]: value });
          if (now < left) [left, best] = [now, { col, value }];
        }
    }
    if (!best) return;
    row[best.col] = best.value;
  }
};
