/** Status columns: where a new row starts, and the machine that the compiled actions move. */
import type { Step } from '../../artifacts/step.js';
import type { Machine, Table } from '../../artifacts/table.js';
import { classOf } from '../lexicon/status.js';
import type { DraftTool } from './tools.js';

const STATUS = /^(status|state|stage|phase|lifecycle|lifecycle_state|lifecycle_status)$/;
const ANY_STATUS = /(^|_)(status|state|stage|phase|lifecycle)$/;
const FRESH = ['draft', 'queued', 'active', 'review'];
const NOTHING = /(^|_)(unspecified|unknown|none|undefined)$/i;

/** The column that says how far a row has come, when its values are listed. */
export const statusColumn = (cols: Table['cols']): string | undefined =>
  Object.keys(cols).find((name) => STATUS.test(name) && (cols[name]?.enum?.length ?? 0) > 1);

/** Where a row most likely starts: a value of a fresh class that no verb leads to, else any fresh one, else the first. */
export const freshValue = (values: readonly string[], targets: ReadonlySet<string> = new Set()): string => {
  const open = values.find((value) => /^open$/i.test(value));
  if (open !== undefined && !values.some((value) => classOf(value, values) === 'draft')) return open;
  const classes = new Map(
    values.filter((value) => !NOTHING.test(value)).map((value) => [value, classOf(value, values)] as const),
  );
  for (const free of [true, false])
    for (const wanted of FRESH)
      for (const value of values) if (classes.get(value) === wanted && (!free || !targets.has(value))) return value;
  return values.find((value) => !targets.has(value)) ?? (values[0] as string);
};

interface Written {
  table: string;
  set: Record<string, unknown>;
}

const updatesIn = (steps: readonly Step[]): Written[] =>
  steps.flatMap((step) => {
    if ('update' in step) return [step.update];
    if ('if' in step) return updatesIn(step.if.do);
    return 'each' in step ? updatesIn(step.each.do) : [];
  });

const requirementsIn = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => {
    if ('require' in step) return step.require.map(({ that }) => that);
    return 'if' in step ? requirementsIn(step.if.do) : [];
  });

const literal = (value: unknown): string | undefined => /^'([^']*)'$/.exec(String(value))?.[1];

const moveOf = (tool: DraftTool['tool'], table: string, col: string, values: readonly string[]): Machine['moves'] => {
  const steps = tool.steps ?? [];
  const quoted = requirementsIn(steps).flatMap((that) =>
    [...that.matchAll(/'([^'\\]+)'/g)].map((match) => match[1] as string),
  );
  return updatesIn(steps).flatMap((update) => {
    const to = update.table === table ? literal(update.set[col]) : undefined;
    if (to === undefined || !values.includes(to)) return [];
    const others = values.filter((value) => value !== to);
    const said = others.filter((value) => quoted.includes(value));
    const from = said.length > 0 ? said : others;
    return from.length > 0 ? [{ verb: tool.id.split('.')[1] as string, from, to }] : [];
  });
};

/**
 * One move a verb, `from` where its steps require it. None where the document lets a caller set the status by hand: it then
 * promises no machine.
 */
export const machineOf = (table: Table, name: string, drafts: readonly DraftTool[]): Machine | undefined => {
  let best: { col: string; values: readonly string[]; moves: Machine['moves'] } | undefined;
  for (const [col, { enum: values }] of Object.entries(table.cols)) {
    if (!values || values.length < 2 || !ANY_STATUS.test(col)) continue;
    const byHand = drafts.some(
      ({ tool }) => tool.op === 'update' && Object.values(tool.args).some((arg) => arg.col === col),
    );
    const moves = byHand ? [] : drafts.flatMap(({ tool }) => moveOf(tool, name, col, values));
    if (moves.length > (best?.moves.length ?? 0)) best = { col, values, moves };
  }
  if (!best) return undefined;
  const { col, values, moves } = best;
  const given = table.cols[col]?.default;
  return {
    col,
    initial: typeof given === 'string' ? given : freshValue(values, new Set(moves.map(({ to }) => to))),
    moves,
  };
};
