/** What a document says that it sends by itself: `webhooks` (OpenAPI 3.1; `x-webhooks` before it) and `callbacks` of operations. */
import { type HttpOperation, httpOperations } from '../../../document/http.js';
import { isNode, type Node } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import type { FaceOperation } from '../types.js';
import { type Meaning, meaningOf } from './meaning.js';

export interface Declared {
  /** `customer.created`, as the document calls it. */
  name: string;
  /** What else it goes by: its operation id, and the group that the id names (`issues/opened`). */
  aliases: readonly string[];
  /** The request that is sent. */
  http: HttpOperation;
  meaning: Meaning;
}

export interface DeclaredCallback extends Declared {
  /** Where it is sent: `{$request.body#/callbackUrl}`. */
  expression: string;
}

const GROUPED = /^([\w.-]+)\/[\w.-]+$/;

/** The word for events of its kind, where the document has one: `issues` of `issues/opened`. */
export const groupOf = ({ id }: HttpOperation): string | undefined => GROUPED.exec(id ?? '')?.[1];

const aliasesOf = (http: HttpOperation): string[] => [http.id, groupOf(http)].flatMap((name) => name ?? []);

const sentBy = (paths: unknown, refs: Refs): HttpOperation[] => (isNode(paths) ? httpOperations({ paths }, refs) : []);

export const webhooksOf = (root: Node, refs: Refs): Declared[] =>
  [root.webhooks, root['x-webhooks']]
    .flatMap((paths) => sentBy(paths, refs))
    .map((http) => ({ name: http.path, aliases: aliasesOf(http), http, meaning: meaningOf(http.path) }));

export const callbacksOf = ({ http }: FaceOperation, refs: Refs): DeclaredCallback[] => {
  const { callbacks } = http.raw;
  if (!isNode(callbacks)) return [];
  return Object.entries(callbacks).flatMap(([name, value]) =>
    sentBy(refs.resolve(value).node, refs).map((sent) => ({
      name,
      aliases: aliasesOf(sent),
      http: sent,
      meaning: meaningOf(name),
      expression: sent.path,
    })),
  );
};
