/** "If the invoice is overdue, send a reminder, otherwise ...": the condition has to be looked up, and decides what is done. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Row } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';
import { factsOf, leavesTrace, referBindings, revealAll } from '../atomic/arguments.js';
import { bindingOf, type Candidate, type Family } from '../atomic/candidate.js';
import { answerOf, leaks } from '../atomic/questions.js';
import { type Descriptor, modeFor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, forkPlan, type NamedTool, type Plan, perform, startPlan } from '../ground/plan.js';
import { keyArgOf, neededColumns, reveal, toolsOf } from '../ground/reveal.js';
import type { Mutant } from '../mutants/mutant.js';
import { PERSON } from '../words/context.js';
import { capital, closed } from '../words/grammar.js';
import { nounOf, sayField } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { PERSONAS, requested } from '../words/tone.js';
import { type Acting, actingOn, argsOn, callOn } from './acting.js';
import { type Condition, conditionsOn } from './conditions.js';
import { shownAs, stands } from './group.js';

const TRIES = 10;

/** Whether a verb of the table's life may come from a state, or from any other. */
const comesFrom = (spec: Table, acting: Acting, fits: (state: string) => boolean): boolean => {
  const verb = acting.tool.tool.tool.id.split('.')[1] ?? '';
  const moves = spec.machine?.moves.filter((move) => move.verb === verb) ?? [];
  return moves.length === 0 || moves.some(({ from }) => from.some(fits));
};

/** Nobody asks for something in a state from which it cannot be. */
const isPlausible = (spec: Table, condition: Condition, then: Acting, otherwise: Acting | undefined): boolean => {
  if (condition.kind !== 'state' || condition.col !== spec.machine?.col) return true;
  const isIt = (state: string): boolean => condition.holds({ [condition.col]: state });
  return (
    comesFrom(spec, then, isIt) && (otherwise === undefined || comesFrom(spec, otherwise, (state) => !isIt(state)))
  );
};

/** A condition on what the descriptors do not tell, which holds of the row or does not. */
const conditionFor = (
  ground: Ground,
  tool: NamedTool,
  row: Row,
  said: readonly string[],
  holds: boolean,
  random: Rng,
): Condition | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const rows = ground.rows(service)(table);
  const from = holds ? [row] : random.sample(rows, 8);
  const open = from
    .flatMap((one) => conditionsOn(service, table, one, rows, random))
    .filter(
      (condition) =>
        !said.includes(condition.col) &&
        row[condition.col] !== null &&
        row[condition.col] !== undefined &&
        condition.holds(row) === holds &&
        !/^(unit|currency|gender|sex|breed|species|language)$/.test(condition.col),
    );
  return open.length > 0
    ? random.weighted(open.map((one) => [one, one.kind === 'state' ? 1 : 0.7] as const))
    : undefined;
};

/** The calls that show the row and what the condition is about. */
const lookAt = (
  ground: Ground,
  tool: NamedTool,
  row: Row,
  descriptors: readonly Descriptor[],
  col: string,
  random: Rng,
): Plan | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const start = startPlan(ground.fresh());
  const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
  dropPlan(start);
  if (!plan) return undefined;
  const shown = shownAs(service, spec, col, row);
  const isSeen = (): boolean => plan.observations.some((seen) => stands(seen, shown));
  const getter = toolsOf(ground.world, service.id).find(
    ({ tool: { tool: other } }) => other.op === 'get' && other.table === table,
  );
  const name = getter ? keyArgOf(getter) : undefined;
  const isEnough = plan.calls.length > 0 && isSeen() && random.chance(0.4);
  if (getter && name && !isEnough)
    perform(plan, getter, [{ name, value: row[spec.key.col] ?? null, origin: { observed: true } }]);
  if (isSeen()) return plan;
  dropPlan(plan);
  return undefined;
};

const ofMany = (is: string): string =>
  is
    .replace(/^is /, 'are ')
    .replace(/^has /, 'have ')
    .replace(/^was /, 'were ')
    .replace(/^(start|end|expire|renew|leave|occur)s /, '$1 ')
    .replace('its ', 'their ');

