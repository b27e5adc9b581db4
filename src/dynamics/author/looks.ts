/** The looks of a reference: its calls that read, what later calls and the answer take from each, and other ways to see the same. */
import type { ReferenceEdit } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { NamedTool } from '../../tasks/ground/plan.js';
import { believedAnswer, type Memory, memoryOf } from './believing.js';
import { valueNow } from './same-row.js';
import { type RowRef, rowAt, rowsShown } from './shown-row.js';
import { played, type Stage } from './trial.js';
import { Known, type Way, waysTo, waysToAsk } from './ways.js';

export interface Use {
  path: string;
  /** A later call takes it; else it is answered. */
  feeds: boolean;
  /** Undefined: of the result as a whole (how many rows, all of a column). */
  row: (RowRef & { at: string }) | undefined;
}

export interface Look {
  /** Which call of the reference. */
  n: number;
  call: Call;
  tool: NamedTool;
  /** What it truly shows. */
  result: Json;
  uses: readonly Use[];
  ways: readonly Way[];
}

const usesOf = ({ task }: Stage, memory: Memory, n: number, tool: NamedTool): Use[] => {
  const result = memory.results[n];
  const use = (path: string, feeds: boolean): Use => ({ path, feeds, row: rowAt(tool, result, path) });
  const fed = task.reference.sources.flatMap(({ from }) =>
    'observed' in from && from.observed === n ? [use(from.path, true)] : [],
  );
  const told = memory.answers.flatMap(({ place }) => {
    if (place?.call !== n) return [];
    return [place.form === 'field' ? use(place.path, false) : { path: place.path, feeds: false, row: undefined }];
  });
  return [...fed, ...told];
};

const listsIn = (value: Json): Json[][] =>
  value === null || typeof value !== 'object'
    ? []
    : [...(Array.isArray(value) ? [value] : []), ...Object.values(value).flatMap((inner) => listsIn(inner as Json))];

/** Whether another result holds the rows of this list, and no others. */
const sameRows = (tool: NamedTool, result: Json, way: Way, path: string): boolean => {
  const listed = valueNow(result, result, path);
  const rows = Array.isArray(listed) ? listed.map((_, i) => rowAt(tool, result, `${path}.${i}.x`)) : [];
  return (
    rows.length > 0 &&
    listsIn(way.result).some(({ length }) => length === rows.length) &&
    rows.every((row) => row !== undefined && rowsShown(way.tool, way.result, row).length > 0)
  );
};

const waysOf = (
  session: Session,
  call: Call,
  tool: NamedTool,
  result: Json,
  uses: readonly Use[],
  known: Known,
): Way[] => {
  const scratch = session.fork(`${session.id}~`);
  try {
    const whole = uses.filter(({ row }) => row === undefined);
    if (whole.length > 0)
      return waysToAsk(scratch, call, tool).filter((way) =>
        whole.every(({ path }) => sameRows(tool, result, way, path)),
      );
    const rows = uses.flatMap(({ row }) => (row ? [row] : []));
    const [first] = rows;
    const ways = first ? waysTo(scratch, first, tool.name, known) : [];
    return ways.filter((way) => rows.every((row) => rowsShown(way.tool, way.result, row).length > 0));
  } finally {
    scratch.drop();
  }
};

const kept = new WeakMap<Stage, readonly Look[]>();

/** Reads that later calls or the answer depend on. Plays the reference once for each stage. */
export const looksOf = (stage: Stage): readonly Look[] => {
  const before = kept.get(stage);
  if (before) return before;
  const { task, world } = stage;
  const memory = memoryOf(stage);
  const session = played(stage, []);
  const known = new Known(task);
  const looks: Look[] = [];
  try {
    for (const [n, call] of task.reference.calls.entries()) {
      const found = world.tools.get(call.tool);
      const result = memory.results[n] as Json;
      session.call(call.tool, structuredClone(call.args));
      if (found && found.tool.tool.writes.length === 0) {
        const tool = { name: call.tool, ...found };
        const uses = usesOf(stage, memory, n, tool);
        if (uses.length > 0)
          looks.push({ n, call, tool, result, uses, ways: waysOf(session, call, tool, result, uses, known) });
      }
      known.read(result);
    }
  } finally {
    session.drop();
  }
  kept.set(stage, looks);
  return looks;
};

/** Whether somebody who believes this in place of what call `n` truly shows does or says something else. */
export const misleads = (stage: Stage, { n, uses }: Look, lie: Json): boolean => {
  const memory = memoryOf(stage);
  const truth = memory.results[n];
  const isFed = uses.some(({ path, feeds }) => feeds && valueNow(truth, lie, path) !== valueNow(truth, truth, path));
  if (isFed) return true;
  const now = (call: number): Json | undefined => (call === n ? lie : memory.results[call]);
  const truly = (call: number): Json | undefined => memory.results[call];
  return believedAnswer(stage.task, memory, now) !== believedAnswer(stage.task, memory, truly);
};

/** After the look its other way is taken, and what is used of it is read there. */
export const lookingBy = ({ n, call: look, uses }: Look, { call, tool, result }: Way): ReferenceEdit => ({
  // In place of the look, so that both belong to its stage.
  insert: [look, call],
  from: n,
  drop: 1,
  seen: uses.flatMap(({ path, row }) => {
    const at = row && rowsShown(tool, result, row)[0];
    if (row === undefined || at === undefined) return [];
    return [
      { call: n, path, insert: 1, at: [at, path.slice(row.at.length).replace(/^\./, '')].filter(Boolean).join('.') },
    ];
  }),
});
