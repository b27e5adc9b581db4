/** Reads held against the independent query: filters, ranges, words, order, pages and totals (certify.md, validator 6). */
import type { Tool } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { argPath } from '../../world/surface/args.js';
import { type Part, type Places, partOf, placesOf, rowsOf } from '../answer.js';
import { placed, writeArgs } from '../arguments.js';
import type { Probe } from '../probes.js';
import { ask, type Query } from '../query.js';
import { argOf, askedArgs, inWords } from '../questions.js';
import type { RowTest } from '../shown.js';
import type { Notes, ServiceSubject } from '../validator.js';

/** Rows that a list without a limit gives at most. */
const UNPAGED = 100;
const MOST_PAGES = 6;
/** Page sizes are chosen so that a table has about so many pages. */
const WANTED_PAGES = 4;
/** Rows of a table that its get tool is asked for. */
const SINGLES = 3;

interface Reading {
  subject: ServiceSubject;
  name: string;
  tool: Tool;
  places: Places;
  rows: readonly Row[];
  isRow: RowTest;
}

/** What an answer says about itself, against what is so. */
const factFault = (
  reading: Reading,
  result: Json,
  expected: readonly Row[],
  offset: number,
  limit: number,
): string | undefined => {
  const { places, subject } = reading;
  const shown = Math.max(0, Math.min(limit, expected.length - offset));
  const more = offset + shown < expected.length;
  const first = subject.spec.surface.paging === 'page1' ? 1 : 0;
  const facts: [Part, Json][] = [
    ['total', expected.length],
    ['more', more],
    ['pages', Math.ceil(expected.length / limit)],
    ['page', Math.floor(offset / limit) + first],
    ['shown', shown],
    ['offset', offset],
  ];
  for (const [part, right] of facts) {
    const said = partOf(places, result, part);
    if (said !== undefined && said !== right) return `says ${part} ${String(said)}, it is ${String(right)}`;
  }
  const cursor = partOf(places, result, 'cursor');
  if (places.cursor && (cursor !== undefined) !== more)
    return more ? 'shows no mark of the next page' : 'shows a mark of a page after the last';
  return undefined;
};

/** A page of an answer against the rows that should stand on it; the fault in words. */
const pageFault = (
  reading: Reading,
  result: Json,
  expected: readonly Row[],
  offset: number,
  limit: number,
): string | undefined => {
  const { tool, places, isRow } = reading;
  const list = rowsOf(places, result);
  if (!list) return 'shows no list of rows';
  const wanted = expected.slice(offset, offset + limit);
  if (list.length !== wanted.length) return `returns ${list.length} rows, a query finds ${wanted.length}`;
  const isOrdered = tool.steps === undefined || tool.order !== undefined;
  const fits = (item: Json, i: number): boolean => isRow(item, wanted[i] as Row);
  const known = (item: Json): boolean => wanted.some((row) => isRow(item, row));
  const stray = list.findIndex((item, i) => !fits(item, i) && !(!isOrdered && known(item)));
  if (stray >= 0)
    return known(list[stray] as Json)
      ? 'returns its rows in another order than it declares'
      : 'returns a row that a query does not find';
  return factFault(reading, result, expected, offset, limit);
};

const questionFault = (reading: Reading, query: Query): string | undefined => {
  const { subject, name, tool, rows } = reading;
  const limit = argOf(tool, 'limit');
  const most = Math.min(limit?.[1].max ?? UNPAGED, UNPAGED);
  const outcome = subject.reader.ask(name, askedArgs(subject, tool, query, limit ? { [limit[0]]: most } : {}));
  if (!outcome.ok) return `fails: ${outcome.error?.code ?? ''}`;
  const expected = ask(subject.spec, tool, rows, query);
  const paged = argOf(tool, 'offset', 'page', 'cursor') !== undefined;
  // Without a limit argument the size of a page is the service's own: what the first page shows.
  const size = limit || !paged ? most : Math.max(1, rowsOf(reading.places, outcome.result)?.length ?? 0);
  return pageFault(reading, outcome.result, expected, 0, size);
};