/** In somebody's manner, where the manner says nothing after it: the request is long. */
const plainly = (imperative: string, persona: string, random: Rng): string => {
  const last = imperative.slice(-12);
  for (let turn = 0; turn < 8; turn++) {
    const said = requested(imperative, persona, random, '', false);
    if (said.replace(/[.?!]$/, '').endsWith(last.replace(/[.?!]$/, ''))) return said;
  }
  return `Please ${imperative}`;
};

/** How it is asked: one sentence or two. */
const word = (
  subject: string,
  isPerson: boolean,
  condition: Condition,
  then: Acting,
  otherwise: string,
  persona: string,
  random: Rng,
): string => {
  const it = isPerson ? 'them' : 'it';
  const is = isPerson ? `they ${ofMany(condition.is)}` : `it ${condition.is}`;
  const act = then.say(it);
  const forms: (() => string)[] = [
    () => plainly(`look at ${subject}: if ${is}, ${act}, and otherwise ${otherwise}`, persona, random),
    () => plainly(`check whether ${subject} ${condition.is}; if so, ${act}, and if not, ${otherwise}`, persona, random),
    () => `If ${subject} ${condition.is}, please ${act}. ${random.pick(['Otherwise', 'If not,'])} ${otherwise}.`,
    () => `This is about ${subject}. If ${is}, ${act}. ${random.pick(['If not,', 'Otherwise'])} ${otherwise}.`,
    // A reason in quotes would stand between the thing and its condition.
    ...(act.includes('“')
      ? []
      : [
          () =>
            `${capital(then.say(subject))} if ${is}, please. ${random.pick(['If not,', 'Otherwise'])} ${otherwise}.`,
        ]),
  ];
  return closed(random.pick(forms)());
};

interface Branches {
  ground: Ground;
  plan: Plan;
  key: string | number;
  row: Row;
}

/** Plays the other branch as well, before or after the right one: where both are accepted, it is a wrong solution. */
const bothWays = ({ ground, plan, key }: Branches, right: Acting, other: Acting, says: string): Mutant[] => {
  const [own, more] = [callOn(right, key), callOn(other, key)];
  const lookups = plan.calls.slice(0, -1);
  const orders = [
    [own, more],
    [more, own],
  ];
  const open = orders.find((calls) => {
    const session = ground.fresh();
    const isDone = calls.every((call) => {
      const { ok, entry } = session.call(call.tool, structuredClone(call.args));
      return ok && entry.touched.length > 0;
    });
    session.drop();
    return isDone;
  });
  return open
    ? [{ kind: 'both_branches', what: `calls ${more.tool} as well`, calls: [...lookups, ...open], answer: says }]
    : [];
};

/** What is reported where nothing is to be done. */
interface Report {
  asked: string;
  answer: AnswerSpec;
  words: string;
}

const reportOf = (
  ground: Ground,
  tool: NamedTool,
  row: Row,
  condition: Condition,
  subject: string,
  isPerson: boolean,
): Report | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const field = sayField(spec, condition.col).replace(/\btime\b/, 'date');
  const type = spec.cols[condition.col]?.type;
  const kind = type === 'money' ? 'amount' : type === 'text' ? 'value' : type === 'int' ? 'number' : 'date';
  const rows = ground.rows(service)(table);
  const found = answerOf(service, table, row, { col: condition.col, kind }, `the ${field}`, rows, [subject]);
  if (!found) return undefined;
  // Whoever says that it is not open, but pending, is right.
  const said = condition.words.toLowerCase();
  const distractors = found.spec.distractors.filter(
    (other) => !said.includes(String(other).replaceAll('_', ' ').toLowerCase()),
  );
  if (distractors.length === 0) return undefined;
  return {
    asked: `tell me ${isPerson ? (condition.asks?.replace('it was', 'they were') ?? `their ${field}`) : (condition.asks ?? `its ${field}`)}`,
    answer: { ...found.spec, asks: `the ${field} of ${subject}`, distractors },
    words: found.words,
  };
};

