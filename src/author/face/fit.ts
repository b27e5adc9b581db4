/** An argument's value as a column stores it, where the request and the answer write one thing in two types. */
import type { Step, Value } from '../../artifacts/step.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Entity } from '../openapi/entities.js';

export interface Fitted {
  value: Value;
  steps: Step[];
}

/** The key of `entity` that an argument names. Text that stands for a number, and what may be either, is compared by SQLite. */
export const keyFrom = (arg: string, own: ColumnType, { name: table, columns, key }: Entity): Fitted => {
  const isText = own === 'text' && key.type === 'int';
  if (!isText && own !== 'json') return { value: `$args.${arg}`, steps: [] };
  const as = `named_${arg}`;
  const given = own === 'json' ? `json_extract(?, '$')` : '?';
  const query = `SELECT "${columns.keyCol}" AS "key" FROM "${table}" WHERE "${columns.keyCol}" = ${given}`;
  return { value: `$${as}.key`, steps: [{ sql: { query, params: [`$args.${arg}`], as, one: true } }] };
};
