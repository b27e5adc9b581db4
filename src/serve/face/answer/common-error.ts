/** The form that most errors of a document have: lent to operations that document none. */
import { type HttpAnswer, httpOperations } from '../../../document/http.js';
import type { Node } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import { isJson } from './media.js';

const MOST_OPERATIONS = 300;
const LEAST_VOTES = 2;

const known = new WeakMap<Node, HttpAnswer | null>();

const find = (root: Node, refs: Refs): HttpAnswer | null => {
  const votes = new Map<string, { n: number; answer: HttpAnswer }>();
  for (const operation of httpOperations(root, refs).slice(0, MOST_OPERATIONS))
    for (const answer of operation.answers) {
      if (!/^(4|5|default)/.test(answer.status)) continue;
      const media = answer.media.find(({ type, schema }) => schema !== undefined && isJson(type));
      // A schema that is written out at each place is long, and its own.
      const name = media && typeof media.schema?.$ref === 'string' ? media.schema.$ref : undefined;
      if (name === undefined) continue;
      const vote = votes.get(name) ?? { n: 0, answer };
      votes.set(name, { ...vote, n: vote.n + 1 });
    }
  const [best] = [...votes.values()].sort((a, b) => b.n - a.n);
  return best && best.n >= LEAST_VOTES ? best.answer : null;
};

/** Looked for once a document, when an error first has no form of its own. */
export const commonError = (root: Node, refs: Refs): HttpAnswer | undefined => {
  const done = known.get(root);
  if (done !== undefined) return done ?? undefined;
  const made = find(root, refs);
  known.set(root, made);
  return made ?? undefined;
};
