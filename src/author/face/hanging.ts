/**
 * Rows that paths name under another row always have that other row: `/users/{user}/cards/{card}` reaches no card that has no user.
 * Columns of that kind cannot be empty, unless something makes rows without them.
 */
import type { Step, Value } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import { breakCircles } from '../openapi/settle.js';
import type { FaceDraft } from './draft.js';

const within = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => ('if' in step ? within(step.if.do) : 'each' in step ? within(step.each.do) : [step]));

/** Columns that a row is looked up by besides its key. */
const heldIn = (tables: Readonly<Record<string, Table>>, steps: readonly Step[]): [string, string][] =>
  steps.flatMap((step): [string, string][] => {
    if (!('get' in step)) return [];
    const { table, where } = step.get;
    const key = tables[table]?.key.col ?? '';
    if (!(key in where)) return [];
    return Object.keys(where).flatMap((col): [string, string][] => (col === key ? [] : [[table, col]]));
  });

const isGiven = ({ tool }: FaceDraft, value: Value | undefined): boolean => {
  const arg = /^\$args\.(\w+)$/.exec(String(value))?.[1];
  if (arg !== undefined) return tool.args[arg]?.required === true;
  return /^\$(above|named)_/.test(String(value));
};

/** Changes the tables in place. */
export const hung = (tables: Record<string, Table>, drafts: readonly FaceDraft[]): void => {
  const held = new Set<string>();
  const open = new Set<string>();
  for (const draft of drafts) {
    const steps = within(draft.tool.steps ?? []);
    for (const [table, col] of heldIn(tables, steps)) held.add(`${table} ${col}`);
    for (const step of steps) {
      const written = 'insert' in step ? step.insert : 'update' in step ? step.update : undefined;
      if (!written) continue;
      for (const [col, { fk }] of Object.entries(tables[written.table]?.cols ?? {})) {
        if (fk === undefined) continue;
        const isLeft = 'insert' in step ? !isGiven(draft, written.set[col]) : written.set[col] === null;
        if (isLeft) open.add(`${written.table} ${col}`);
      }
    }
  }
  let changed = false;
  for (const name of held) {
    const [table = '', col = ''] = name.split(' ');
    const column = tables[table]?.cols[col];
    if (!column?.fk || column.required || column.fk === table || open.has(name)) continue;
    column.required = true;
    changed = true;
  }
  if (changed) breakCircles(tables);
};
