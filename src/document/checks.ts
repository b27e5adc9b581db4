/**
 * Values against the schemas of an API document. A schema is compiled when a value first reaches it and kept; the document costs nothing
 * until then.
 */
import type { Node } from './node.js';
import { type Refs, refsOf } from './refs.js';
import { type Checker, checkerOf } from './schema/checker.js';
import { faultsOf, type SchemaFault } from './schema/faults.js';
import type { Use } from './schema/rewrite.js';

export interface SchemaChecks {
  readonly refs: Refs;
  /**
   * At most 20, none where the value fits; of a value with more than some thousand parts only the first. Never throws: what cannot be
   * compiled is not checked (`problems`).
   */
  check(schema: Node, value: unknown, use: Use): SchemaFault[];
  /** Parts of schemas that are not checked, and why; at most 100. */
  problems(): string[];
}

const MOST_PROBLEMS = 100;
/** Above this many parts, a value's faults are not collected: each part may have one. */
const FEW_PARTS = 10_000;

const isLarge = (value: unknown): boolean => {
  const open = [value];
  let parts = 0;
  while (open.length > 0) {
    const at = open.pop();
    if (typeof at !== 'object' || at === null) continue;
    for (const item of Array.isArray(at) ? at : Object.values(at)) {
      if (++parts > FEW_PARTS) return true;
      open.push(item);
    }
  }
  return false;
};

/** `version` as the document writes it: before 3.1, what stands beside a `$ref` is not read. */
export const schemaChecks = (root: Node, version: string, refs: Refs = refsOf(root)): SchemaChecks => {
  const problems = new Set<string>();
  const bareRefs = !/^3\.([1-9]|\d\d)/.test(version);
  const note = (why: string, schema: Node): void => {
    const title = typeof schema.title === 'string' ? ` (${schema.title})` : '';
    if (problems.size < MOST_PROBLEMS) problems.add(`${why}${title}`.slice(0, 300));
  };
  const checker = (use: Use, all: boolean): Checker => checkerOf({ refs, use, bareRefs, note }, all);
  /** The first fault ends a check; only where there is one are all of them looked for. */
  const first = { request: checker('request', false), response: checker('response', false) };
  const all = { request: checker('request', true), response: checker('response', true) };
  return {
    refs,
    check: (schema, value, use) => {
      try {
        const found = first[use].run(schema, value);
        if (found.length === 0) return [];
        return faultsOf(isLarge(value) ? found : all[use].run(schema, value));
      } catch (thrown) {
        note(`a check failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`, schema);
        return [];
      }
    },
    problems: () => [...problems],
  };
};
