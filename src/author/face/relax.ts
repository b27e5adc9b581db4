/** Columns that some way of making a row leaves open cannot be required, and a key that one leaves open is the service's to write. */
import type { Step } from '../../artifacts/step.js';
import type { IdStyle, Table } from '../../artifacts/table.js';
import type { FaceDraft } from './draft.js';

interface Insert {
  table: string;
  set: Record<string, unknown>;
}

const insertsIn = (steps: readonly Step[]): Insert[] =>
  steps.flatMap((step) => {
    if ('insert' in step) return [step.insert];
    if ('if' in step) return insertsIn(step.if.do);
    return 'each' in step ? insertsIn(step.each.do) : [];
  });

/** `fallback`: how keys are written where nothing says how. Changes the tables in place. */
export const relaxed = (tables: Record<string, Table>, drafts: readonly FaceDraft[], fallback: IdStyle): void => {
  for (const { tool } of drafts)
    for (const { table: name, set } of insertsIn(tool.steps ?? [])) {
      const table = tables[name];
      if (!table) continue;
      const { key } = table;
      const own = table.cols[key.col];
      if (own && own.fk === undefined && own.default === undefined && !key.gen && set[key.col] === undefined)
        table.key = { ...key, gen: own.type === 'int' ? { style: 'integer', length: 6 } : fallback };
      for (const [col, column] of Object.entries(table.cols)) {
        if (col === table.key.col || !column.required || column.auto || column.default !== undefined) continue;
        const value = set[col];
        const arg = typeof value === 'string' && value.startsWith('$args.') ? tool.args[value.slice(6)] : undefined;
        const isMade = typeof value === 'string' && value.startsWith('$made_');
        if (value === undefined || isMade || (arg && !arg.required)) delete column.required;
      }
    }
};
