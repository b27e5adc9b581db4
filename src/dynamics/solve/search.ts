/**
 * A bounded search for calls that mend what still fails: the reference's own writes again, and declared tools whose contract says
 * that they write what a failing check asks for. Whatever it finds was made on a fork and judged there.
 */
import type { Check } from '../../artifacts/check.js';
import type { Literal } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import { type NamedTool, type PlannedArg, surfaceArgs } from '../../tasks/ground/plan.js';
import { keyArgOf, toolsOf } from '../../tasks/ground/reveal.js';
import type { SqlValue } from '../../world/state/types.js';
import { judgedOn, type Stage } from '../author/trial.js';

/** Calls that are tried in all, and in a row. */
const MOST_TRIES = 60;
const MOST_CALLS = 4;

const sql = (value: Literal): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

type RowCheck = Extract<Check, { table: string }>;
const isOfRows = (check: Check): check is RowCheck => 'table' in check && 'where' in check;

/** The arguments that would write these columns of the row with this key; undefined where the tool cannot, or asks for more. */
const argsFor = (
  tool: NamedTool,
  key: SqlValue | undefined,
  values: Readonly<Record<string, Literal>>,
): PlannedArg[] | undefined => {
  const own = tool.tool.tool;
  const keyArg = keyArgOf(tool);
  const args: PlannedArg[] = [];
  const left = new Set(Object.keys(values));
  const put = (name: string, value: SqlValue): void => {
    args.push({ name, value, origin: { constant: 'searched' } });
  };
  for (const [name, arg] of Object.entries(own.args)) {
    const col = arg.col ?? name;
    if (name === keyArg && key !== undefined) put(name, key);
    else if (arg.role !== 'key' && arg.role !== 'filter' && left.has(col)) {
      put(name, sql(values[col] as Literal));
      left.delete(col);
    } else if (arg.required) return undefined;
  }
  return args;
};

/** Calls of one tool that might make a check hold. */
const movesOf = (tool: NamedTool, check: RowCheck, keyCol: string): Call[] => {
  const { op, writes } = tool.tool.tool;
  if (writes.every(({ table }) => table !== check.table)) return [];
  const key = check.where[keyCol];
  const wanted: Record<string, Literal> =
    check.kind === 'equals' ? { [check.col]: check.value } : op === 'create' ? check.where : {};
  const args = argsFor(tool, key === undefined ? undefined : sql(key), wanted);
  if (!args || args.length === 0) return [];
  try {
    return [{ service: tool.service.id, tool: tool.name, args: surfaceArgs(tool.service, tool, args) }];
  } catch {
    // A value that the tool's surface cannot say.
    return [];
  }
};

const failing = (stage: Stage, session: Session, answer: string): Check[] => {
  const { verdict, revision } = judgedOn(stage, session, answer);
  const failed = new Set(
    verdict.milestones.flatMap(({ checks }) => checks.filter(({ pass }) => !pass).map(({ check }) => check)),
  );
  return revision.judged.milestones.flatMap(({ checks }) => checks.filter(({ id }) => failed.has(id)));
};

const candidates = ({ world, task }: Stage, checks: readonly Check[], known: readonly Call[]): Call[] => {
  const writes = known.filter(({ tool }) => (world.tools.get(tool)?.tool.tool.writes.length ?? 0) > 0);
  const mending = checks.filter(isOfRows).flatMap((check) => {
    const keyCol = world.services.get(check.service)?.keys[check.table];
    if (keyCol === undefined || !task.services.includes(check.service)) return [];
    return toolsOf(world, check.service).flatMap((tool) => movesOf(tool, check, keyCol));
  });
  return [
    ...new Map(
      [...writes, ...mending].map((call) => [`${call.tool} ${canonicalJson(call.args as Json)}`, call]),
    ).values(),
  ];
};

/**
 * Calls after which all checks hold, tried on forks of a session that it leaves alone; undefined where the search finds none. `known`:
 * calls worth trying besides. Greedy: of the calls that leave fewer checks failing, the best goes on.
 */
export const mended = (stage: Stage, from: Session, answer: string, known: readonly Call[]): Call[] | undefined => {
  const made: Call[] = [];
  let tries = 0;
  let session = from.fork(`${from.id}-search`);
  try {
    let left = failing(stage, session, answer);
    while (left.length > 0 && made.length < MOST_CALLS) {
      let best: { session: Session; call: Call; left: Check[] } | undefined;
      for (const call of candidates(stage, left, known)) {
        if (tries++ >= MOST_TRIES) break;
        const fork = session.fork(`${from.id}-search-${tries}`);
        const { ok } = fork.call(call.tool, structuredClone(call.args));
        const after = ok ? failing(stage, fork, answer) : left;
        if (after.length < (best?.left ?? left).length) {
          best?.session.drop();
          best = { session: fork, call, left: after };
        } else fork.drop();
      }
      if (!best) return undefined;
      session.drop();
      session = best.session;
      made.push(best.call);
      left = best.left;
    }
    return left.length === 0 ? made : undefined;
  } finally {
    session.drop();
  }
};
