/** A rollout's calls once more, from its first state: what they are about, and whether each answers as it did. */
import type { Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { observationText } from '../../rollout/observation.js';
import { DEFAULT_LIMITS } from '../../rollout/rollout.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import type { Woven } from '../../serve/sessions/woven.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import type { StateRows } from './row.js';
import type { Step } from './steps.js';

/** Rows of one table that a state tells at most. */
const MOST_ROWS = 20;

export interface Replayed {
  /** The call answers what the agent saw. */
  isSame: boolean;
  state?: StateRows;
}

const scalars = (value: Json, into: Set<SqlValue> = new Set()): Set<SqlValue> => {
  if (typeof value === 'string' || typeof value === 'number') into.add(value);
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) scalars(each, into);
  return into;
};

/** Rows before the call of the tables that its tool reads or writes, whose key the call or its answer names. */
const rowsBefore = (session: Session, before: ReturnType<Session['snapshot']>, step: Step, result: Json): StateRows => {
  const found = session.world.tools.get(step.tool);
  if (found === undefined) return {};
  const { service, tool } = found;
  const tables = [...new Set([...tool.tool.reads, ...tool.tool.writes.map(({ table }) => table)])].sort();
  const named = [...scalars([step.args, result])];
  const after = session.snapshot();
  session.restore(before);
  try {
    const state: StateRows = {};
    for (const table of tables) {
      const key = service.keys[table];
      if (key === undefined) continue;
      service.connection.bind(session.state(service.id));
      const lookUp = service.connection.prepare(`SELECT * FROM "${table}" WHERE "${key}" = ?`);
      const rows = named
        .flatMap((value) => {
          const row = lookUp.get([value]);
          return row ? [row] : [];
        })
        .slice(0, MOST_ROWS);
      if (rows.length > 0) state[`${service.id}.${table}`] = rows;
    }
    return state;
  } finally {
    session.restore(after);
  }
};

/** `world` is as the task finds it, with the task's own rows. `woven`: a scenario's engine, new; it makes its own faults again. */
export const replaySteps = function* (
  world: LoadedWorld,
  task: Task,
  steps: readonly Step[],
  withState: boolean,
  woven?: Woven,
): Generator<Replayed> {
  const session = Session.open(world, {
    id: `${task.id}-again`,
    services: task.services,
    me: callerOf(task.actor),
    ...(woven ? { woven } : {}),
  });
  try {
    for (const step of steps) {
      // A fault that was made on purpose is not in the software, so there is nothing to run again.
      const isMade = step.fault === 'injected' || step.fault === 'infrastructure';
      if (isMade && !(woven && step.fault === 'injected')) {
        yield { isSame: false };
        continue;
      }
      const before = withState ? session.snapshot() : undefined;
      const { result } = session.call(step.tool, structuredClone(step.args));
      const isSame = observationText(result, DEFAULT_LIMITS.maxObservationChars) === step.observation;
      yield { isSame, ...(before ? { state: rowsBefore(session, before, step, result) } : {}) };
    }
  } finally {
    session.drop();
  }
};
