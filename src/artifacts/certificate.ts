/** Certificate: the kept evidence that an artifact passed its validators or its gate. Holds no wall-clock time. */
import { z } from 'zod';
import { Hash } from './world.js';

export const Finding = z.strictObject({
  /** Validator or gate line. */
  id: z.string(),
  pass: z.boolean(),
  /** What was executed and seen. */
  evidence: z.array(z.string()),
  /** On a failure: which part to mend, and how. */
  repair: z
    .strictObject({
      part: z.enum(['schema', 'data', 'contract', 'steps', 'links', 'invariants', 'task', 'verifier']),
      hint: z.string(),
      /** Tools at fault, where the failure is theirs alone. */
      tools: z.array(z.string()).optional(),
    })
    .optional(),
});

export const Certificate = z.strictObject({
  treadle: z.literal('certificate/1'),
  kind: z.enum(['service', 'world', 'task', 'scenario']),
  subject: Hash,
  name: z.string(),
  pass: z.boolean(),
  findings: z.array(Finding),
});

export type Finding = z.infer<typeof Finding>;
export type Certificate = z.infer<typeof Certificate>;