const others = (ground: Ground, tool: NamedTool): NamedTool[] =>
  toolsOf(ground.world, tool.service.id).filter(
    ({ tool: { tool: other } }) =>
      other !== tool.tool.tool &&
      other.table === tool.tool.tool.table &&
      (other.op === 'action' || other.op === 'update') &&
      other.writes.length > 0 &&
      subjectArg(other) !== undefined,
  );

export const conditional: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const noun = nounOf(spec);
  const isPerson = PERSON.test(noun);
  const must = neededColumns(ground.world, service, table);
  const alternatives = others(ground, tool);
  let why = 'no row on which the tool may act';
  for (const row of random.sample(subjectRows(ground, service, table), TRIES)) {
    const descriptors = singleOut(ground, service, table, row, random, modeFor(spec, random), must);
    if (!descriptors) continue;
    const holds = random.chance(0.5);
    const said = descriptors.map(({ col }) => col);
    const condition = conditionFor(ground, tool, row, said, holds, random);
    if (!condition) continue;
    const not = [...said, condition.col];
    const then = actingOn(ground, tool, row, random, not);
    if (!then) continue;
    const leaves = alternatives.length === 0 || random.chance(0.4);
    const otherwise = leaves
      ? undefined
      : actingOn(ground, random.pick(alternatives), row, random, [...not, ...then.chosen.map(({ name }) => name)]);
    if ((!leaves && !otherwise) || !isPlausible(spec, condition, then, otherwise)) {
      why = 'no other thing to do with the row';
      continue;
    }
    const subject = sayRow(service, table, row, descriptors);
    const report = leaves ? reportOf(ground, tool, row, condition, subject, isPerson) : undefined;
    if (leaves && !report) continue;
    const persona = random.pick(PERSONAS);
    const it = isPerson ? 'them' : 'it';
    const elseWords = otherwise
      ? otherwise.say(it)
      : `leave ${it} as ${isPerson ? 'they are' : 'it is'} and ${report?.asked}`;
    const request = word(subject, isPerson, condition, then, elseWords, persona, random);
    if (report && leaks(request, report.words)) continue;
    const key = row[spec.key.col] as string | number;
    const seen = lookAt(ground, tool, row, descriptors, condition.col, random);
    if (!seen) {
      why = 'no look-up shows what the condition is about';
      continue;
    }
    const right = holds ? then : otherwise;
    const plan = right ? revealAll(ground, seen, right.chosen, random) : seen;
    if (!plan) continue;
    const lookups = forkPlan(plan);
    const isDone =
      !right || (perform(plan, right.tool, argsOn(right, key)) && (!right.isUpdate || leavesTrace(plan, right.chosen)));
    if (!isDone) {
      dropPlan(plan);
      dropPlan(lookups);
      continue;
    }
    const says = right ? right.says : (report as Report).words;
    const other = holds ? otherwise : then;
    const wrong: Mutant[] = [
      other
        ? {
            kind: 'other_branch',
            what: `calls ${other.tool.name}`,
            calls: [...lookups.calls, callOn(other, key)],
            answer: says,
          }
        : { kind: 'other_branch', what: 'leaves it', calls: lookups.calls, answer: (report as Report).words },
      ...(right && other ? bothWays({ ground, plan, key, row }, right, other, says) : []),
    ];
    dropPlan(lookups);
    return {
      family: 'conditional',
      template: `conditional:${service.id}.${tool.tool.tool.id}.${condition.col}-${condition.kind}.${otherwise ? otherwise.tool.tool.tool.id.split('.')[1] : 'leave'}.${holds ? 'yes' : 'no'}`,
      service,
      persona,
      request,
      plain: { does: request, tail: '' },
      vague: `One of our ${noun} records may need something done, depending on how it stands.`,
      facts: [
        ...descriptors.map(({ words }) => words),
        condition.words,
        ...[then, otherwise].flatMap((one) => (one ? factsOf(one.chosen) : [])),
      ],
      bindings: [bindingOf('subject', service, table, key, descriptors), ...(right ? referBindings(right.chosen) : [])],
      plan,
      ...(right || !report ? {} : { answer: report.answer }),
      says,
      isAlone: true,
      wrong,
    };
  }
  return why;
};
