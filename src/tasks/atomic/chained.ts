/** Questions that cross services: from a row over a shared key to another service, and from there once more to a superior. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { modeFor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, forkPlan, keyOf, type NamedTool, type Plan, perform, seenAt, startPlan } from '../ground/plan.js';
import { filterFor, finders, getterOf, keyArgOf, neededColumns, preferredFirst, reveal } from '../ground/reveal.js';
import { PERSON } from '../words/context.js';
import { askedOf } from '../words/happening.js';
import { didOf, nounOf, sayColumn } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { asked, askedPlainly, PERSONAS } from '../words/tone.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { answerOf, leaks, pickColumn } from './questions.js';

interface Hop {
  col: string;
  /** The shared key over there, which the first row gives away. */
  key: string;
  service: LoadedService;
  table: string;
  row: Row;
}

/** Columns of a row that lead into another service, each with the one row there. */
const hopsOf = (ground: Ground, service: LoadedService, table: string, row: Row): Hop[] =>
  Object.keys(service.spec.tables[table]?.cols ?? {}).flatMap((col) => {
    const value = row[col];
    const to = value === null || value === undefined ? undefined : ground.linked(service.id, table, col);
    if (!to || to.service === service) return [];
    const there = ground
      .rows(to.service)(to.table)
      .filter((other) => other[to.col] === value);
    return there.length === 1 && there[0]
      ? [{ col, key: to.col, service: to.service, table: to.table, row: there[0] }]
      : [];
  });

/** A row of the same service between the first and the one over there: the customer of an invoice. */
interface Between {
  table: string;
  row: Row;
  getter: NamedTool;
  keyArg: string;
}

/** Ways out of the service by way of a row that the first one points to. */
const waysOver = (ground: Ground, service: LoadedService, table: string, row: Row): { between: Between; hop: Hop }[] =>
  Object.entries(service.spec.tables[table]?.cols ?? {}).flatMap(([col, column]) => {
    const { fk } = column;
    if (!fk || fk === table || column.hidden) return [];
    const key = service.keys[fk] as string;
    const next = ground
      .rows(service)(fk)
      .find((other) => other[key] === row[col]);
    const getter = getterOf(ground, ground.world, service, fk);
    const keyArg = getter ? keyArgOf(getter) : undefined;
    if (!next || !getter || !keyArg) return [];
    return hopsOf(ground, service, fk, next).map((hop) => ({ between: { table: fk, row: next, getter, keyArg }, hop }));
  });

/** Reads the row in between by its key, which the first row shows. */
const readBetween = (plan: Plan, service: LoadedService, { table, row, getter, keyArg }: Between): boolean =>
  perform(plan, getter, [
    { name: keyArg, value: row[service.keys[table] as string] ?? null, origin: { observed: true } },
  ]);

/** Looks the row of another service up by the key that both know. */
const cross = (ground: Ground, plan: Plan, hop: Hop, random: Rng): Plan | undefined => {
  const spec = hop.service.spec.tables[hop.table] as Table;
  for (const finder of preferredFirst(ground, random.shuffle(finders(ground.world, hop.service, hop.table)))) {
    for (const shared of Object.keys(spec.cols)) {
      const to = filterFor(finder, shared, ['eq']);
      const value = hop.row[shared];
      if (!to || value === null || value === undefined || spec.cols[shared]?.enum) continue;
      const further = forkPlan(plan);
      if (
        perform(further, finder, [{ name: to[0], value, origin: { observed: true } }]) &&
        seesLast(further, hop, spec)
      )
        return further;
      dropPlan(further);
    }
  }
  return undefined;
};

const seesLast = (plan: Plan, hop: Hop, spec: Table): boolean =>
  seenAt(plan, keyOf(hop.service, spec, hop.row))?.observed === plan.calls.length - 1;

/** The row that a column of the same table points to: an employee's manager. */
const superior = (ground: Ground, hop: Hop): { col: string; row: Row } | undefined => {
  const spec = hop.service.spec.tables[hop.table] as Table;
  const col = Object.entries(spec.cols).find(([, column]) => column.fk === hop.table)?.[0];
  const row = col
    ? ground
        .rows(hop.service)(hop.table)
        .find((other) => other[spec.key.col] === hop.row[col])
    : undefined;
  return col && row && row !== hop.row ? { col, row } : undefined;
};

/** Whom the question is about, and how it is asked who that is. */
interface Whom {
  /** `the handler of dispute DP-1`, `the person who approved ...`, `the customer of ticket T-5` */
  words: string;
  /** `Who approved clause ...?` */
  question: string;
}

