/** How somebody outside says which row is meant: by its options, its label, or the last digits of a card; never by an id. */
import type { Table } from '../../../artifacts/table.js';
import { canonicalJson } from '../../../kit/hash.js';
import { wordsOf } from '../../../kit/words.js';
import type { Session } from '../../../serve/sessions/session.js';
import { sayLabel } from '../../../tasks/ground/say.js';
import type { Row } from '../../../world/state/types.js';
import { rowByKey } from '../rows.js';

export interface Place {
  service: string;
  table: string;
}

const optionWords = (name: string, value: string): string => {
  if (value === 'none') return `no ${name}`;
  if (value === 'yes' || value === 'no') return `${name}: ${value}`;
  // `bagged/bagless`: the value says which.
  return name.includes('/') ? value : `${name} ${value}`;
};

export const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** The options of a row that keeps them as one flat JSON object. */
export const optionsOf = (spec: Table, row: Row): Record<string, string> | undefined => {
  for (const [col, { type }] of Object.entries(spec.cols)) {
    if (type !== 'json' || typeof row[col] !== 'string') continue;
    const value: unknown = JSON.parse(row[col]);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) continue;
    const entries = Object.entries(value);
    if (entries.length > 0 && entries.every(([, one]) => typeof one === 'string')) return Object.fromEntries(entries);
  }
  return undefined;
};

/** `the one in black (power source USB, brightness high)`: all of a row's options, which nothing else of its kind has. */
export const optionsWords = (spec: Table, row: Row): string | undefined => {
  const { color, ...rest } = optionsOf(spec, row) ?? {};
  const words = Object.entries(rest).map(([name, value]) => optionWords(name, value));
  if (color === undefined) return words.length > 0 ? `the one with ${listed(words)}` : undefined;
  return `the one in ${color}${words.length > 0 ? ` (${words.join(', ')})` : ''}`;
};

/** How many options of two rows differ. */
export const optionsApart = (spec: Table, one: Row, other: Row): number => {
  const [a, b] = [optionsOf(spec, one), optionsOf(spec, other)];
  return a && b ? new Set([...Object.keys(a), ...Object.keys(b)].filter((name) => a[name] !== b[name])).size : 0;
};

/** `Desk Lamp` -> `desk lamp`; `LED Light Bulb` -> `LED light bulb`. */
const lowered = (name: string): string =>
  name
    .split(' ')
    .map((word) => (/^[A-Z][^A-Z]*$/.test(word) ? word.toLowerCase() : word))
    .join(' ');

/** What sort of thing a row is: the label of what it belongs to where it is told by options, else its noun. */
export const nounOf = (session: Session, { service, table }: Place, row: Row): string => {
  const tables = session.world.services.get(service)?.spec.tables ?? {};
  const spec = tables[table] as Table;
  if (optionsOf(spec, row) === undefined) return spec.noun;
  for (const [col, { fk }] of Object.entries(spec.cols)) {
    const key = row[col];
    const label = fk === undefined ? undefined : tables[fk]?.label;
    const parent =
      fk !== undefined && label !== undefined && (typeof key === 'string' || typeof key === 'number')
        ? rowByKey(session, service, fk, key)
        : undefined;
    if (label !== undefined && parent?.[label]) return lowered(String(parent[label]));
  }
  return spec.noun;
};

const payWords = (row: Row): string | undefined => {
  const { source, brand, last_four: last } = row;
  if (typeof source !== 'string') return undefined;
  if (last !== null && last !== undefined) {
    const kind = typeof brand === 'string' && brand ? brand.charAt(0).toUpperCase() + brand.slice(1) : 'credit';
    return `my ${kind} card ending in ${last}`;
  }
  const words = wordsOf(source).join(' ');
  return words === 'paypal' ? 'my PayPal account' : `my ${words}`;
};

const plainWords = (spec: Table, row: Row): string | undefined => {
  if (spec.cols.source && (spec.cols.last_four || spec.cols.balance)) return payWords(row);
  const options = optionsWords(spec, row);
  if (options) return options;
  const label = sayLabel(spec, row);
  return label && `the ${spec.noun} ${label}`;
};

/** Words that mean this row and none of the others; undefined where it cannot be said so. */
export const choiceWords = (
  session: Session,
  { service, table }: Place,
  row: Row,
  others: readonly Row[],
): string | undefined => {
  const spec = session.world.services.get(service)?.spec.tables[table];
  const words = spec && plainWords(spec, row);
  if (!spec || words === undefined) return undefined;
  const isSame = (other: Row): boolean => canonicalJson(other as never) === canonicalJson(row as never);
  return others.some((other) => !isSame(other) && plainWords(spec, other) === words) ? undefined : words;
};
