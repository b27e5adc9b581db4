/** Questions over the rows that two conditions select: how many, how much in all, which ones, which first. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Row } from '../../world/state/types.js';
import type { Candidate, Family } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';
import { currencyOf, sayMoney } from '../ground/say.js';
import { standsOut } from '../words/happening.js';
import { sayColumn, sayField, sayMany } from '../words/names.js';
import { isSayable, isSpeakable } from '../words/sayable.js';
import { PERSONAS } from '../words/tone.js';
import { groupAround, type RowGroup, showGroup } from './group.js';

const TRIES = 10;
const MOST_ROWS = 12;
const MOST_LISTED = 6;

interface Question {
  what: string;
  request: string;
  answer: AnswerSpec;
  says: string;
}

/** What somebody answers who leaves one of the conditions out, as long as it is not in the question itself. */
const nearSets = (group: RowGroup): Row[][] =>
  [...new Set(group.near.map(({ misses }) => misses))].map((misses) => [
    ...group.rows,
    ...group.near.filter((one) => one.misses === misses).map(({ row }) => row),
  ]);

const isIn = (words: string, value: number): boolean => new RegExp(`\\b${value}\\b`).test(words);

const howMany = (group: RowGroup, random: Rng): Question | undefined => {
  const { words, rows } = group;
  const n = rows.length;
  if (n < 2 || isIn(words, n)) return undefined;
  const request = random.pick([
    `How many ${words} are there?`,
    `How many ${words} do we have?`,
    `Can you check how many ${words} we have?`,
    `I need the number of ${words} for a report.`,
    `Please count the ${words}.`,
  ]);
  const rivals = [...nearSets(group).map(({ length }) => length), n - 1, n + 1, n + 2];
  const distractors = [...new Set(rivals)].filter((other) => other > 0 && other !== n && !isIn(words, other));
  const answer: AnswerSpec = { kind: 'number', asks: `the number of ${words}`, expected: n, distractors };
  return { what: 'count', request, answer, says: String(n) };
};

const totalOf = (rows: readonly Row[], col: string): number =>
  rows.reduce((sum, row) => sum + Number(row[col] ?? 0), 0);

const inAll = (group: RowGroup, spec: Table, random: Rng): Question | undefined => {
  const { service, words, rows } = group;
  const money = Object.entries(spec.cols).filter(
    ([col, column]) =>
      column.type === 'money' && !column.hidden && !/unit|rate|price|limit|salary/.test(col) && isSpeakable(col),
  );
  if (money.length === 0 || rows.length < 2) return undefined;
  const [col] = random.pick(money);
  const currencies = new Set(rows.map((row) => currencyOf(service.spec, spec, row)));
  if (currencies.size !== 1 || rows.some((row) => typeof row[col] !== 'number')) return undefined;
  const currency = [...currencies][0] as string;
  const total = totalOf(rows, col);
  const what = sayField(spec, col).replace(/^total /, '');
  const request = random.pick([
    `What is the ${/\btotal$/.test(what) ? 'sum of the' : 'total'} ${what} of the ${words}?`,
    `Please add up the ${what} of all ${words}.`,
    `What do you get if you add up the ${what} of all ${words}?`,
    `I need one figure: the ${what} of all ${words} together.`,
  ]);
  const rivals = [...nearSets(group).map((set) => totalOf(set, col)), ...rows.map((row) => Number(row[col]))];
  const distractors = [...new Set(rivals)].filter(
    (value) => value !== total && !words.includes(sayMoney(value, currency).replace(/\.0+$/, '')),
  );
  if (distractors.length === 0) return undefined;
  const answer: AnswerSpec = {
    kind: 'amount',
    asks: `the ${what} of ${words} in all`,
    expected: total,
    currency,
    distractors,
  };
  return { what: 'sum', request, answer, says: sayMoney(total, currency) };
};

/** The column by which rows are named one by one, each by another name. */
export const namesOf = (spec: Table, rows: readonly Row[]): string | undefined => {
  const { label } = spec;
  if (!label || !/(name|number|no|title|code|subject)$/.test(label)) return undefined;
  const names = rows.map((row) => String(row[label] ?? '').toLowerCase());
  return names.every((name) => name !== '' && name.length <= 60 && !name.includes(',')) &&
    new Set(names).size === names.length
    ? label
    : undefined;
};

