/** Every reference on a session of its own: what it changed, held against what the original tools changed. */
import { TreadleError } from '../../../../errors.js';
import type { Json } from '../../../../kit/hash.js';
import type { Session } from '../../../../serve/sessions/session.js';
import type { Ground } from '../../../../tasks/ground/ground.js';
import type { LoadedService } from '../../../../world/loaded.js';
import { KINDS, ownersOf, type Records, recordReader, textOfRecord } from './records.js';
import type { Action, Db, Recorded, Tau2Task } from './shapes.js';

export interface Done {
  name: string;
  ok: boolean;
  result: Json;
  /** What the tool said, where it refused. */
  error?: string;
}

export interface Replayed {
  task: Tau2Task;
  /** As the actions left it; drop it. */
  session: Session;
  done: Done[];
  changed: Records;
  /** The first action that raised, and what it said. */
  raised: Done | undefined;
}

export const actionsOf = (task: Tau2Task): readonly Action[] => task.evaluation_criteria.actions ?? [];

/** Throws `unknown_tool` for an action that is no tool of the service. */
export const assertTools = (service: LoadedService, tasks: readonly Tau2Task[]): void => {
  for (const task of tasks)
    for (const { name } of actionsOf(task))
      if (!service.program.tools.has(name))
        throw new TreadleError({
          code: 'unknown_tool',
          message: `Task ${task.id} uses a tool that the service lacks`,
          value: name,
          next: `It has ${[...service.program.tools.keys()].join(', ')}.`,
        });
};

/** Throws `import_differs` (fault world) when a record of the initial state is not that of db.json. */
export const assertFaithful = (service: LoadedService, db: Db): void => {
  const record = recordReader(service, service.pristine);
  for (const kind of KINDS)
    for (const [id, original] of Object.entries(db[kind]))
      if (textOfRecord(record(kind, id)) !== textOfRecord(original as Json))
        throw new TreadleError({
          code: 'import_differs',
          message: `The imported ${kind} differ from db.json`,
          value: id,
          next: 'This is a defect: please report it.',
          fault: 'world',
        });
};

const changedOf = (service: LoadedService, session: Session, db: Db): Records => {
  const record = recordReader(service, session.view(service.id));
  const out: Records = { products: {}, users: {}, orders: {} };
  for (const [kind, id] of ownersOf(session.diff()[service.id] ?? [])) {
    const after = record(kind, id);
    if (textOfRecord(after) !== textOfRecord((db[kind][id] ?? null) as Json)) out[kind][id] = after;
  }
  return out;
};

const messageOf = (result: Json): string => (typeof result === 'string' ? result.replace(/^Error: /, '') : '');

/** Runs the actions one after the other; one that raises changes nothing and the next ones follow, as the answer key was made. */
export const replayTask = (ground: Ground, service: LoadedService, db: Db, task: Tau2Task): Replayed => {
  const session = ground.fresh();
  const done = actionsOf(task).map(({ name, arguments: args }): Done => {
    const { ok, result } = session.call(name, structuredClone(args));
    return { name, ok, result, ...(ok ? {} : { error: messageOf(result) }) };
  });
  return { task, session, done, changed: changedOf(service, session, db), raised: done.find(({ ok }) => !ok) };
};

export interface Comparison {
  /** Exactly the recorded records changed, each into exactly what was recorded. */
  changed: boolean;
  /** The same actions raised, with the same words, and the results of writes are the same. */
  results: boolean;
}

/** Holds a replay against the answer key. */
export const compared = ({ changed, done }: Replayed, recorded: Recorded): Comparison => {
  const same = KINDS.every((kind) => {
    const wanted = recorded.changed[kind] ?? {};
    const ids = Object.keys(changed[kind]);
    return (
      ids.length === Object.keys(wanted).length &&
      ids.every(
        (id) =>
          Object.hasOwn(wanted, id) && textOfRecord(changed[kind][id] ?? null) === textOfRecord(wanted[id] ?? null),
      )
    );
  });
  const results =
    done.length === recorded.actions.length &&
    done.every((own, i) => {
      const theirs = recorded.actions[i];
      if (!theirs || theirs.name !== own.name || theirs.ok !== own.ok) return false;
      if (!own.ok) return theirs.error === undefined || own.error === theirs.error;
      return theirs.result === undefined || sameResult(own.result, theirs.result);
    });
  return { changed: same, results };
};

/** A text alone, which some tools of the original answer with, may stand in an object of one field. */
const sameResult = (own: Json, theirs: Json): boolean => {
  if (typeof theirs !== 'string' || typeof own !== 'object' || own === null)
    return textOfRecord(own) === textOfRecord(theirs);
  const values = Object.values(own);
  return values.length === 1 && (values[0] === theirs || textOfRecord(values[0] as Json) === theirs);
};
