/**
 * How an agent plays that believes what it reads and goes on as it had planned: the calls of the old reference, with what earlier
 * results say this time, and the answer from where it stood. A tool that lies, or a change that nobody tells of, only hurts one that
 * believes (dynamics.md, rule 4).
 */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Call, Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { followedArguments } from '../../tasks/follow.js';
import type { WorldTool } from '../../world/loaded.js';
import { valueNow } from './same-row.js';
import { type Player, played, type Stage } from './trial.js';
import { type Place, placeOf, wordsAt } from './where-answer.js';

export interface Told {
  says: string;
  place: Place | undefined;
  /** Whose question it is; undefined: the task's. */
  milestone: string | undefined;
  /** The reference's calls that belong to the question: the first, and the one after the last. */
  from: number;
  to: number;
}

/** What an undisturbed run shows, and where in it the answers stand. */
export interface Memory {
  results: readonly Json[];
  /** One for each question, in their order. */
  answers: readonly Told[];
}

/** The results of the calls so far; undefined for one that was not made. */
export type Results = (call: number) => Json | undefined;

/** Questions with the reference's calls that belong to them, and what it says to each. */
const questionsOf = ({
  milestones,
  nodes,
  reference,
  answer,
}: Task): (Omit<Told, 'place'> & { spec: AnswerSpec })[] => {
  const end = reference.calls.length;
  if (answer) return [{ spec: answer, says: reference.answer, milestone: undefined, from: 0, to: end }];
  const starts = new Map<string, [number, number]>();
  let at = 0;
  for (const { id, chain } of nodes) {
    starts.set(id, [at, at + chain.length]);
    at += chain.length;
  }
  return milestones.flatMap(({ id, node, answer: spec, says = '' }) => {
    // Chains that do not add up to the calls cannot tell whose they are.
    const [from, to] = (at === end ? starts.get(node) : undefined) ?? [0, end];
    return spec ? [{ spec, says, milestone: id, from, to }] : [];
  });
};

const memories = new WeakMap<Stage, Memory>();

/** Runs the reference on the task as it stands; once for each stage. */
export const memoryOf = (stage: Stage): Memory => {
  const known = memories.get(stage);
  if (known) return known;
  const { task, world } = stage;
  const session = played(stage, task.reference.calls);
  const results = session.ledger.map(({ result }) => result as Json);
  session.drop();
  const keys = new Set(task.bindings.map(({ key }) => String(key)));
  const seen = task.reference.calls.map(({ tool }, n) => ({ n, tool: world.tools.get(tool), result: results[n] }));
  const answers = questionsOf(task).map(({ spec, ...question }) => ({
    ...question,
    place: placeOf(
      spec,
      seen
        .slice(question.from, question.to)
        .filter((one): one is typeof one & { tool: WorldTool } => one.tool !== undefined),
      keys,
    ),
  }));
  const memory = { results, answers };
  memories.set(stage, memory);
  return memory;
};

/** Reference call `n` with what the results say this time; undefined where what it needs is not there. */
export const believedCall = ({ task }: Stage, memory: Memory, n: number, now: Results): Call | undefined => {
  const call = task.reference.calls[n];
  const args = followedArguments(task.reference, n, {
    at: (from, path) => valueNow(memory.results[from], now(from), path),
    // Where a value is one of a list, its place in the list is not known.
    unseen: (recorded) => (Array.isArray(recorded) ? recorded : undefined),
  });
  return call && args ? { ...call, args } : undefined;
};

/** The answers as the results say them this time; as recorded where nothing changed or where they cannot be told. */
export const believedAnswer = (task: Task, memory: Memory, now: Results): string => {
  const { results, answers } = memory;
  if (answers.length === 0) return task.reference.answer;
  const words = answers.map(({ says, place }) => {
    if (!place) return says;
    const [before, here] = [
      wordsAt(place, results[place.call], results[place.call]),
      wordsAt(place, results[place.call], now(place.call)),
    ];
    return here === before ? says : (here ?? 'I could not find it.');
  });
  return words.length > 1 ? words.map((one, n) => `${n + 1}. ${one}`).join('\n') : (words[0] as string);
};

/** Plays on a session, as `tryOut` takes it. */
export const believing =
  (stage: Stage): Player =>
  (session) => {
    const memory = memoryOf(stage);
    const results: (Json | undefined)[] = [];
    const now: Results = (call) => results[call];
    for (const n of stage.task.reference.calls.keys()) {
      const call = believedCall(stage, memory, n, now);
      results.push(call && (session.call(call.tool, structuredClone(call.args)).result as Json));
    }
    return believedAnswer(stage.task, memory, now);
  };