const whomOf = (hop: Hop, subject: string, subjectNoun: string): Whom => {
  const noun = nounOf(hop.service.spec.tables[hop.table] as Table);
  const role = sayColumn(hop.col);
  if (/_by$/.test(hop.col)) {
    const did = `${didOf(hop.col)} ${subject}`;
    return { words: `the person who ${did}`, question: `Who ${did}?` };
  }
  // A driver's staff number leads to the driver, not to somebody else.
  if (
    hop.service.role === 'core' &&
    /employee|e-mail|username|^(full )?name$/.test(role) &&
    PERSON.test(subjectNoun.replace(/ record$/, ''))
  ) {
    const words = `${subject} according to the staff directory`;
    return { words, question: `Who is ${words}?` };
  }
  const is =
    hop.service.role === 'core' && !/employee|number|e-mail|username|login|^(full )?name$/.test(role) ? role : noun;
  const words = `the ${is} of ${subject}`;
  return { words, question: `Who is ${words}?` };
};

/** The name of somebody is asked for in more than one way. */
const askWho = (question: string, thing: string, persona: string, random: Rng): string =>
  random.chance(0.55)
    ? `${question} ${random.pick(['Please give me the full name.', 'I need the full name.', 'The full name will do.', 'First and last name, please.'])}`
    : asked(thing, persona, random);

export const chained: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const must = neededColumns(ground.world, service, table);
  for (const row of random.sample(subjectRows(ground, service, table), 6)) {
    const straight = hopsOf(ground, service, table, row).map((one) => ({ hop: one, between: undefined }));
    const over = waysOver(ground, service, table, row);
    const ways = straight.length > 0 && (over.length === 0 || random.chance(0.55)) ? straight : over;
    if (ways.length === 0) continue;
    const { hop, between } = random.pick<{ hop: Hop; between: Between | undefined }>(ways);
    const descriptors = singleOut(ground, service, table, row, random, modeFor(spec, random), must);
    if (
      !descriptors ||
      descriptors.some(({ col, parent }) => col === hop.col || (between && parent?.table === between.table))
    )
      continue;
    const itself = sayRow(service, table, row, descriptors);
    const subject = between ? `the ${nounOf(service.spec.tables[between.table] as Table)} of ${itself}` : itself;
    const above = !between && random.chance(0.45) ? superior(ground, hop) : undefined;
    const target = above?.row ?? hop.row;
    const targetSpec = hop.service.spec.tables[hop.table] as Table;
    const first = whomOf(hop, subject, nounOf(between ? (service.spec.tables[between.table] as Table) : spec));
    const boss = above
      ? `the ${sayColumn(above.col)} of ${first.words.replace(' according to the staff directory', '')}`
      : undefined;
    const whom = boss ?? first.words;
    const label = targetSpec.label;
    const named = label !== undefined && (above || label !== hop.key) && target[label] && random.chance(0.4);
    const column = named
      ? {
          col: label,
          kind: 'value' as const,
          field: hop.service.role === 'core' ? 'the full name' : `the ${sayColumn(label)}`,
        }
      : pickColumn(ground, hop.service, hop.table, target, above ? ['status'] : [hop.key, 'status'], random);
    if (!column || (column.col === 'email' && !above)) continue;
    const thing = askedOf(column.field, whom);
    const said = descriptors.map(({ words }) => words);
    const answer = answerOf(hop.service, hop.table, target, column, thing, ground.rows(hop.service)(hop.table), said);
    const persona = random.pick(PERSONAS);
    const who = boss ? `Who is ${boss}?` : first.question;
    const isName = named && hop.service.role === 'core';
    const request = isName ? askWho(who, thing, persona, random) : asked(thing, persona, random);
    if (!answer || leaks(request, answer.words)) continue;
    const start = startPlan(ground.fresh());
    const seen = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    dropPlan(start);
    const ready = seen && (!between || readBetween(seen, service, between));
    const crossed = seen && ready ? cross(ground, seen, hop, random) : undefined;
    if (seen) dropPlan(seen);
    if (!crossed) continue;
    const getter = getterOf(ground, ground.world, hop.service, hop.table);
    const keyArg = getter ? keyArgOf(getter) : undefined;
    const key = target[targetSpec.key.col] as string | number;
    if (
      above &&
      !(getter && keyArg && perform(crossed, getter, [{ name: keyArg, value: key, origin: { observed: true } }]))
    ) {
      dropPlan(crossed);
      continue;
    }
    return {
      family: 'chained',
      template: `chained:${service.id}.${between ? `${table}.${between.table}` : table}.${hop.col}.${above ? `${above.col}.` : ''}${column.col}`,
      service,
      persona,
      request,
      plain: { asks: isName ? `${who} I need the full name.` : askedPlainly(thing) },
      vague: `I have a question about somebody or something behind one of our ${nounOf(spec)} records.`,
      facts: said,
      bindings: [bindingOf('subject', service, table, row[spec.key.col] as string | number, descriptors)],
      plan: crossed,
      answer: answer.spec,
      says: answer.words,
    };
  }
  return 'no row leads to another service by a key that can be looked up there';
};
