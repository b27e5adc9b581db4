/** SQL that makes of a JSON value what a column stores: requests and answers often write one thing in two types. */
import type { Column, ColumnType } from '../../artifacts/table.js';

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A number in text, or what text says of a point in time; null for anything else. */
const NUMBER_IN = (text: string): string =>
  `CASE WHEN ${text} GLOB '[0-9]*' AND NOT ${text} GLOB '*[^0-9.]*' THEN CAST(${text} AS NUMERIC) END`;

/** Unix seconds of an instant written as text, seconds or milliseconds. */
const instantOf = (value: string, type: string, now: string): string =>
  `CASE WHEN ${type} IN ('integer', 'real') THEN CAST(CASE WHEN ${value} > 100000000000 THEN ${value} / 1000 ELSE ${value} END AS INTEGER)` +
  ` WHEN ${value} = 'now' THEN ${now} WHEN ${type} = 'text' THEN coalesce(CAST(strftime('%s', ${value}) AS INTEGER), ${NUMBER_IN(value)}) END`;

const numberOf = (value: string, type: string, whole: boolean): string => {
  const number = `CASE ${type} WHEN 'integer' THEN ${value} WHEN 'real' THEN ${value} WHEN 'true' THEN 1 WHEN 'false' THEN 0 WHEN 'text' THEN ${NUMBER_IN(value)} END`;
  return whole ? `CAST(round(${number}) AS INTEGER)` : number;
};

/**
 * `value` is SQL for what json_extract gives, `type` for what json_type says of it, `json` for the value written as JSON. Null where
 * the column cannot hold it.
 */
const converted = (type: ColumnType, sql: { value: string; type: string; json: string; now: string }): string => {
  switch (type) {
    case 'json':
      return sql.json;
    case 'text':
      return `CASE WHEN ${sql.type} IN ('text', 'integer', 'real') THEN CAST(${sql.value} AS TEXT) WHEN ${sql.type} IN ('true', 'false') THEN ${sql.type} END`;
    case 'bool':
      return `CASE WHEN ${sql.type} = 'true' OR ${sql.value} IN (1, 'true') THEN 1 WHEN ${sql.type} = 'false' OR ${sql.value} IN (0, 'false') THEN 0 END`;
    case 'date':
      return `(${instantOf(sql.value, sql.type, sql.now)}) / 86400 * 86400`;
    case 'datetime':
      return instantOf(sql.value, sql.type, sql.now);
    default:
      return numberOf(sql.value, sql.type, type !== 'number');
  }
};

/** A value inside `holder`, SQL for a JSON text, at property names. Undefined where SQLite's paths cannot write a name. */
export const insideJson = (
  holder: string,
  path: readonly string[],
  { type }: Pick<Column, 'type'>,
): string | undefined => {
  if (path.some((name) => /["\\]/.test(name))) return undefined;
  const at = quote(`$${path.map((name) => `."${name}"`).join('')}`);
  return converted(type, {
    value: `json_extract(${holder}, ${at})`,
    type: `json_type(${holder}, ${at})`,
    json: `${holder} -> ${at}`,
    now: 'NULL',
  });
};

/** A query over one JSON argument: `v` is what the column stores; where it cannot be stored, what the second parameter holds; the third is now. */
export const convertedQuery = ({ type }: Pick<Column, 'type'>): string => {
  const value = converted(type, { value: `json_extract(g, '$')`, type: 'json_type(g)', json: 'g', now: 'n' });
  return `SELECT coalesce(${value}, d) AS "v" FROM (SELECT ? AS "g", ? AS "d", ? AS "n")`;
};
