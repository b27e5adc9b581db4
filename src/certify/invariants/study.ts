/** Everything that validators 8 to 10 judge an invariant by, found once: what it reads, whether it holds, and calls that break and mend it. */
import type { Invariant } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import type { Field, ToolCall } from './calls.js';
import { findCalls, MOST_CALLS } from './find.js';
import { type Situation, situationOf } from './situation.js';

/** Breaks that are tried in turn: not every row that breaks a rule can be put right again. */
const MOST_BREAKS = 4;

/** Which validator an invariant fails, with what was seen. */
export interface InvariantFault {
  validator: 'cross_service' | 'initially_true' | 'violable';
  line: string;
  hint: string;
}

export interface InvariantStudy {
  invariant: Invariant;
  /** Tables its statement reads, as `service.table`. */
  reads: string[];
  /** Trigger rows it speaks of at the start. */
  fires: number;
  /** Calls from the initial state that make it false, and calls after those that make it true again; both were run. */
  breaks?: ToolCall[];
  mends?: ToolCall[];
  /** Keys of trigger rows that broke it in between. */
  broken?: (string | number)[];
  fault?: InvariantFault;
}

export interface StudyRoom {
  world: LoadedWorld;
  open(): Session;
  random: Rng;
  rows(service: string, table: string): readonly Row[];
}

const said = (thrown: unknown): string =>
  thrown instanceof TreadleError ? thrown.line() : thrown instanceof Error ? thrown.message : String(thrown);

/** A trigger and a target in two services: by what SQLite says the compiled statement reads. */
const crossFault = (study: InvariantStudy, situation: Situation, session: Session): InvariantFault | undefined => {
  const { trigger, target } = study.invariant;
  const against = (line: string, hint: string): InvariantFault => ({ validator: 'cross_service', line, hint });
  let read: ReturnType<Situation['accesses']>;
  try {
    read = situation.accesses(session);
  } catch (thrown) {
    return against(`its statement does not compile: ${said(thrown)}`, 'Mend the condition that the message names.');
  }
  const named = ({ db, table }: { db: string; table: string }): string => `${db}.${table}`;
  const [own, whole] = [read.trigger, read.whole].map(({ reads }) => new Set(reads.map(named)));
  study.reads = [...(whole as Set<string>)].sort();
  const databases = (tables: Iterable<string>): string[] => [
    ...new Set([...tables].map((name) => name.split('.')[0] ?? '')),
  ];
  const lost = [named({ db: trigger.service, ...trigger }), named({ db: target.service, ...target })].find(
    (name) => !whole?.has(name),
  );
  if (lost !== undefined)
    return against(
      `it names ${lost}, its statement reads only ${study.reads.join(', ') || 'nothing'}`,
      'Let the condition say what the invariant is about.',
    );
  const stray = [...(own as Set<string>)].find((name) => !name.startsWith(`${trigger.service}.`));
  if (stray !== undefined)
    return against(`its trigger's condition reads ${stray} of another service`, 'Keep the trigger to its own service.');
  if (databases(whole as Set<string>).length < 2)
    return against(
      `its statement reads ${study.reads.join(', ')}, all of one service`,
      'Let trigger and target lie in different services.',
    );
  return undefined;
};

const replayed = (session: Session, calls: readonly ToolCall[]): boolean =>
  calls.every(({ tool, args }) => session.call(tool, args).ok);

/** Both sequences once more, from a fresh session. */
const confirmed = (room: StudyRoom, situation: Situation, study: InvariantStudy): boolean => {
  const session = room.open();
  const isBroken = replayed(session, study.breaks ?? []) && situation.broken(session).length > 0;
  if (isBroken) study.broken = situation.broken(session);
  const isMended = isBroken && replayed(session, study.mends ?? []) && situation.broken(session).length === 0;
  session.drop();
  return isMended;
};

const violableFault = (room: StudyRoom, situation: Situation, study: InvariantStudy): InvariantFault | undefined => {
  const { invariant } = study;
  const { world, random, rows } = room;
  const field: Field = { world, situation, random, rows };
  const against = (line: string, hint: string): InvariantFault => ({ validator: 'violable', line, hint });
  const known = new Set<string | number>();
  for (let turn = 0; turn < MOST_BREAKS && !study.mends; turn++) {
    const session = room.open();
    const found = findCalls(field, session, 'break', known);
    session.drop();
    if (!found) break;
    study.breaks = found.calls;
    for (const key of situation.broken(found.session)) known.add(key);
    const mended = findCalls(field, found.session, 'mend');
    found.session.drop();
    mended?.session.drop();
    if (mended) study.mends = mended.calls;
  }
  if (!study.breaks)
    return study.fires === 0
      ? {
          validator: 'initially_true',
          line: `no row of ${invariant.trigger.service}.${invariant.trigger.table} meets its trigger, nor was one found within ${MOST_CALLS} calls`,
          hint: 'Seed a row that it speaks of, or leave the invariant out.',
        }
      : against(
          `no calls were found that make it false (${invariant.violatedBy} was tried first)`,
          'Name a tool that breaks it, or leave the invariant out: what cannot be broken asks nothing of an agent.',
        );
  if (!study.mends)
    return against(
      `made false by ${study.breaks.map(({ tool }) => tool).join(', ')}, no calls were found that make it true again (${invariant.repairedBy} was tried first)`,
      'Name a tool that mends it, or leave the invariant out.',
    );
  return confirmed(room, situation, study)
    ? undefined
    : against(
        'the calls that were found did not do the same a second time',
        'Look for a tool that is not deterministic.',
      );
};

/** Studies one invariant. Never throws: what cannot be asked is its fault. */
export const studyInvariant = (room: StudyRoom, invariant: Invariant): InvariantStudy => {
  const study: InvariantStudy = { invariant, reads: [], fires: 0 };
  const situation = situationOf(room.world, invariant);
  const session = room.open();
  try {
    const crossing = crossFault(study, situation, session);
    if (crossing) return { ...study, fault: crossing };
    const initially = (line: string, hint: string): InvariantStudy => ({
      ...study,
      fault: { validator: 'initially_true', line, hint },
    });
    let broken: (string | number)[];
    try {
      broken = situation.broken(session);
      study.fires = situation.fires(session);
    } catch (thrown) {
      return initially(
        `it cannot be asked: ${said(thrown)}`,
        'Ask for something that can be answered in bounded time.',
      );
    }
    if (broken.length > 0)
      return initially(
        `it is false at the start for ${broken.length} row(s): ${broken.slice(0, 3).join(', ')}`,
        'Seed data that keeps the rule.',
      );
    const fault = violableFault(room, situation, study);
    return fault ? { ...study, fault } : study;
  } catch (thrown) {
    const line = `the search for calls failed: ${said(thrown)}`;
    return { ...study, fault: { validator: 'violable', line, hint: 'Mend what the message names.' } };
  } finally {
    session.drop();
  }
};
