/** An argument's value as a column stores it, where the request and the answer write one thing in two types. */
import type { Step, Value } from '../../artifacts/step.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Entity } from '../openapi/entities.js';
import { columnType } from './naming.js';

export interface Fitted {
  value: Value;
  steps: Step[];
}

/** `^\\d{10}\\.\\d{6}$`: how many digits a key that looks like a number has behind its point. */
const fraction = (entity: Entity): number | undefined => {
  const found = /\\\.\\d\{(\d{1,2})\}\$?$/.exec(entity.key.field?.pattern ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

/** The value of `col` that an argument names a row by. Text that stands for a number, and what may be either, is compared by SQLite. */
export const keyFrom = (arg: string, own: ColumnType, entity: Entity, col: string): Fitted => {
  const places = own === 'number' && col === entity.columns.keyCol && entity.key.type === 'text' ? fraction(entity) : 0;
  if (places !== undefined && places > 0) {
    // A number loses the zeros at its end.
    const as = `named_${arg}`;
    const query = `SELECT "${col}" AS "key_named" FROM "${entity.name}" WHERE "${col}" = printf('%.${places}f', ?)`;
    return { value: `$${as}.key_named`, steps: [{ sql: { query, params: [`$args.${arg}`], as, one: true } }] };
  }
  const isText = own === 'text' && columnType(entity, col) === 'int';
  if (!isText && own !== 'json') return { value: `$args.${arg}`, steps: [] };
  const as = `named_${arg}`;
  const given = own === 'json' ? `json_extract(?, '$')` : '?';
  const query = `SELECT "${col}" AS "key_named" FROM "${entity.name}" WHERE "${col}" = ${given}`;
  return { value: `$${as}.key_named`, steps: [{ sql: { query, params: [`$args.${arg}`], as, one: true } }] };
};
