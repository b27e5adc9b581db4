/** Verification inside the server: on its own ledger and states, by a verifier that no agent can reach (weft.txt 3.3.3). */
import { parseArtifact } from '../../../artifacts/registry.js';
import { TreadleError } from '../../../errors.js';
import { gather } from '../../../verify/evidence.js';
import { type Judged, verify } from '../../../verify/verdict.js';
import type { ServedVerdict, VerifyRequest } from '../../api.js';
import type { Registry } from '../../registry/registry.js';
import { judgedBy, Verifier } from '../../registry/verifier.js';
import type { Session } from '../session.js';
import { isEvents, type Weaver } from '../weaver.js';
import type { LiveSession } from './live-session.js';

/** Characters: a task of a hundred stages has half a million of them, one of one stage a thousand. */
const MOST_KEPT = 32 * 1024 * 1024;

/** What judging needs of a task and its verifier; a composed task's calls, rows and conversation are ten times as much. */
export type Kept = Judged & { nodes: readonly string[] };

interface Texts {
  byKey: Map<string, string>;
  size: number;
}

/**
 * A registry's tasks by hash, with their verifier, as text: rollouts of one task are verified by the dozen, reading one from a
 * corpus takes milliseconds, and as objects they would weigh three times as much.
 */
const kept = new WeakMap<Registry, Texts>();

export const judgedTask = (registry: Registry, task: string, verifier: string): Kept => {
  const known = kept.get(registry) ?? { byKey: new Map<string, string>(), size: 0 };
  kept.set(registry, known);
  const { byKey } = known;
  const key = `${task} ${verifier}`;
  const found = byKey.get(key);
  if (found !== undefined) return JSON.parse(found) as Kept;
  const own = parseArtifact('task', registry.read('task', task), `task ${task}`);
  const { milestones, answer } = judgedBy(own, Verifier.parse(registry.read('verifier', verifier)));
  const nodes = own.nodes.map(({ id }) => id);
  const judged: Kept = { milestones, nodes, ...(answer === undefined ? {} : { answer }) };
  const text = JSON.stringify(judged);
  byKey.set(key, text);
  known.size += text.length;
  for (const [oldest, { length }] of byKey) {
    if (known.size <= MOST_KEPT) break;
    byKey.delete(oldest);
    known.size -= length;
  }
  return judged;
};

/** Reads what judging will need ahead. */
export const warmVerdict = (registry: Registry, task: string, verifier: string): void => {
  judgedTask(registry, task, verifier);
};

/** Judging up to a stage that is none would ask for nothing, and a reply to one would be heard by nobody. */
const checkStages = ({ milestones, nodes }: Kept, { at, answers = {} }: VerifyRequest): void => {
  const stages = milestones.map(({ node }) => node);
  const stray = Object.keys(answers).find((node) => !nodes.includes(node) && !stages.includes(node));
  const unknown = at !== undefined && !stages.includes(at) ? at : stray;
  if (unknown === undefined) return;
  throw new TreadleError({
    code: 'unknown_stage',
    message: 'The task has no such stage',
    value: unknown,
    next: `Its stages are ${[...new Set(stages)].join(', ')}.`,
  });
};

/** A verdict on a session as it is, at the stage and with the replies that were asked for. Throws `unknown_stage`. */
export const judgeStages = (
  judged: Kept,
  { session, trace, task, answer }: { session: Session; trace: string; task: string; answer: string },
  request: VerifyRequest,
): ServedVerdict => {
  checkStages(judged, request);
  const { at, answers } = request;
  // A stage's own reply may come as either.
  const reply = at === undefined ? undefined : answers?.[at];
  const evidence = gather(session, reply ?? request.answer ?? answer);
  return verify(judged, answers === undefined ? evidence : { ...evidence, answers }, trace, task, at);
};

/** What judges a server's sessions. */
export interface Bench {
  registry: Registry;
  weaver?: Weaver | undefined;
}

/**
 * By the task's checks, as the events that have fired in this very session make them. Throws `no_task` for a session without one,
 * `unknown_stage`, and `unknown_check` where another verifier lacks a check that an event revises.
 */
export const judge = (
  { registry, weaver }: Bench,
  live: LiveSession,
  session: Session,
  request: VerifyRequest,
): ServedVerdict => {
  const { task, verifier } = live.start.pins;
  if (!task || !verifier)
    throw new TreadleError({
      code: 'no_task',
      message: 'The session was opened without a task, so there is nothing to verify',
      value: live.id,
      next: 'Open sessions with {"task": "<name>"}.',
    });
  const by = request.verifier === undefined ? verifier : registry.resolve('verifier', request.verifier);
  const kept = judgedTask(registry, task.hash, by.hash);
  const about = { session, trace: live.id, task: task.hash, answer: live.answer };
  const { woven } = session;
  if (!weaver || !isEvents(woven)) return judgeStages(kept, about, request);
  const { judged, ...said } = weaver.revised(kept, woven);
  return { ...judgeStages({ ...judged, nodes: kept.nodes }, about, request), ...said };
};
