/** Fault events: a tool that writes fails for good (P2), and another one of the service leaves the record exactly alike (dynamics.md, "fault"). */
import type { Call } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { type NamedTool, type PlannedArg, surfaceArgs } from '../../tasks/ground/plan.js';
import { keyArgOf, toolsOf } from '../../tasks/ground/reveal.js';
import type { Row } from '../../world/state/types.js';
import type { Candidate } from './accept.js';
import { memoryOf } from './believing.js';
import { eventOf } from './blank.js';
import { rowByKey } from './rows.js';
import type { RowRef } from './shown-row.js';
import { played, type Stage } from './trial.js';
import { momentBefore } from './when.js';

const planned = (name: string, value: PlannedArg['value']): PlannedArg => ({ name, value, origin: { observed: true } });

/** Values that the service's own clock gives. */
const isOwn = (tool: NamedTool, table: string, col: string): boolean => {
  const column = tool.service.spec.tables[table]?.cols[col];
  return column?.auto === 'touch' || column?.auto === 'now';
};

/** The one row that a call changed, with what it holds before and after; undefined where it wrote anything else. */
const changeBy = (before: Session, call: Call): { ref: RowRef; cols: string[]; now: Row } | undefined => {
  const after = before.fork('after');
  try {
    if (!after.call(call.tool, structuredClone(call.args)).ok) return undefined;
    const [touch, ...more] = after.ledger.at(-1)?.touched ?? [];
    if (touch?.change !== 'update' || more.length > 0) return undefined;
    const now = rowByKey(after, touch.service, touch.table, touch.key);
    return now && { ref: touch, cols: touch.cols, now };
  } finally {
    after.drop();
  }
};

/** The call by which another tool would set these columns; undefined where it has no arguments for them or wants more. */
const settingBy = (tool: NamedTool, { table, key }: RowRef, cols: readonly string[], now: Row): Call | undefined => {
  const { args, table: own } = tool.tool.tool;
  const keyArg = keyArgOf(tool);
  if (own !== table || keyArg === undefined) return undefined;
  const set: PlannedArg[] = [planned(keyArg, key)];
  for (const col of cols) {
    const found = Object.entries(args).find(
      ([name, arg]) => (arg.role === 'set' || arg.role === 'input') && (arg.col ?? name) === col,
    );
    if (!found || now[col] === null || now[col] === undefined) return undefined;
    set.push(planned(found[0], now[col] ?? null));
  }
  const isWhole = Object.entries(args).every(([name, arg]) => !arg.required || set.some((one) => one.name === name));
  return isWhole
    ? { service: tool.service.id, tool: tool.name, args: surfaceArgs(tool.service, tool, set) }
    : undefined;
};

/** Calls of other tools after which the row is the same, each with its result. */
const detoursAt = (before: Session, call: Call): { call: Call; result: Json }[] => {
  const done = changeBy(before, call);
  if (!done) return [];
  const { ref, now } = done;
  return toolsOf(before.world, call.service).flatMap((tool) => {
    if (tool.name === call.tool || tool.tool.tool.writes.length === 0) return [];
    const cols = done.cols.filter((col) => !isOwn(tool, ref.table, col));
    const other = cols.length > 0 ? settingBy(tool, ref, cols, now) : undefined;
    const same = other && changeBy(before, other);
    const isSame =
      same?.ref.key === ref.key &&
      Object.keys(now).every((col) => isOwn(tool, ref.table, col) || same.now[col] === now[col]);
    if (!other || !isSame) return [];
    const tried = before.fork('tried');
    const { result } = tried.call(other.tool, structuredClone(other.args));
    tried.drop();
    return [{ call: other, result }];
  });
};

const candidateAt = (stage: Stage, n: number, random: Rng): Candidate[] => {
  const { task } = stage;
  const { calls, sources } = task.reference;
  const call = calls[n] as Call;
  const earlier = calls.slice(0, n).findLastIndex(({ tool }) => tool === call.tool);
  const moment = momentBefore(task, n, random, Math.max(0, earlier));
  if (!moment) return [];
  const before = played(stage, calls.slice(0, n));
  try {
    const [detour] = random.shuffle(detoursAt(before, call));
    if (!detour) return [];
    const truth = memoryOf(stage).results[n];
    const seen = sources.flatMap(({ from }) =>
      'observed' in from && from.observed === n && valueAt(detour.result, from.path) === valueAt(truth, from.path)
        ? [{ call: n, path: from.path, insert: 1, at: from.path }]
        : [],
    );
    const event = eventOf({
      id: `detour_${n}`,
      source: 'fault',
      when: moment.when,
      effect: { fault: { profile: 'P2', tool: call.tool, seed: String(random.int(0, 9_999)) } },
      notify: { to: 'none', discoverBy: [call.tool] },
      reference: { insert: [call, detour.call], from: n, drop: 1, ...(seen.length > 0 ? { seen } : {}) },
    });
    return [{ event, answer: task.reference.answer }];
  } finally {
    before.drop();
  }
};

/** Whether some other tool of the service could set what this one sets. */
const mayBeAvoided = ({ world }: Stage, { tool, service }: Call): boolean => {
  const found = world.tools.get(tool);
  const writes = found?.tool.tool.writes.filter(({ insert, delete: gone }) => !insert && !gone) ?? [];
  const [own] = writes;
  if (!found || !own || found.tool.tool.writes.length > 1) return false;
  return toolsOf(world, service).some(
    (other) =>
      other.name !== tool &&
      other.tool.tool.writes.some(
        ({ table, cols, insert }) =>
          !insert &&
          table === own.table &&
          (cols ?? []).some((col) => own.cols?.includes(col) && !isOwn(other, table, col)),
      ),
  );
};

/** Writes of one task that are closed, at most. */
const MOST = 2;

export const detours = (stage: Stage, random: Rng): Candidate[] => {
  const { calls } = stage.task.reference;
  const likely = calls.flatMap((call, n) => {
    const isLast = !calls.some(({ tool }, at) => at > n && tool === call.tool);
    return n > 0 && isLast && mayBeAvoided(stage, call) ? [n] : [];
  });
  const made: Candidate[] = [];
  for (const n of random.shuffle(likely).slice(0, 2 * MOST)) {
    if (made.length >= MOST) break;
    made.push(...candidateAt(stage, n, random.stream(String(n))));
  }
  return made;
};
