/** An argument's value as a column stores it, where the request and the answer write one thing in two types. */
import type { Step, Value } from '../../artifacts/step.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Entity } from '../openapi/entities.js';
import { columnType } from './naming.js';

export interface Fitted {
  value: Value;
  steps: Step[];
}

/** The value of `col` that an argument names a row by. Text that stands for a number, and what may be either, is compared by SQLite. */
export const keyFrom = (arg: string, own: ColumnType, entity: Entity, col: string): Fitted => {
  const isText = own === 'text' && columnType(entity, col) === 'int';
  if (!isText && own !== 'json') return { value: `$args.${arg}`, steps: [] };
  const as = `named_${arg}`;
  const given = own === 'json' ? `json_extract(?, '$')` : '?';
  const query = `SELECT "${col}" AS "key_named" FROM "${entity.name}" WHERE "${col}" = ${given}`;
  return { value: `$${as}.key_named`, steps: [{ sql: { query, params: [`$args.${arg}`], as, one: true } }] };
};
