/** Lookups: one fact of one row, or of the row that it points to. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Column, Table } from '../../artifacts/table.js';
import { isoDate } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { type NamedTool, perform, startPlan } from '../ground/plan.js';
import { neededColumns, reveal, toolsOf } from '../ground/reveal.js';
import { currencyOf, sayValue } from '../ground/say.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { asking, sayAsked, sayRow } from './wording.js';

/** Columns worth asking for, with the kind of answer each gives. */
export const askable = (spec: Table, col: string, column: Column): AnswerSpec['kind'] | undefined => {
  if (
    column.hidden ||
    column.fk ||
    col === spec.key.col ||
    /^(created_at|updated_at|currency|notes?|description|body|metadata)$/.test(col)
  )
    return undefined;
  if (column.type === 'money') return 'amount';
  if (column.type === 'date' || column.type === 'datetime') return 'date';
  if (column.type === 'int' || column.type === 'number')
    return /(^|_)(year|version|position|latitude|longitude)$/.test(col) ? undefined : 'number';
  if (column.type === 'text') return /(url|token|secret|hash)$/.test(col) ? undefined : 'value';
  return undefined;
};

/** The stored value as an answer specification holds it. */
export const answerValue = (column: Column, value: SqlValue): string | number =>
  column.type === 'date' || column.type === 'datetime' ? isoDate(Number(value)) : (value as string | number);

/** What other rows hold in the same column: what a guesser would list. */
export const rivalsOf = (
  column: Column,
  col: string,
  row: Row,
  rows: readonly Row[],
  said: readonly string[],
): (string | number)[] => {
  const own = answerValue(column, row[col] ?? null);
  const seen = new Set<string | number>();
  for (const other of rows) {
    const value = other[col];
    if (value === null || value === undefined || value === '') continue;
    const rival = answerValue(column, value);
    if (String(rival).toLowerCase() === String(own).toLowerCase()) continue;
    if (said.some((words) => words.toLowerCase().includes(String(rival).toLowerCase()))) continue;
    seen.add(rival);
    if (seen.size >= 40) break;
  }
  return [...seen];
};

const pickColumn = (
  service: LoadedService,
  table: string,
  row: Row,
  used: readonly string[],
  random: Rng,
): [string, AnswerSpec['kind']] | undefined => {
  const spec = service.spec.tables[table] as Table;
  const open = Object.entries(spec.cols).flatMap(([col, column]) => {
    const kind =
      used.includes(col) || col === spec.label || row[col] === null || row[col] === ''
        ? undefined
        : askable(spec, col, column);
    return kind ? [[col, kind] as [string, AnswerSpec['kind']]] : [];
  });
  return open.length > 0 ? random.pick(open) : undefined;
};

/** The answer in words, and its specification; undefined when the value is too plain to be an answer. */
export const answerOf = (
  service: LoadedService,
  table: string,
  row: Row,
  col: string,
  kind: AnswerSpec['kind'],
  asks: string,
  rows: readonly Row[],
  said: string[],
): { spec: AnswerSpec; words: string } | undefined => {
  const spec = service.spec.tables[table] as Table;
  const column = spec.cols[col] as Column;
  const currency = currencyOf(service.spec, spec, row);
  const words = sayValue(column, row[col] ?? null, currency);
  if (words === undefined || words.length > 120) return undefined;
  const expected = answerValue(column, row[col] ?? null);
  const distractors = rivalsOf(column, col, row, rows, said);
  if (distractors.length === 0) return undefined;
  return { spec: { kind, asks, expected, ...(kind === 'amount' ? { currency } : {}), distractors }, words };
};

const leaks = (request: string, words: string): boolean => request.toLowerCase().includes(words.toLowerCase());

