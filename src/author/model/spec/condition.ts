/** SQL conditions that a model wrote: only comparisons over named columns, nothing that reads elsewhere. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import { compileSql } from '../../../world/seed/sql-expression.js';

export type Columns = Readonly<Record<string, ServiceSpec['tables'][string]['cols']>>;

const LONGEST = 300;

const near = (name: string, known: readonly string[]): string =>
  `Columns: ${known.slice(0, 30).join(', ')} (not ${name}).`;

/**
 * What is wrong with a condition, or undefined. `sides` holds the columns by the name before the dot (`t`, `x`, or `` for bare
 * names). Values are held against the enums.
 */
export const wrongCondition = (sql: string, sides: Columns): string | undefined => {
  if (sql.trim() === '') return 'it is empty';
  if (sql.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (/--|\/\*|;|"|`/.test(sql))
    return "it holds --, /*, ; or double quotes; write text values in single quotes: t.status = 'open'";
  const compiled = compileSql(sql);
  if (!compiled)
    return 'only comparisons, and / or / not, in (...), between, is null and arithmetic may be used; no SELECT';
  const bare = sql.replace(/'(?:[^']|'')*'/g, "''");
  for (const [, of = '', name = ''] of bare.matchAll(
    /(?<![:.\w])(?:([A-Za-z_]\w*)\s*\.\s*)?([A-Za-z_]\w*)\b(?!\s*\()/g,
  )) {
    if (of === '' && /^(and|or|not|in|between|like|is|null|true|false|isnull|notnull)$/i.test(name)) continue;
    const cols = Object.hasOwn(sides, of) ? sides[of] : undefined;
    if (!cols)
      return of === ''
        ? `"${name}" needs a side before it: ${Object.keys(sides)
            .map((side) => `${side}.${name}`)
            .join(' or ')}`
        : `nothing is called ${of}`;
    if (!Object.hasOwn(cols, name))
      return `there is no column ${of ? `${of}.` : ''}${name}. ${near(name, Object.keys(cols))}`;
  }
  for (const [, param] of bare.matchAll(/:(\w+)/g))
    if (param !== 'now') return `:${param} is unknown; there is only :now`;
  for (const [, of = '', name = '', one] of sql.matchAll(/(?:\b(\w+)\.)?\b(\w+)\s*(?:=|<>|!=)\s*'([^']*)'/g)) {
    const values = sides[of]?.[name]?.enum;
    if (one !== undefined && values && !values.includes(one))
      return `${name} is never '${one}'. Values: ${values.join(', ')}.`;
  }
  for (const [, of = '', name = '', list = ''] of sql.matchAll(
    /(?:\b(\w+)\.)?\b(\w+)\s+(?:not\s+)?in\s*\(([^)]*)\)/gi,
  )) {
    const values = sides[of]?.[name]?.enum;
    const stray =
      values &&
      [...list.matchAll(/'([^']*)'/g)].map(([, value]) => value ?? '').find((value) => !values.includes(value));
    if (stray !== undefined) return `${name} is never '${stray}'. Values: ${values?.join(', ')}.`;
  }
  return undefined;
};
