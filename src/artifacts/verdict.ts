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
  fault: z.enum(['none', 'policy', 'verifier', 'scenario']),
  /** In a scenario: what the events that fired made of the task's checks; every other one is as the task has it. */
  revised: z
    .strictObject({
      events: z.array(z.string()),
      retired: z.array(Name),
      replaced: z.array(Name),
      added: z.array(Name),
    })
    .optional(),
  /** Of a failed rollout of a scenario: whether it could still be done when the last event fired, and whose fault it is by that. */
  solvable: z
    .strictObject({
      /** From where the rollout stood as the last event fired. */
      atFiring: z.boolean(),
      /** From there, had the event not been; asked only where `atFiring` is false. */
      withoutEvent: z.boolean().optional(),
      evidence: z.string(),
    })
    .optional(),
});

export type CheckResult = z.infer<typeof CheckResult>;
export type Verdict = z.infer<typeof Verdict>;