const which = (group: RowGroup, spec: Table, all: readonly Row[], random: Rng): Question | undefined => {
  const { words, rows } = group;
  const label = namesOf(spec, all);
  if (!label || rows.length < 2 || rows.length > MOST_LISTED || rows.some((row) => !isSayable(label, row[label])))
    return undefined;
  const field = sayColumn(label);
  const request = random.pick([
    `Which ${words} do we have? A list of their ${field}s will do.`,
    `Please give me the ${field}s of all ${words}.`,
    `I need a list of the ${words}, just the ${field}s.`,
    `Can you find all ${words} and send me their ${field}s?`,
  ]);
  const expected = rows.map((row) => String(row[label]));
  const others = [...group.near.map(({ row }) => row), ...all].map((row) => String(row[label]));
  const distractors = [...new Set(others)]
    .filter((name) => !expected.includes(name) && !words.includes(name))
    .slice(0, 40);
  if (distractors.length === 0 || expected.some((name) => request.includes(name))) return undefined;
  return {
    what: 'list',
    request,
    answer: { kind: 'list', asks: `the ${words}`, expected, distractors },
    says: expected.join(', '),
  };
};

const extreme = (group: RowGroup, spec: Table, all: readonly Row[], random: Rng): Question | undefined => {
  const { words, rows, conditions } = group;
  const label = namesOf(spec, all);
  const used = conditions.map(({ col }) => col);
  const cols = Object.entries(spec.cols).filter(
    ([col, column]) =>
      ['money', 'date', 'datetime'].includes(column.type) &&
      !column.hidden &&
      !used.includes(col) &&
      !/^(created|updated|birth)/.test(col) &&
      isSpeakable(col),
  );
  if (!label || cols.length === 0 || rows.length < 3) return undefined;
  const [col, column] = random.pick(cols);
  const high = random.chance(0.5);
  const sorted = rows
    .filter((row) => typeof row[col] === 'number')
    .sort((a, b) => (Number(a[col]) - Number(b[col])) * (high ? -1 : 1));
  const [best, second] = sorted;
  if (!best || !second || best[col] === second[col] || sorted.length < rows.length) return undefined;
  const most = column.type !== 'money' ? (high ? 'latest' : 'earliest') : high ? 'highest' : 'lowest';
  const [field, name] = [sayField(spec, col).replace(/\btime\b/, 'date'), sayColumn(label)];
  const out = standsOut(field, most);
  const request = random.pick([
    `Which of the ${words} ${out}? Give me the ${name}.`,
    `Of all ${words}, which one ${out}? I need the ${name}.`,
    `Among the ${words}, please find the one that ${out} and tell me its ${name}.`,
  ]);
  const expected = String(best[label]);
  const others = [...rows, ...group.near.map(({ row }) => row)].map((row) => String(row[label]));
  const distractors = [...new Set(others)].filter((other) => other !== expected && !words.includes(other));
  if (request.includes(expected)) return undefined;
  return {
    what: 'extreme',
    request,
    answer: { kind: 'value', asks: `the ${most} of ${words} by ${field}`, expected, distractors },
    says: expected,
  };
};

/** One question of the group; where the drawn one does not fit, another that asks for more than a number. */
const askOf = (group: RowGroup, spec: Table, all: readonly Row[], random: Rng): Question | undefined => {
  const others = random.shuffle([
    () => inAll(group, spec, random),
    () => extreme(group, spec, all, random),
    () => which(group, spec, all, random),
  ]);
  for (const ask of random.chance(0.22) ? [() => howMany(group, random)] : others) {
    const question = ask();
    if (question) return question;
  }
  return undefined;
};

export const aggregate: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service)(table);
  let why = 'no two conditions that select some rows and leave others out';
  for (const seed of random.sample(all, TRIES)) {
    const group = groupAround(ground, service, table, seed, random);
    if (!group || group.rows.length < 2 || group.rows.length > MOST_ROWS || group.near.length === 0) continue;
    const question = askOf(group, spec, all, random);
    if (!question) continue;
    const shown = showGroup(ground, tool, group, random);
    if (!shown) {
      why = 'no one answer of the tool holds all rows of the group';
      continue;
    }
    return {
      family: 'aggregate',
      template: `aggregate:${service.id}.${table}.${question.what}.${templateOf(group)}`,
      service,
      persona: random.pick(PERSONAS),
      request: question.request,
      plain: { asks: question.request },
      vague: `I need a figure about our ${sayMany(spec)}.`,
      facts: group.facts,
      bindings: shown.bindings,
      plan: shown.plan,
      answer: question.answer,
      says: question.says,
    };
  }
  return why;
};

export const templateOf = ({ owner, conditions }: RowGroup): string =>
  [...(owner ? [owner.col] : []), ...conditions.map(({ col, kind }) => `${col}-${kind}`)].sort().join('+');