export const lookup: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service);
  const rows = all(table);
  const must = neededColumns(ground.world, service, table);
  if (rows.length < 2) return 'fewer than two rows to tell apart';
  for (const row of random.sample(rows, 6)) {
    const descriptors = singleOut(ground, service, table, row, random, random.chance(0.4) ? 'label' : 'around', must);
    if (!descriptors) continue;
    const asked = pickColumn(
      service,
      table,
      row,
      descriptors.map(({ col }) => col),
      random,
    );
    if (!asked) continue;
    const [col, kind] = asked;
    const thing = `${sayAsked(spec, col)} of ${sayRow(service, table, row, descriptors)}`;
    const said = descriptors.map(({ words }) => words);
    const answer = answerOf(service, table, row, col, kind, thing, rows, said);
    const request = asking(thing, random);
    if (!answer || leaks(request, answer.words)) continue;
    const sight = { world: ground.world, known: ground, service, random };
    const start = startPlan(ground.fresh());
    const plan = reveal(sight, start, table, row, descriptors);
    const otherPath = plan ? reveal(sight, start, table, row, descriptors, 1) : undefined;
    start.session.drop();
    if (!plan) continue;
    const key = row[spec.key.col] as string | number;
    const getter = toolsOf(ground.world, service.id).find(
      ({ tool: other }) => other.tool.op === 'get' && other.tool.table === table,
    );
    if (getter && random.chance(0.6)) {
      const name = Object.entries(getter.tool.tool.args).find(([, arg]) => arg.role === 'key')?.[0];
      if (name) perform(plan, getter, [{ name, value: key, origin: { observed: true } }]);
    }
    return {
      family: 'lookup',
      template: `lookup:${service.id}.${table}.${col}`,
      service,
      request,
      vague: `I have a question about ${sayAsked(spec, col).replace(/^the /, 'the ')} of one of our ${spec.noun.toLowerCase()} records.`,
      facts: said,
      bindings: [bindingOf('subject', service, table, key, descriptors)],
      plan,
      answer: answer.spec,
      says: answer.words,
      ...(otherPath ? { otherPath } : {}),
    };
  }
  return 'no row with a question that can be asked and answered';
};

/** Follows a foreign key: `the e-mail of the customer of invoice INV-10427`. */
export const related: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service);
  const links = Object.entries(spec.cols).filter(([, column]) => column.fk && column.fk !== table && !column.hidden);
  const must = neededColumns(ground.world, service, table);
  if (links.length === 0) return 'the table points to no other';
  for (const row of random.sample(all(table), 6)) {
    const [col, column] = random.pick(links);
    const parentTable = column.fk as string;
    const parentSpec = service.spec.tables[parentTable];
    const parent = all(parentTable).find((candidate) => candidate[parentSpec?.key.col ?? ''] === row[col]);
    const getter = toolsOf(ground.world, service.id).find(
      ({ tool: other }) => other.tool.op === 'get' && other.tool.table === parentTable,
    );
    if (!parent || !parentSpec || !getter) continue;
    const descriptors = singleOut(ground, service, table, row, random, random.chance(0.6) ? 'label' : 'around', must);
    if (!descriptors || descriptors.some(({ parent: named }) => named?.table === parentTable)) continue;
    const asked = pickColumn(service, parentTable, parent, [], random);
    if (!asked) continue;
    const [askedCol, kind] = asked;
    const noun = parentSpec.noun.toLowerCase();
    const thing = `${sayAsked(parentSpec, askedCol)} of the ${noun} behind ${sayRow(service, table, row, descriptors)}`;
    const said = descriptors.map(({ words }) => words);
    const answer = answerOf(service, parentTable, parent, askedCol, kind, thing, all(parentTable), said);
    const request = asking(thing, random);
    if (!answer || leaks(request, answer.words)) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    start.session.drop();
    const name = Object.entries(getter.tool.tool.args).find(([, arg]) => arg.role === 'key')?.[0];
    const key = parent[parentSpec.key.col] as string | number;
    if (!plan || !name) continue;
    if (!perform(plan, getter, [{ name, value: key, origin: { observed: true } }])) {
      plan.session.drop();
      continue;
    }
    return {
      family: 'related',
      template: `related:${service.id}.${table}.${col}.${askedCol}`,
      service,
      request,
      vague: `I have a question about the ${noun} behind one of our ${spec.noun.toLowerCase()} records.`,
      facts: said,
      bindings: [bindingOf('subject', service, table, row[spec.key.col] as string | number, descriptors)],
      plan,
      answer: answer.spec,
      says: answer.words,
    };
  }
  return 'no row whose related record can be asked about';
};
