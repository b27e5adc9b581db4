/** Verdict: what the checks said of a trace, each with its evidence. */
import { z } from 'zod';
import { Name } from './table.js';
import { Hash } from './world.js';

export const CheckResult = z.strictObject({
  check: Name,
  kind: z.string(),
  pass: z.boolean(),
  /** What was found, in one line. */
  evidence: z.string(),
  /** The check itself threw: a verifier fault, never the agent's. */
  broken: z.literal(true).optional(),
});

export const Verdict = z.strictObject({
  treadle: z.literal('verdict/1'),
  task: Hash,
  trace: z.string(),
  pass: z.boolean(),
  milestones: z.array(z.strictObject({ id: Name, pass: z.boolean(), checks: z.array(CheckResult) })),
  /** World invariants that held at the start and no longer do. */
  broken: z.array(Name),
  fault: z.enum(['none', 'policy', 'verifier']),
});

export type CheckResult = z.infer<typeof CheckResult>;
export type Verdict = z.infer<typeof Verdict>;
