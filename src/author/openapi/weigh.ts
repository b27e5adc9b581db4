/** What each entity would bring to a pack: tools, writes, worth. */
import type { Table } from '../../artifacts/table.js';
import { noVerb, verbOf } from './actions.js';
import { keyArg } from './args.js';
import type { Entity } from './entities.js';
import type { Weighed } from './packs.js';
import { NO_ROW, SAME } from './report.js';
import type { ServiceContext } from './service.js';
import { plainTools } from './tools.js';
import type { OperationKind } from './types.js';

/** Domain verbs of one entity that a pack makes room for; the least grounded are left out. */
const MOST_ACTIONS = 8;

/** The table as far as its columns are known before it is settled. */
const roughTable = (entity: Entity): Table => ({
  ...entity.table,
  cols: Object.fromEntries([...entity.columns.facts].map(([name, fact]) => [name, fact.column])),
});

/** `understood` takes the kind of every operation that makes a tool, by its label, `why` the reasons of the others. */
export const weigh = (
  entity: Entity,
  context: ServiceContext,
  understood: Map<string, OperationKind>,
  why: Map<string, string>,
): Weighed => {
  const plain = plainTools(entity, context, ({ op, kind }, reason) => {
    why.set(op.label, reason);
    if (reason === SAME) understood.set(op.label, kind);
  });
  const table = roughTable(entity);
  const asked = entity.resource.sightings.filter(({ kind }) => kind === 'action');
  const known = asked.filter((sighting) => verbOf(entity, sighting, context.nouns, table) !== undefined);
  const verbs = known.filter((sighting) => keyArg(entity, sighting, context.schemas) !== undefined);
  for (const sighting of asked)
    if (!verbs.includes(sighting)) why.set(sighting.op.label, known.includes(sighting) ? NO_ROW : noVerb(sighting));
  for (const { sighting } of plain) understood.set(sighting.op.label, sighting.kind);
  for (const { op, kind } of verbs) understood.set(op.label, kind);
  const actions = Math.min(verbs.length, MOST_ACTIONS);
  const reads = plain.some(({ tool }) => tool.writes.length === 0);
  const writes = reads ? plain.filter(({ tool }) => tool.writes.length > 0).length + verbs.length : 0;
  const sum = plain.reduce((total, draft) => total + draft.value, 0);
  const value = sum + actions * 4 + Math.min(entity.columns.facts.size, 20) / 4;
  return { entity, tools: plain.length + actions, writes, value: !reads ? 0 : writes > 0 ? value : value / 3 };
};
