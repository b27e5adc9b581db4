/** The families of atomic tasks: which tools each grows on. One entry a family. */
import type { Table } from '../../artifacts/table.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { subjectArg } from '../../world/surface/subject.js';
import type { NamedTool } from '../ground/plan.js';
import { aggregate } from '../kinds/aggregate.js';
import { conditional } from '../kinds/conditional.js';
import { every } from '../kinds/every.js';
import { file, writesFile } from '../kinds/file.js';
import { investigation } from '../kinds/investigate.js';
import { refusal } from '../kinds/refusal.js';
import { mendedBy, repair } from '../kinds/repair.js';
import { rulesFor } from '../kinds/rules.js';
import type { Family } from './candidate.js';
import { chained } from './chained.js';
import { overRows } from './count.js';
import { create } from './create.js';
import { lookup, related } from './lookup.js';
import { message, writes } from './message.js';
import { action, update } from './on-row.js';
import { tells, told } from './told.js';

export interface FamilyEntry {
  name: string;
  /** Share of a library that should come from it. */
  weight: number;
  growsOn(tool: NamedTool, world: LoadedWorld): boolean;
  make: Family;
  /** Calls that one of its tasks may take, where that is more than usual. */
  mostCalls?: number;
  /** What is right is not to call the tool. */
  leavesBe?: true;
  /** Names of the families that its candidates say they are of, where that is not its own. */
  gives?: readonly string[];
}

/** A domain verb that makes something new (`book`, `issue`) instead of acting on a row. */
const makes = ({ tool: { tool } }: NamedTool): boolean =>
  tool.op === 'create' ||
  (tool.op === 'action' &&
    subjectArg(tool) === undefined &&
    tool.writes.some(({ table, insert }) => insert && table === tool.table));

const changesRow = ({ tool: { tool } }: NamedTool): boolean =>
  (tool.op === 'action' || tool.op === 'update') && tool.writes.length > 0 && subjectArg(tool) !== undefined;

const finds = ({ tool: { tool } }: NamedTool): boolean => tool.op === 'list' || tool.op === 'search';

const tableOf = ({ service, tool: { tool } }: NamedTool): Table => service.spec.tables[tool.table] as Table;

/** A row of the tool's table leads to another of the same service. */
const pointsOn = (tool: NamedTool): boolean =>
  Object.values(tableOf(tool).cols).some(
    ({ fk, hidden }) => fk !== undefined && fk !== tool.tool.tool.table && !hidden,
  );

/** A row of the tool's table, or one that it points to, leads to another service. */
const leadsOut = (tool: NamedTool, world: LoadedWorld): boolean => {
  const { service } = tool;
  const tables = [tool.tool.tool.table, ...Object.values(tableOf(tool).cols).flatMap(({ fk }) => (fk ? [fk] : []))];
  return world.spec.links.some(
    ({ from, to }) => from.service === service.id && tables.includes(from.table) && to.service !== service.id,
  );
};

export const FAMILIES: readonly FamilyEntry[] = [
  {
    name: 'action',
    weight: 4,
    growsOn: ({ tool: { tool } }) => tool.op === 'action' && tool.writes.length > 0 && subjectArg(tool) !== undefined,
    make: action,
  },
  {
    name: 'delete',
    weight: 1,
    growsOn: ({ tool: { tool } }) => tool.op === 'delete' && subjectArg(tool) !== undefined,
    make: action,
  },
  { name: 'update', weight: 2, growsOn: ({ tool: { tool } }) => tool.op === 'update', make: update },
  { name: 'create', weight: 2, growsOn: (tool) => makes(tool) && !writes(tool), make: create },
  { name: 'message', weight: 1, growsOn: writes, make: message },
  { name: 'told', weight: 1, growsOn: tells, make: told },
  { name: 'lookup', weight: 1, growsOn: finds, make: lookup },
  { name: 'related', weight: 1, growsOn: (tool) => finds(tool) && pointsOn(tool), make: related },
  { name: 'chained', weight: 2.6, growsOn: (tool, world) => finds(tool) && leadsOut(tool, world), make: chained },
  {
    name: 'rows',
    weight: 1.4,
    growsOn: ({ tool: { tool } }) => tool.op === 'list',
    make: overRows,
    gives: ['count', 'sum', 'extreme'],
  },
  { name: 'aggregate', weight: 1, growsOn: ({ tool: { tool } }) => tool.op === 'list', make: aggregate },
  {
    name: 'every',
    weight: 1,
    growsOn: changesRow,
    make: every,
    mostCalls: 8,
  },
  {
    name: 'investigation',
    weight: 1.2,
    growsOn: (tool) => finds(tool) && tool.service.role === 'domain',
    make: investigation,
  },
  {
    name: 'refusal',
    weight: 0.8,
    growsOn: (tool, world) => changesRow(tool) && rulesFor(world, tool).length > 0,
    make: refusal,
    leavesBe: true,
    mostCalls: 6,
  },
  { name: 'file', weight: 1, growsOn: writesFile, make: file, mostCalls: 6 },
  {
    name: 'repair',
    weight: 0.8,
    growsOn: (tool, world) => changesRow(tool) && mendedBy(world, tool).length > 0,
    make: repair,
    mostCalls: 6,
  },
  { name: 'conditional', weight: 1.2, growsOn: changesRow, make: conditional, mostCalls: 5 },
];
