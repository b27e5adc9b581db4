/** Whether a value that code hands over can stand in a column. */
import type { Column } from '../../artifacts/table.js';
import type { Json } from '../../kit/hash.js';

const shown = (value: Json): string => JSON.stringify(value).slice(0, 60);

/** Why it cannot, after the column's name; undefined when it can. Null fits here: the column's own constraint decides. */
export const misfit = (column: Column, value: Json): string | undefined => {
  if (value === null) return undefined;
  switch (column.type) {
    case 'json':
      return undefined;
    case 'text':
      return typeof value === 'string' || typeof value === 'number' ? undefined : `takes text, not ${shown(value)}`;
    case 'bool':
      return value === true || value === false || value === 0 || value === 1
        ? undefined
        : `takes true or false, not ${shown(value)}`;
    default:
      return typeof value === 'number' ? undefined : `takes a number, not ${shown(value)}`;
  }
};
