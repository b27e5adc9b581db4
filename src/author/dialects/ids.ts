/** Id styles of a dialect: alphabet, length, and a prefix made from the table's noun. */

import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, IdStyle, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { kebab, plural } from '../../kit/words.js';
import type { IdFacet } from './schema.js';
import { consonants } from './spell.js';
import { NO_WORDING, nounFor, type Wording } from './wording.js';

const MAX_PREFIX = 24;

const stem = (table: string): string => {
  const words = table.split('_');
  const initials = words.map((word) => word.charAt(0)).join('');
  return words.length > 1 ? initials.slice(0, 4) : consonants(table, 3).toLowerCase();
};

const MAKERS: Record<IdFacet['prefix'], (table: string) => string> = {
  none: () => '',
  short: (table) => `${stem(table)}_`,
  letter: (table) => table.charAt(0).toUpperCase(),
  upper: (table) => `${stem(table).toUpperCase()}-`,
  path: (table) => `/${kebab(plural(table))}/`,
  name: (table) => `${kebab(plural(table))}/`,
};

/** The id style of every table whose keys the service makes itself; prefixes are unique in the service (letters aside). */
export const idStyles = (
  tables: Record<string, Table>,
  facet: IdFacet,
  wording: Wording = NO_WORDING,
): Record<string, IdStyle> => {
  const used = new Set<string>();
  const styles: Record<string, IdStyle> = {};
  for (const name of Object.keys(tables).sort()) {
    if (tables[name]?.key.gen === undefined) continue;
    let prefix = MAKERS[facet.prefix](nounFor(wording, name));
    if (prefix.length > MAX_PREFIX) prefix = `${prefix.slice(0, MAX_PREFIX - 1)}${prefix.at(-1)}`;
    if (facet.prefix === 'short' || facet.prefix === 'upper') {
      const base = prefix.slice(0, -1);
      for (let n = 2; used.has(prefix); n++) prefix = `${base}${n}${prefix.at(-1)}`;
    }
    used.add(prefix);
    styles[name] = {
      style: facet.style,
      ...(prefix && facet.style !== 'integer' && facet.style !== 'uuid' ? { prefix } : {}),
      ...(facet.length && facet.style !== 'uuid' ? { length: facet.length } : {}),
    };
  }
  return styles;
};

/** Tables whose keys change from text to a JSON number (or back) under `styles`: their references and arguments follow. */
export const retyped = (spec: ServiceSpec, styles: Record<string, IdStyle>): Map<string, 'int' | 'text'> => {
  const out = new Map<string, 'int' | 'text'>();
  for (const [name, style] of Object.entries(styles)) {
    const table = spec.tables[name] as Table;
    const now = table.cols[table.key.col]?.type;
    const wanted = style.style === 'integer' ? 'int' : 'text';
    if (now !== wanted) out.set(name, wanted);
  }
  return out;
};

/** Table whose key a column or an argument holds, or undefined. */
export const referent = (tables: Record<string, Table>, table: string, col: string | undefined): string | undefined => {
  if (col === undefined) return undefined;
  if (tables[table]?.key.col === col) return table;
  return tables[table]?.cols[col]?.fk;
};

export const retypeColumn = (col: Column, to: 'int' | 'text' | undefined): Column => {
  if (to === undefined) return col;
  const { maxLength: _, pattern: __, format: ___, ...rest } = col;
  return { ...rest, type: to };
};

export const retypeArg = (arg: Arg, to: 'int' | 'text' | undefined): Arg => {
  if (to === undefined) return arg;
  const { minLength: _, maxLength: __, pattern: ___, format: ____, ...rest } = arg;
  return arg.type === 'list' ? { ...rest, items: to } : { ...rest, type: to };
};
