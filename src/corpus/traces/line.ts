/**
 * One line of traces/<world>.jsonl: a rollout. What lists and counts need comes first, so that a reader of a hundred thousand
 * lines parses some hundred bytes of each; then `trace`, `verdict`, `stages` and `behaviour`.
 */
import { z } from 'zod';
import { parseArtifact } from '../../artifacts/registry.js';
import { Producer, Trace } from '../../artifacts/trace.js';
import { Verdict } from '../../artifacts/verdict.js';
import { type Behaviour, behaviourOf } from '../../verify/behaviour/registry.js';
import { Reward } from '../../verify/reward.js';

/** An attempt at a rollout that the infrastructure broke and that was made once more (weft.txt, table 4). */
export const Attempt = z.object({
  problem: z.object({ code: z.string(), message: z.string(), fault: z.string() }),
  turns: z.number().int(),
  calls: z.number().int(),
});

const shape = Trace.shape;

export const TraceHead = z.object({
  /** The trace's. */
  id: z.string(),
  task: z.string(),
  taskId: z.string(),
  producer: Producer,
  user: shape.user,
  detail: shape.detail,
  /** It ran under injected faults. */
  faults: shape.faults,
  /** The scenario it ran in. */
  scenario: shape.scenario,
  finish: shape.finish,
  problem: shape.problem,
  usage: shape.usage,
  /** What kind of trace it is, where it was not simply run from beginning to end. */
  origin: z.enum(['prefix', 'negative', 'branch']).optional(),
  /** The verdict's. */
  verdict: Verdict.pick({ pass: true, fault: true }).extend({
    /** Milestones that hold, and milestones. */
    held: z.number().int(),
    of: z.number().int(),
  }),
  /** Behaviour flags seen. */
  flags: z.array(z.string()),
  /** Broken attempts before this one. */
  attempts: z.array(Attempt).optional(),
  reward: Reward.optional(),
});

export interface TraceLine {
  trace: Trace;
  verdict: Verdict;
  /** With a simulated user: the verdict at each stage's end, in their order, from the evidence of that moment. */
  stages?: Verdict[];
  /** As the run asked for it; what a trace shows of behaviour is in its line, and follows from the trace. */
  reward?: Reward;
  /** Broken attempts before this one. */
  attempts?: Attempt[];
}
export type Attempt = z.infer<typeof Attempt>;
export type TraceHead = z.infer<typeof TraceHead>;

const seen = new WeakMap<Trace, Behaviour>();

/** What a trace shows of behaviour; looked for once. */
export const shownBy = (trace: Trace): Behaviour => {
  const known = seen.get(trace) ?? behaviourOf(trace);
  seen.set(trace, known);
  return known;
};

export const headOf = ({ trace, verdict, reward, attempts }: TraceLine): TraceHead =>
  headFrom(trace, verdict, Object.keys(shownBy(trace)), reward, attempts);

const headFrom = (
  trace: Trace,
  { pass, fault, milestones }: Verdict,
  flags: string[],
  reward: Reward | undefined,
  attempts: Attempt[] | undefined,
): TraceHead => ({
  id: trace.id,
  task: trace.task,
  taskId: trace.taskId,
  producer: trace.producer,
  user: trace.user,
  detail: trace.detail,
  ...(trace.faults ? { faults: trace.faults } : {}),
  ...(trace.scenario ? { scenario: trace.scenario } : {}),
  finish: trace.finish,
  ...(trace.problem ? { problem: trace.problem } : {}),
  usage: trace.usage,
  ...(trace.origin ? { origin: trace.origin.kind } : {}),
  verdict: { pass, fault, held: milestones.filter((milestone) => milestone.pass).length, of: milestones.length },
  flags,
  ...(attempts && attempts.length > 0 ? { attempts } : {}),
  ...(reward ? { reward } : {}),
});

/** The head and the line's text, newline included. */
export const lineOf = ({ trace, verdict, stages, reward, attempts }: TraceLine): { head: TraceHead; text: string } => {
  const behaviour = shownBy(trace);
  const head = headFrom(trace, verdict, Object.keys(behaviour), reward, attempts);
  const { verdict: judged, ...rest } = head;
  const first = { ...rest, judged };
  const text = JSON.stringify({ ...first, trace, verdict, ...(stages ? { stages } : {}), behaviour });
  return { head, text: `${text}\n` };
};

/** Where a head begins, and where it ends: no text inside it can hold this, since quotes in texts are escaped. */
const HEAD_BEGIN = Buffer.from('{"id":');
const HEAD_END = Buffer.from(',"trace":');

/** The head in the first bytes of a line; undefined where a line has none: it was written by an older version. */
export const headIn = (bytes: Buffer): TraceHead | undefined => {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0 || !bytes.subarray(0, HEAD_BEGIN.length).equals(HEAD_BEGIN)) return undefined;
  const { judged, ...rest } = JSON.parse(`${bytes.toString('utf8', 0, end)}}`) as Record<string, unknown>;
  const parsed = TraceHead.safeParse({ ...rest, verdict: judged });
  return parsed.success ? parsed.data : undefined;
};

/** A whole line. Throws a SyntaxError for what is no JSON, `invalid_artifact` for what is none of ours; `at` names the place. */
export const parseLine = (text: string, at: string): TraceLine => {
  const { trace, verdict, stages, reward, attempts } = JSON.parse(text) as Record<keyof TraceLine, unknown>;
  const earned = Reward.safeParse(reward);
  const broken = z.array(Attempt).safeParse(attempts);
  return {
    trace: parseArtifact('trace', trace, at),
    verdict: parseArtifact('verdict', verdict, at),
    ...(Array.isArray(stages) ? { stages: stages.map((stage) => parseArtifact('verdict', stage, at)) } : {}),
    ...(earned.success ? { reward: earned.data } : {}),
    ...(broken.success ? { attempts: broken.data } : {}),
  };
};
