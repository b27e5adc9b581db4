/** What a record may hold: each kind's own schema, applied once when it is published. */
import { type NounKind, parseArtifact } from '../../artifacts/registry.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json, sha256 } from '../../kit/hash.js';
import type { RecordKind } from '../api.js';
import { Verifier } from './verifier.js';

/** Content ready to be kept: as its check returned it, its canonical text, and the text's SHA-256. */
export interface Content {
  value: Json;
  text: string;
  hash: string;
}

/** Turns what was given into what is kept; throws a TreadleError for what it refuses. */
export type ContentCheck = (content: Json) => Json;

const bad = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'bad_artifact', message, value, next });

const noun =
  (kind: NounKind): ContentCheck =>
  (content) =>
    parseArtifact(kind, content, `The ${kind}`) as unknown as Json;

const verifier: ContentCheck = (content) => {
  const parsed = Verifier.safeParse(content);
  if (parsed.success) return parsed.data as unknown as Json;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') ?? '';
  const next = "A verifier is {treadle: 'verifier/1', milestones, answer?}, as they stand in a task.";
  throw bad(`The verifier is not valid: ${at ? `${at}: ` : ''}${issue?.message ?? 'unreadable'}`, at, next);
};

/** Outside servers, where nobody gave a schema. */
const anyObject: ContentCheck = (content) => {
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  throw bad('A server is described by a JSON object', content, 'Give its specification as an object.');
};

export const contentChecks = (server: ContentCheck = anyObject): Record<RecordKind, ContentCheck> => ({
  service: noun('service'),
  world: noun('world'),
  task: noun('task'),
  verifier,
  scenario: noun('scenario'),
  server,
});

/** Throws `bad_artifact`, `other_version`, `not_json`, or what the kind's check says. The caller's object stays as it was. */
export const checkContent = (check: ContentCheck, content: unknown): Content => {
  try {
    const value = check(content as Json);
    const text = canonicalJson(value);
    return { value, text, hash: sha256(text) };
  } catch (thrown) {
    if (thrown instanceof RangeError)
      throw bad('The content is nested too deeply', undefined, 'Nest it less than a thousand deep.');
    throw thrown;
  }
};

/** The content where it has the address already as it is, without its check; undefined where it has not. */
export const sameContent = (value: Json, hash: string): Content | undefined => {
  try {
    const text = canonicalJson(value);
    return sha256(text) === hash ? { value, text, hash } : undefined;
  } catch {
    // Whatever is wrong with it, the check has words for it.
    return undefined;
  }
};
