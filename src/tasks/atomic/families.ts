/** The families of atomic tasks: which tools each grows on. One entry a family. */
import type { Tool } from '../../artifacts/tool.js';
import { subjectArg } from '../../world/surface/subject.js';
import type { Family } from './candidate.js';
import { overRows } from './count.js';
import { create } from './create.js';
import { lookup, related } from './lookup.js';
import { action, update } from './on-row.js';

export interface FamilyEntry {
  name: string;
  /** Share of a library that should come from it. */
  weight: number;
  growsOn(tool: Tool): boolean;
  make: Family;
}

/** A domain verb that makes something new (`book`, `issue`) instead of acting on a row. */
const makes = (tool: Tool): boolean =>
  tool.op === 'create' ||
  (tool.op === 'action' &&
    subjectArg(tool) === undefined &&
    tool.writes.some(({ table, insert }) => insert && table === tool.table));

const finds = (tool: Tool): boolean => tool.op === 'list' || tool.op === 'search';

export const FAMILIES: readonly FamilyEntry[] = [
  {
    name: 'action',
    weight: 4,
    growsOn: (tool) => tool.op === 'action' && tool.writes.length > 0 && subjectArg(tool) !== undefined,
    make: action,
  },
  { name: 'update', weight: 2, growsOn: (tool) => tool.op === 'update', make: update },
  { name: 'create', weight: 2, growsOn: makes, make: create },
  { name: 'lookup', weight: 1.5, growsOn: finds, make: lookup },
  { name: 'related', weight: 1.2, growsOn: finds, make: related },
  { name: 'rows', weight: 1.5, growsOn: (tool) => tool.op === 'list', make: overRows },
];
