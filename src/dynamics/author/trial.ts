/** A scenario tried out: calls and an answer on a session with its events woven in, judged as the events that fired make it. */
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call, Task } from '../../artifacts/task.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { addressOf } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { EventEngine } from '../engine/engine.js';
import { realisedOf } from '../played.js';
import { type Revision, revise } from '../verifier/revise.js';
import { branchOf } from './trunk.js';

export interface Played {
  calls: readonly Call[];
  answer: string;
}

/** Acts on a session and says what is answered at the end. */
export type Player = (session: Session) => string;

export interface Trial {
  /** With the checks as the events revise them. */
  verdict: Verdict;
  revision: Revision;
  engine: EventEngine;
  /** Every call succeeded. */
  clean: boolean;
  /** State hash and firing log together: two runs of one thing give one. */
  print: string;
  session: Session;
}

/** The world as the task finds it. */
export interface Stage {
  world: LoadedWorld;
  task: Task;
}

/** A fresh session of the task; drop it. */
export const openOn = ({ world, task }: Stage, woven?: EventEngine): Session =>
  Session.open(world, {
    id: task.id,
    services: task.services,
    me: callerOf(task.actor),
    isUnversioned: true,
    ...(woven ? { woven } : {}),
  });

/** A session without events on which these calls were made; drop it. */
export const played = (stage: Stage, calls: readonly Call[]): Session => {
  const { task } = stage;
  const { session, done } = branchOf(task.reference, calls, task.id) ?? { session: openOn(stage), done: 0 };
  for (const { tool, args } of calls.slice(done)) session.call(tool, structuredClone(args));
  return session;
};

const carryOut = (session: Session, { calls, answer }: Played): string => {
  for (const { tool, args } of calls) session.call(tool, structuredClone(args));
  return answer;
};

/** What the checks say of a session as the events that fired in it revise them. */
export const judgedOn = (
  { task }: Pick<Stage, 'task'>,
  session: Session,
  answer: string,
): Pick<Trial, 'verdict' | 'revision'> => {
  const revision = revise(task, session.woven instanceof EventEngine ? realisedOf(session.woven) : []);
  return { revision, verdict: verify(revision.judged, gather(session, answer), session.id, '0'.repeat(64)) };
};

/** Plays against the events; the session is dropped by `done` with what it looks at. */
export const tryOut = (
  stage: Stage,
  scenario: Pick<Scenario, 'events' | 'seed' | 'offersWait'>,
  what: Played | Player,
): Trial => {
  const engine = new EventEngine(scenario);
  const session = openOn(stage, engine);
  const answer = typeof what === 'function' ? what(session) : carryOut(session, what);
  const clean = session.ledger.every(({ ok }) => ok);
  const print = addressOf({ state: session.hash(), log: engine.log, notices: engine.notices } as never);
  return { ...judgedOn(stage, session, answer), engine, clean, print, session };
};

/** The reference as an event changes it. */
export const edited = ({ calls }: Pick<Task['reference'], 'calls'>, { reference }: ScenarioEvent): Call[] => [
  ...calls.slice(0, reference.from),
  ...reference.insert,
  ...calls.slice(reference.from + reference.drop),
];
