/** The steps of a tool in plain words, for a person who asks what an operation will do. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Condition, Step, Value } from '../../artifacts/step.js';
import { plural, withArticle } from '../../kit/words.js';

const OPS: Record<Condition['op'], string> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  in: 'is one of',
  contains: 'contains',
  prefix: 'begins with',
  is_null: 'is empty',
  not_null: 'is there',
};

/** `$args.pet_id` -> pet_id, `$row.status` -> the row's status, `'open'` -> open. */
const said = (value: Value | undefined): string => {
  if (typeof value !== 'string') return String(value);
  const [, arg] = /^\$args\.(\w+)$/.exec(value) ?? [];
  if (arg !== undefined) return arg;
  const [, name, col] = /^\$(\w+)\.(\w+)$/.exec(value) ?? [];
  if (name?.startsWith('named_')) return name.slice(6);
  if (name?.startsWith('made_')) return name.slice(5);
  if (name !== undefined) return name === 'row' ? `its own ${col}` : `${col} of "${name}"`;
  return /^'[^']*'$/.test(value) ? value : value === '$now' ? 'now' : value;
};

const nounOf = (spec: ServiceSpec, table: string): string => spec.tables[table]?.noun ?? table;
const nounsOf = (spec: ServiceSpec, table: string): string => spec.tables[table]?.plural ?? plural(nounOf(spec, table));

const where = (conditions: readonly [string, string][]): string =>
  conditions.length === 0 ? '' : ` whose ${conditions.map(([col, rest]) => `${col} ${rest}`).join(' and ')}`;

const equal = (of: Record<string, Value>): [string, string][] =>
  Object.entries(of).map(([col, value]) => [col, `is ${said(value)}`]);

const MOST = 12;
const listed = (names: readonly string[]): string =>
  names.length > MOST ? `${names.slice(0, MOST).join(', ')} and ${names.length - MOST} more` : names.join(', ');

const one = (spec: ServiceSpec, step: Step): string[] => {
  if ('get' in step) {
    const { table, where: of, else: refusal } = step.get;
    const missing = refusal ? `; where there is none, it refuses with ${refusal.error}` : '';
    return [`Looks up the ${nounOf(spec, table)}${where(equal(of))}${missing}.`];
  }
  if ('find' in step) {
    const { table, where: conditions = [], text, sort, total } = step.find;
    const always = conditions.filter(({ optional }) => !optional);
    const asked = conditions.filter(({ optional }) => optional);
    const narrowing = asked.map(({ col, op, value }) => `${said(value)} (${col} ${OPS[op]} it)`);
    return [
      `Lists ${nounsOf(spec, table)}${where(always.map(({ col, op, value }) => [col, `${OPS[op]} ${said(value)}`]))}${total ? ', and counts them' : ''}.`,
      ...(narrowing.length > 0 ? [`Narrowed, where given, by ${listed(narrowing)}.`] : []),
      ...(text ? [`Searched for words in ${text.cols.join(', ')}.`] : []),
      ...(sort ? [`Sorted as asked, by ${sort.allowed.join(', ')}.`] : []),
    ];
  }
  if ('insert' in step)
    return [`Makes ${withArticle(nounOf(spec, step.insert.table))} with ${listed(Object.keys(step.insert.set))}.`];
  if ('update' in step) {
    const { table, set } = step.update;
    const changed = Object.entries(set).map(([col, value]) =>
      typeof value === 'string' && value.startsWith('$args.') ? col : `${col} = ${said(value)}`,
    );
    return [`Writes ${listed(changed)} of the ${nounOf(spec, table)}.`];
  }
  if ('delete' in step) return [`Deletes the ${nounOf(spec, step.delete.table)}${where(equal(step.delete.where))}.`];
  if ('require' in step)
    return step.require.map(
      ({ that, error, message }) => `Refuses with ${error} unless ${that}${message ? ` ("${message}")` : ''}.`,
    );
  if ('each' in step)
    return [`For each of ${said(step.each.in)}:`, ...inWords(spec, step.each.do).map((line) => `  ${line}`)];
  if ('if' in step) return [`If ${step.if.that}:`, ...inWords(spec, step.if.do).map((line) => `  ${line}`)];
  if ('let' in step) return [`Works out ${Object.keys(step.let).join(', ')}.`];
  if ('sql' in step)
    return /^(made|named)_/.test(step.sql.as) ? [] : [`Reads "${step.sql.as}" with a query of its own.`];
  return ['Reads or writes a file.'];
};

export const inWords = (spec: ServiceSpec, steps: readonly Step[]): string[] =>
  steps.flatMap((step) => one(spec, step));
