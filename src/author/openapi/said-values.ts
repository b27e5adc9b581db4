/** Values of a status that a document has in words alone: "whether the payment is APPROVED, PENDING or CANCELED". */
import type { BodyField, ColumnFact } from './columns.js';

const STATUS = /(^|_)(status|state)$/;
const QUOTED = '[`"\'](?:[a-z][a-z0-9_-]{1,40}|[A-Z][A-Z0-9_-]{1,40})[`"\']';
const CAPITALS = '[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*';
const BETWEEN = '(?:\\s*[,|/]\\s*(?:or\\s+|and\\s+)?|\\s+(?:or|and)\\s+)';
/** A list with nothing in between but commas, strokes, `or` and `and`. */
const listOf = (item: string): RegExp => new RegExp(`(?<![\\w\`"'])${item}(?:${BETWEEN}${item})+(?![\\w\`"'])`, 'g');
const LISTS = [listOf(QUOTED), listOf(CAPITALS)];
const ITEM = /[A-Za-z][A-Za-z0-9_-]*/g;
/** Capitals are also what abbreviations are written in. */
const ABBREVIATION =
  /^(API|URL|URI|ID|IDS|UUID|HTTP|HTTPS|JSON|XML|UTC|ISO|NOT|AND|OR|ACH|SMS|PDF|CSV|TCP|UDP|GET|PUT|POST|US|USA|UK|EU|USD|EUR)$/;
/** What says that there are others. */
const OPEN =
  /\b(such as|e\.?g\.?|for example|examples?:|usually|typically|etc|among others|including|currently)(?![a-z])/i;
const LONGEST = 2_000;
const [FEWEST, MOST] = [2, 40];

/** The one list of values in a text; undefined where there is none, or more than one that differ. */
export const saidValues = (text: string | undefined): string[] | undefined => {
  if (text === undefined || OPEN.test(text)) return undefined;
  const plain = text.slice(0, LONGEST);
  for (const list of LISTS) {
    const found = [...plain.matchAll(list)].map(([all]) =>
      [...all.matchAll(ITEM)].map(([word]) => word).filter((word) => !/^(or|and|null)$/.test(word)),
    );
    const [first, ...others] = found.map((words) => [...new Set(words)]);
    if (!first || first.length < FEWEST || first.length > MOST || first.some((word) => ABBREVIATION.test(word)))
      continue;
    if (others.every((words) => words.every((word) => first.includes(word)))) return first;
  }
  return undefined;
};

/**
 * Statuses that the service alone writes take the values that their description lists; what bodies say of them is not written.
 * Changes both in place.
 */
export const takeSaidValues = (
  facts: ReadonlyMap<string, ColumnFact>,
  bodies: ReadonlyMap<string, BodyField[]>,
): void => {
  const writes = [...bodies.values()].flat();
  for (const fact of facts.values()) {
    const { column, field, name, from } = fact;
    const isFree =
      column.type === 'text' && !column.enum && column.pattern === undefined && column.format === undefined;
    if (from !== 'answer' || !isFree || !STATUS.test(name)) continue;
    const own = writes.filter(({ col }) => col === name);
    const values = own.every((one) => one.field.readOnly || one.field.served)
      ? saidValues(field.description)
      : undefined;
    const begins = column.default;
    if (!values || (begins !== undefined && !values.includes(String(begins)))) continue;
    fact.column = { ...column, enum: values };
    fact.field = { ...field, enum: values };
    for (const one of own) one.field = { ...one.field, readOnly: true };
  }
};
