/**
 * Face: how a service answers as the HTTP API it came from. Which tool stands behind each operation of the document, where each of its
 * arguments is in a request, and where the rows are in its answer. Everything else HTTP says is in the document itself.
 */
import { z } from 'zod';
import { Name } from './table.js';
import { Tier } from './tool.js';

/** Where an argument of the tool comes from. */
export const FaceArg = z.strictObject({
  /** Its path on the surface, as the tool's input schema nests it. */
  to: z.array(z.string()).min(1),
  in: z.enum(['path', 'query', 'header', 'cookie', 'body']),
  /** The parameter as the document writes it; absent for `body`. */
  name: z.string().optional(),
  /** For `body`: property names from its root; empty for the body itself. For a parameter that is an object: property names inside. */
  at: z.array(z.string()).optional(),
  /** The tool takes it so, where the document has it as the other. */
  as: z.enum(['text', 'number']).optional(),
});

/** What the tool answers with, in the document's own form: property names from the root of the answer to the row, or to the list. */
export const FaceAnswer = z.strictObject({
  kind: z.enum(['row', 'rows', 'done', 'value']),
  path: z.array(z.string()),
  /** From a row to its key; absent where the answer does not show it. */
  key: z.array(z.string()).optional(),
  /** The tool answers with the row alone, which the document has at `path`. */
  bare: z.literal(true).optional(),
});

export const Binding = z.strictObject({
  /** `GET /pets/{petId}`, as the document writes the path. */
  operation: z.string(),
  tool: z.string(),
  args: z.array(FaceArg),
  answer: FaceAnswer,
  tier: Tier,
  /** What grounds the effect, in words: `its body is typed and its path names the row`. */
  evidence: z.string().optional(),
});

export const Face = z.strictObject({
  treadle: z.literal('face/1'),
  /** Id of the service whose tools are meant. */
  service: Name,
  /** SHA-256 of the document's JSON as it was read, its keys in their own order. */
  document: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex'),
  bindings: z.array(Binding),
  /** Operations behind which nothing stands, and why; they are answered from examples and schemas, or refused. */
  unbound: z.array(z.strictObject({ operation: z.string(), why: z.string() })),
});

export type FaceArg = z.infer<typeof FaceArg>;
export type FaceAnswer = z.infer<typeof FaceAnswer>;
export type Binding = z.infer<typeof Binding>;
export type Face = z.infer<typeof Face>;
