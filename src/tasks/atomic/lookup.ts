/** Lookups: one fact of one row, or of the row of the same service that it points to. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { modeFor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, startPlan } from '../ground/plan.js';
import { getterOf, keyArgOf, neededColumns, reveal } from '../ground/reveal.js';
import { askedOf } from '../words/happening.js';
import { nounOf, sayColumn } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { asked, askedPlainly, PERSONAS } from '../words/tone.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { answerOf, leaks, pickColumn } from './questions.js';

export const lookup: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const rows = ground.rows(service)(table);
  const must = neededColumns(ground.world, service, table);
  if (rows.length < 2) return 'fewer than two rows to tell apart';
  for (const row of random.sample(subjectRows(ground, service, table), 6)) {
    const descriptors = singleOut(ground, service, table, row, random, modeFor(spec, random), must);
    if (!descriptors) continue;
    const used = descriptors.map(({ col }) => col);
    const column = pickColumn(ground, service, table, row, used, random);
    if (!column) continue;
    const thing = askedOf(column.field, sayRow(service, table, row, descriptors));
    const said = descriptors.map(({ words }) => words);
    const answer = answerOf(service, table, row, column, thing, rows, said);
    const persona = random.pick(PERSONAS);
    const request = asked(thing, persona, random);
    if (!answer || leaks(request, answer.words)) continue;
    const sight = { world: ground.world, known: ground, service, random };
    const start = startPlan(ground.fresh());
    const plan = reveal(sight, start, table, row, descriptors);
    const otherPath = plan ? reveal(sight, start, table, row, descriptors, 1) : undefined;
    dropPlan(start);
    if (!plan) continue;
    const key = row[spec.key.col] as string | number;
    const getter = getterOf(ground, ground.world, service, table);
    const name = getter && (random.chance(0.6) || ground.prefers?.has(getter.name)) ? keyArgOf(getter) : undefined;
    if (getter && name) perform(plan, getter, [{ name, value: key, origin: { observed: true } }]);
    return {
      family: 'lookup',
      template: `lookup:${service.id}.${table}.${column.col}`,
      service,
      persona,
      request,
      plain: { asks: askedPlainly(thing) },
      vague: `I have a question about ${column.field} of one of our ${nounOf(spec)} records.`,
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

/** Follows a foreign key: `the e-mail address of the customer of invoice INV-10427`. */
export const related: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service);
  const links = Object.entries(spec.cols).filter(([, column]) => column.fk && column.fk !== table && !column.hidden);
  const must = neededColumns(ground.world, service, table);
  if (links.length === 0) return 'the table points to no other';
  for (const row of random.sample(subjectRows(ground, service, table), 6)) {
    const [col, column] = random.pick(links);
    const parentTable = column.fk as string;
    const parentSpec = service.spec.tables[parentTable];
    const parent = all(parentTable).find((candidate) => candidate[parentSpec?.key.col ?? ''] === row[col]);
    const getter = getterOf(ground, ground.world, service, parentTable);
    const name = getter ? keyArgOf(getter) : undefined;
    if (!parent || !parentSpec || !getter || !name) continue;
    const descriptors = singleOut(ground, service, table, row, random, modeFor(spec, random), must);
    if (!descriptors || descriptors.some(({ parent: named }) => named?.table === parentTable)) continue;
    const column2 = pickColumn(ground, service, parentTable, parent, [], random);
    if (!column2) continue;
    const noun = nounOf(parentSpec);
    const role = sayColumn(col);
    const who = noun.includes(role) ? noun : role;
    const thing = askedOf(column2.field, `the ${who} of ${sayRow(service, table, row, descriptors)}`);
    const said = descriptors.map(({ words }) => words);
    const answer = answerOf(service, parentTable, parent, column2, thing, all(parentTable), said);
    const persona = random.pick(PERSONAS);
    const request = asked(thing, persona, random);
    if (!answer || leaks(request, answer.words)) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    dropPlan(start);
    if (!plan) continue;
    const key = parent[parentSpec.key.col] as string | number;
    if (!perform(plan, getter, [{ name, value: key, origin: { observed: true } }])) {
      dropPlan(plan);
      continue;
    }
    return {
      family: 'related',
      template: `related:${service.id}.${table}.${col}.${column2.col}`,
      service,
      persona,
      request,
      plain: { asks: askedPlainly(thing) },
      vague: `I have a question about the ${noun} of one of our ${nounOf(spec)} records.`,
      facts: said,
      bindings: [bindingOf('subject', service, table, row[spec.key.col] as string | number, descriptors)],
      plan,
      answer: answer.spec,
      says: answer.words,
    };
  }
  return 'no row whose related record can be asked about';
};
