/** Questions over several rows: how many, how much in all, which comes first. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import {
  dropPlan,
  forkPlan,
  keyOf,
  type NamedTool,
  type Plan,
  type PlannedArg,
  perform,
  seenAt,
  startPlan,
} from '../ground/plan.js';
import { reveal } from '../ground/reveal.js';
import { currencyOf, sayMoney } from '../ground/say.js';
import { standsOut } from '../words/happening.js';
import { sayColumn, sayField, sayMany } from '../words/names.js';
import { isSpeakable } from '../words/sayable.js';
import { PERSONAS } from '../words/tone.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { type Group, groupOf } from './group.js';

/** Every row of the group must be seen, or the count would be a guess. */
const seesAll = (plan: Plan, service: LoadedService, spec: Table, rows: readonly Row[]): boolean =>
  rows.every((row) => seenAt(plan, keyOf(service, spec, row))?.observed === plan.calls.length - 1);

interface Question {
  family: string;
  request: string;
  answer: AnswerSpec;
  says: string;
}

const howMany = (spec: Table, group: Group, random: Rng): Question | undefined => {
  const n = group.rows.length;
  // One is what a guesser says.
  if (n < 2) return undefined;
  const request = random.pick([
    `How many ${group.words} are there?`,
    `How many ${group.words} do we have?`,
    `Please count the ${group.words}.`,
    `Can you check how many ${group.words} we have?`,
    `I need the number of ${group.words}.`,
    `We are looking at our ${sayMany(spec)}: how many ${group.words} are there?`,
  ]);
  const answer: AnswerSpec = {
    kind: 'number',
    asks: `the number of ${group.words}`,
    expected: n,
    distractors: [n - 1, n + 1, n + 2].filter((other) => other >= 0 && !new RegExp(`\\b${other}\\b`).test(group.words)),
  };
  return { family: 'count', request, answer, says: String(n) };
};

const inAll = (service: LoadedService, spec: Table, group: Group, random: Rng): Question | undefined => {
  const money = Object.entries(spec.cols).filter(
    ([col, column]) =>
      column.type === 'money' && !column.hidden && !/unit|rate|price|limit|salary/.test(col) && isSpeakable(col),
  );
  if (money.length === 0 || group.rows.length < 2) return undefined;
  const [col] = random.pick(money);
  const currencies = new Set(group.rows.map((row) => currencyOf(service.spec, spec, row)));
  const values = group.rows.map((row) => row[col]);
  if (currencies.size !== 1 || values.some((value) => typeof value !== 'number')) return undefined;
  const currency = [...currencies][0] as string;
  const total = values.reduce<number>((sum, value) => sum + Number(value), 0);
  const what = sayField(spec, col);
  const request = random.pick([
    `What is the ${/\btotal$/.test(what) ? 'sum of the' : 'total'} ${what.replace(/^total /, '')} of the ${group.words}?`,
    `Please add up the ${what} of all ${group.words}.`,
    `If you add up the ${what} of all ${group.words}, what do you get?`,
    `I need one figure: the ${what} of all ${group.words} together.`,
  ]);
  const distractors = [...new Set(values.map(Number))].filter((value) => value !== total);
  return {
    family: 'sum',
    request,
    answer: { kind: 'amount', asks: `the ${what} of ${group.words} in all`, expected: total, currency, distractors },
    says: sayMoney(total, currency),
  };
};

const whichFirst = (spec: Table, group: Group, random: Rng): Question | undefined => {
  const label = spec.label;
  if (!label || group.rows.length < 3 || !/(name|number|no|title|code)$/.test(label)) return undefined;
  const ordered = Object.entries(spec.cols).filter(
    ([col, column]) =>
      ['money', 'date', 'datetime', 'int'].includes(column.type) &&
      !column.fk &&
      !column.hidden &&
      col !== spec.key.col &&
      !/^(created|updated|version|birth)/.test(col) &&
      isSpeakable(col),
  );
  if (ordered.length === 0) return undefined;
  const [col, column] = random.pick(ordered);
  const values = group.rows.filter((row) => row[col] !== null && row[col] !== undefined);
  const high = random.chance(0.5);
  const sorted = [...values].sort((a, b) => (Number(a[col]) - Number(b[col])) * (high ? -1 : 1));
  const [best, second] = sorted;
  if (!best || !second || best[col] === second[col]) return undefined;
  const dated = column.type === 'date' || column.type === 'datetime';
  const which = dated ? (high ? 'latest' : 'earliest') : high ? 'highest' : 'lowest';
  const field = column.type === 'datetime' ? sayField(spec, col).replace(/\btime\b/, 'date') : sayField(spec, col);
  const out = standsOut(field, which);
  const request = random.pick([
    `Which of the ${group.words} ${out}? Give the ${sayColumn(label)}.`,
    `Of all ${group.words}, which one ${out}? I need the ${sayColumn(label)}.`,
    `Among the ${group.words}, please find the one that ${out} and tell me its ${sayColumn(label)}.`,
  ]);
  const expected = String(best[label]);
  const distractors = [...new Set(values.map((row) => String(row[label])))].filter((other) => other !== expected);
  if (distractors.length + 1 < group.rows.length) return undefined;
  return {
    family: 'extreme',
    request,
    answer: { kind: 'value', asks: `the ${which} of ${group.words} by ${col}`, expected, distractors },
    says: expected,
  };
};

export const overRows: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  for (let tries = 0; tries < 8; tries++) {
    const group = groupOf(ground, tool, random);
    if (!group || group.rows.length === 0 || group.rows.length > 15) continue;
    const question = random.weighted<() => Question | undefined>([
      [() => howMany(spec, group, random), 0.6],
      [() => inAll(service, spec, group, random), 1],
      [() => whichFirst(spec, group, random), 1],
    ])();
    if (!question) continue;
    let plan: Plan | undefined = startPlan(ground.fresh());
    const bindings = [];
    if (group.parent) {
      const descriptors =
        group.parent.descriptors ?? singleOut(ground, service, group.parent.table, group.parent.row, random, 'label');
      const further: Plan | undefined =
        descriptors && (descriptors.length === 1 || group.parent.descriptors)
          ? reveal(
              { world: ground.world, known: ground, service, random },
              plan,
              group.parent.table,
              group.parent.row,
              descriptors,
            )
          : undefined;
      dropPlan(plan);
      plan = further;
      const key = group.parent.row[(service.spec.tables[group.parent.table] as Table).key.col] as string | number;
      if (descriptors) bindings.push(bindingOf('owner', service, group.parent.table, key, descriptors));
    }
    if (!plan) continue;
    const listed = forkPlan(plan);
    dropPlan(plan);
    const limit = Object.entries(tool.tool.tool.args).find(([, arg]) => arg.role === 'limit');
    const page: PlannedArg[] = limit
      ? [{ name: limit[0], value: limit[1].max ?? 50, origin: { constant: 'as many as the tool gives' } }]
      : [];
    if (!perform(listed, tool, [...group.args, ...page]) || !seesAll(listed, service, spec, group.rows)) {
      dropPlan(listed);
      continue;
    }
    return {
      family: question.family,
      template: `${question.family}:${service.id}.${table}.${group.args.map(({ name }) => name).join('+')}`,
      service,
      persona: random.pick(PERSONAS),
      request: question.request,
      plain: { asks: question.request },
      vague: `I need a figure about our ${sayMany(spec)}.`,
      facts: group.facts,
      bindings,
      plan: listed,
      answer: question.answer,
      says: question.says,
    };
  }
  return 'no group of rows that the tool can select and show whole';
};