/** Follows the pages as an agent would: by the mark the answer shows, else by the next number. */
const pagesFault = (reading: Reading, query: Query): string | undefined => {
  const { subject, name, tool, rows, places } = reading;
  const limit = argOf(tool, 'limit');
  const turn = argOf(tool, 'offset', 'page', 'cursor');
  if (!limit || !turn) return undefined;
  const expected = ask(subject.spec, tool, rows, query);
  const size = Math.max(
    limit[1].min ?? 1,
    Math.min(limit[1].max ?? UNPAGED, Math.ceil(expected.length / WANTED_PAGES), UNPAGED),
  );
  let mark: Json | undefined;
  for (let page = 0; page < MOST_PAGES && page * size < Math.max(1, expected.length); page++) {
    const { role } = turn[1];
    const next: Record<string, SqlValue> =
      page === 0 || role === 'cursor' ? {} : { [turn[0]]: role === 'page' ? page : page * size };
    const args = askedArgs(subject, tool, query, { [limit[0]]: size, ...next });
    const marked = page > 0 && role === 'cursor' ? placed(args, argPath(subject.spec, ...turn), mark) : args;
    const outcome = subject.reader.ask(name, marked);
    if (!outcome.ok) return `fails on page ${page + 1}: ${outcome.error?.code ?? ''}`;
    const fault = pageFault(reading, outcome.result, expected, page * size, size);
    if (fault) return `${fault} (page ${page + 1} of ${size} rows)`;
    mark = partOf(places, outcome.result, 'cursor');
    if (role === 'cursor' && mark === undefined && (page + 1) * size < expected.length)
      return 'takes a mark of a page and shows none';
  }
  return undefined;
};

const compareList = (reading: Reading, blame: (what: string) => void): number => {
  const queries = reading.subject.questions(reading.tool);
  for (const query of queries) {
    const fault = questionFault(reading, query);
    if (fault) blame(`${inWords(query)} ${fault}`);
  }
  const [base] = queries;
  const fault = base && pagesFault(reading, base);
  if (fault) blame(fault);
  return queries.length;
};

/** The row a get names by all of its key arguments, for a few rows of the table. */
const compareGet = (reading: Reading, blame: (what: string) => void): number => {
  const { subject, name, tool, rows, isRow } = reading;
  const keys = Object.entries(tool.args).filter(([, arg]) => arg.role === 'key');
  const others = Object.entries(tool.args).some(([, arg]) => arg.role !== 'key' && arg.required);
  if (keys.length === 0 || others) return 0;
  const few = subject.random.sample(rows, SINGLES);
  for (const row of few) {
    const values = Object.fromEntries(keys.map(([arg, { col }]) => [arg, row[col ?? arg] ?? null]));
    if (Object.values(values).includes(null)) continue;
    const outcome = subject.reader.ask(name, writeArgs(subject.spec, tool, values));
    if (!outcome.ok || !isRow(outcome.result, row))
      blame(`with ${JSON.stringify(values)} does not return the row as it is stored`);
  }
  return few.length;
};

/** Compares a read tool with independent queries; returns how many answers were compared. */
export const compareReads = (subject: ServiceSubject, probe: Probe, notes: Notes): number => {
  const { tool } = probe.tool.tool;
  const blame = (what: string): void =>
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} ${what}`, 'steps', 'Return what the arguments ask for, as it is stored.');
  const reading: Reading = {
    subject,
    name: probe.name,
    tool,
    places: placesOf(subject.spec, tool),
    rows: subject.rows(tool.table),
    isRow: subject.isRow(tool.table, tool.returns?.cols),
  };
  const isOwn = (tool.returns?.table ?? tool.table) === tool.table;
  let compared = 0;
  if (isOwn && (tool.op === 'list' || tool.op === 'search')) compared = compareList(reading, blame);
  else if (isOwn && tool.op === 'get') compared = compareGet(reading, blame);
  else subject.reader.ask(probe.name, probe.args);
  if (subject.reader.hasChanged(probe.name))
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} changes state although it declares no write`, 'contract', 'Declare the write.');
  return compared;
};
