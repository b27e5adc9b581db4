/** Questions that a tool of the service answers by itself: who the manager of somebody is, what the successor of something is. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { Row } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';
import { modeFor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, keyOf, type NamedTool, type Plan, pathTo, perform, startPlan } from '../ground/plan.js';
import { readyRows } from '../ground/ready.js';
import { neededColumns, reveal } from '../ground/reveal.js';
import { nounOf } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { asked, askedPlainly, PERSONAS } from '../words/tone.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { answerOf, leaks, pickColumn } from './questions.js';

/** A tool that is asked about one row and answers with another, changing nothing. */
export const tells = ({ tool: { tool } }: NamedTool): boolean =>
  tool.op === 'action' && tool.writes.length === 0 && subjectArg(tool) !== undefined && tool.returns?.row !== undefined;

/** The row that the last call answered with. */
const toldRow = (ground: Ground, plan: Plan, { service }: NamedTool, table: string, row: Row): Row | undefined => {
  const spec = service.spec.tables[table] as Table;
  const result = plan.observations.at(-1) ?? null;
  return ground
    .rows(service)(table)
    .find((other) => other !== row && pathTo(result, keyOf(service, spec, other)) !== undefined);
};

export const told: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const { table, returns, id } = tool.tool.tool;
  const spec = service.spec.tables[table] as Table;
  const there = returns?.table ?? table;
  const keyArg = subjectArg(tool.tool.tool) as string;
  const must = neededColumns(ground.world, service, table);
  for (const row of random.sample(readyRows(tool.tool.tool, subjectRows(ground, service, table)), 8)) {
    const descriptors = singleOut(ground, service, table, row, random, modeFor(spec, random), must);
    if (!descriptors) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    dropPlan(start);
    if (!plan) continue;
    const key = row[spec.key.col] as string | number;
    const isTold = perform(plan, tool, [{ name: keyArg, value: key, origin: { observed: true } }]);
    const target = isTold ? toldRow(ground, plan, tool, there, row) : undefined;
    const label = service.spec.tables[there]?.label;
    const isNamed = target && label !== undefined && target[label] && random.chance(0.4);
    const column = isNamed
      ? { col: label, kind: 'value' as const, field: label === 'name' ? 'the full name' : `the ${label}` }
      : target && pickColumn(ground, service, there, target, ['status'], random);
    const thing = `${column?.field} of the ${wordsOf(id.split('.')[0] ?? '').join(' ')} of ${sayRow(service, table, row, descriptors)}`;
    const said = descriptors.map(({ words }) => words);
    const rows = ground.rows(service)(there);
    const answer = target && column ? answerOf(service, there, target, column, thing, rows, said) : undefined;
    const persona = random.pick(PERSONAS);
    const request = asked(thing, persona, random);
    if (!column || !answer || leaks(request, answer.words)) {
      dropPlan(plan);
      continue;
    }
    return {
      family: 'told',
      template: `told:${service.id}.${id}.${column.col}`,
      service,
      persona,
      request,
      plain: { asks: askedPlainly(thing) },
      vague: `I have a question about one of our ${nounOf(spec)} records.`,
      facts: said,
      bindings: [bindingOf('subject', service, table, key, descriptors)],
      plan,
      answer: answer.spec,
      says: answer.words,
    };
  }
  return 'no row about which the tool tells something to ask for';
};
