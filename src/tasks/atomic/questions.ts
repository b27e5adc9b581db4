/** What can be asked about a row, and how its answer is told from others. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Column, Table } from '../../artifacts/table.js';
import { isoDate, longDate, parseIso } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import type { Ground } from '../ground/ground.js';
import { currencyOf, sayValue } from '../ground/say.js';
import { sayColumn, sayField } from '../words/names.js';
import { isSayable, isSpeakable } from '../words/sayable.js';
import { PROSE } from './texts.js';

const UNASKED =
  /^(created_at|updated_at|currency|notes?|description|body|metadata|version|object|livemode|language|timezone|locale)$|(url|token|secret|hash)$/;

/** Columns worth asking for, with the kind of answer each gives. */
export const askable = (spec: Table, col: string, column: Column): AnswerSpec['kind'] | undefined => {
  if (column.hidden || column.fk || col === spec.key.col || UNASKED.test(col) || !isSpeakable(col)) return undefined;
  if (column.type === 'money') return 'amount';
  if (column.type === 'date' || column.type === 'datetime') return 'date';
  if (column.type === 'int' || column.type === 'number')
    return /(^|_)(year|position|latitude|longitude)$/.test(col) ? undefined : 'number';
  return column.type === 'text' ? 'value' : undefined;
};

/** Prose has no one right wording, and nobody asks for a key or for what was made up. */
const isAnswer = (col: string, column: Column, value: SqlValue): boolean =>
  column.type !== 'text' ||
  column.enum !== undefined ||
  (isSayable(col, value) &&
    (!PROSE.test(col) || (String(value).length <= 60 && !/[.!?]\s|[.!?]$/.test(String(value)))));

/** `the start date` (of a moment the day is asked), `the e-mail address of the buyer`. */
const fieldAsked = (ground: Ground, service: LoadedService, table: string, col: string): string | undefined => {
  const spec = service.spec.tables[table] as Table;
  const field = sayField(spec, col);
  if (spec.cols[col]?.type === 'datetime') return `the ${field.replace(/\btime\b/, 'date')}`;
  if (service.id === 'directory' && col === 'title') return 'the job title';
  const link = ground.linked(service.id, table, col);
  if (link?.service.role !== 'core' || !/email|_by$/.test(col) || /e-mail/.test(field)) return `the ${field}`;
  return /_by$/.test(col) ? undefined : `the e-mail address of the ${sayColumn(col)}`;
};

/** A column to ask for, with the words for it; undefined when the row has none. */
export const pickColumn = (
  ground: Ground,
  service: LoadedService,
  table: string,
  row: Row,
  used: readonly string[],
  random: Rng,
): { col: string; kind: AnswerSpec['kind']; field: string } | undefined => {
  const spec = service.spec.tables[table] as Table;
  const open = Object.entries(spec.cols).flatMap(([col, column]) => {
    const value = row[col];
    if (used.includes(col) || col === spec.label || value === null || value === undefined || value === '') return [];
    const kind = askable(spec, col, column);
    const field = kind && isAnswer(col, column, value) ? fieldAsked(ground, service, table, col) : undefined;
    return kind && field ? [{ col, kind, field }] : [];
  });
  // What anybody can say of any row is asked less often.
  return open.length > 0
    ? random.weighted(open.map((one) => [one, one.col === 'status' ? 0.5 : 1] as const))
    : undefined;
};

/** The stored value as an answer specification holds it. */
const answerValue = (column: Column, value: SqlValue): string | number =>
  column.type === 'date' || column.type === 'datetime' ? isoDate(Number(value)) : (value as string | number);

/** What other rows hold in the same column: what a guesser would list. */
const rivalsOf = (
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

/** The answer in words, and its specification; undefined when the value is too plain to be an answer. */
export const answerOf = (
  service: LoadedService,
  table: string,
  row: Row,
  { col, kind }: { col: string; kind: AnswerSpec['kind'] },
  asks: string,
  rows: readonly Row[],
  said: readonly string[],
): { spec: AnswerSpec; words: string } | undefined => {
  const spec = service.spec.tables[table] as Table;
  const column = spec.cols[col] as Column;
  const currency = currencyOf(service.spec, spec, row);
  const words = sayValue(column, row[col] ?? null, currency);
  if (words === undefined || words.length > 120) return undefined;
  const expected = answerValue(column, row[col] ?? null);
  const about = asks.toLowerCase();
  const inQuestion = (rival: string | number): boolean => {
    const day = kind === 'date' ? parseIso(String(rival)) : undefined;
    return about.includes((day === undefined ? String(rival).replaceAll('_', ' ') : longDate(day)).toLowerCase());
  };
  const rivals = rivalsOf(column, col, row, rows, said);
  // `the status of the visit planned for ...`: whoever repeats the question would name another status.
  if (column.enum && rivals.some(inQuestion)) return undefined;
  const distractors = rivals.filter((rival) => !inQuestion(rival));
  if (distractors.length === 0) return undefined;
  return { spec: { kind, asks, expected, ...(kind === 'amount' ? { currency } : {}), distractors }, words };
};

export const leaks = (request: string, words: string): boolean => request.toLowerCase().includes(words.toLowerCase());
