/** Shapes of the REST door that a trainer's interface has as TypeScript types only. */
import { z } from 'zod';
import { Notice } from '../../artifacts/firing.js';
import { LedgerEntry } from '../../artifacts/trace.js';
import { RecordKind, SessionStatus } from '../api.js';

const text = z.string().min(1).max(256);
const anyObject = z.record(z.string(), z.unknown());
/** JSON is all that a parsed body can hold, so it only has to be there. */
const present = z.unknown().refine((value) => value !== undefined, 'Invalid input: expected JSON, received undefined');

export const Nothing = z.strictObject({});
export const KindParam = z.object({ kind: RecordKind });
/** Sessions on one page. */
const MOST_LISTED = 10_000;
export const SessionsQuery = z.strictObject({
  run: text.optional(),
  group: text.optional(),
  status: SessionStatus.optional(),
  /** The last session of the page before. */
  after: text.optional(),
  limit: z.coerce.number().int().min(1).max(MOST_LISTED).optional(),
});
/** `after`: the last item of the page before. */
export const PageQuery = z.strictObject({
  after: z.string().min(1).max(512).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});
export const StatisticsQuery = z.strictObject({
  service: text.optional(),
  tool: text.optional(),
  run: text.optional(),
  policyVersion: text.optional(),
});
export const ImageQuery = z.strictObject({ which: z.enum(['initial', 'final']).default('final') });
/** `name`, `name@version` or a hash. */
export const ReferenceQuery = z.strictObject({ reference: text });
export const NameQuery = z.strictObject({ name: text.optional() });
export const PublishRequest = z.strictObject({ name: text, content: present });
export const DeprecateRequest = z.strictObject({ reference: text, because: z.string().min(1).max(1024) });

export const SnapshotTaken = z.strictObject({ snapshot: z.string(), hash: z.string() });

export const SessionTool = z.strictObject({
  service: z.string(),
  name: z.string(),
  description: z.string(),
  inputSchema: anyObject,
  outputSchema: anyObject,
  readOnly: z.boolean(),
  destructive: z.boolean(),
  version: z.string(),
});

export const CallOutcome = z.strictObject({
  ok: z.boolean(),
  result: z.json(),
  error: z
    .strictObject({
      code: z.string(),
      fault: z.enum(['agent', 'world', 'injected', 'infrastructure']),
      status: z.number().int(),
    })
    .optional(),
  entry: LedgerEntry,
  /** What a scenario's events have to tell after this call. */
  notices: z.array(Notice).optional(),
});

export const SessionState = z.strictObject({
  hash: z.string(),
  clock: z.number().int(),
  changes: z.record(z.string(), z.json()),
  files: z.array(z.string()),
});

export const Health = z.strictObject({ status: z.literal('ok') });

/** Every answer from 400 on. */
export const Problem = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    value: z.unknown().optional(),
    next: z.string().optional(),
    fault: z.string(),
    isRetryable: z.boolean(),
  }),
});
