/** All nouns by kind: what is parsed, published and addressed goes through here. */
import type { z } from 'zod';
import { TreadleError } from '../errors.js';
import { deepFreeze } from '../kit/hash.js';
import { Certificate } from './certificate.js';
import { Face } from './face.js';
import { Review } from './review.js';
import { Revision } from './revision.js';
import { Scenario } from './scenario.js';
import { ServiceSpec } from './service.js';
import { Snapshot } from './snapshot.js';
import { Task } from './task.js';
import { Trace } from './trace.js';
import { Verdict } from './verdict.js';
import { WorldSpec } from './world.js';

export const NOUNS = {
  service: ServiceSpec,
  face: Face,
  world: WorldSpec,
  snapshot: Snapshot,
  task: Task,
  scenario: Scenario,
  trace: Trace,
  verdict: Verdict,
  certificate: Certificate,
  review: Review,
  revision: Revision,
} as const;

export type NounKind = keyof typeof NOUNS;
export type Noun<K extends NounKind> = z.infer<(typeof NOUNS)[K]>;

/** Parses and freezes an artifact; throws `bad_artifact` with the first offending path. */
export const parseArtifact = <K extends NounKind>(kind: K, value: unknown, from: string): Noun<K> => {
  const parsed = NOUNS[kind].safeParse(value);
  if (parsed.success) return deepFreeze(parsed.data as Noun<K>);
  const issue = parsed.error.issues[0];
  const at = issue ? issue.path.join('.') : '';
  const version = (value as { treadle?: unknown } | null)?.treadle;
  const expected = `${kind}/1`;
  const older = typeof version === 'string' && version !== expected;
  throw new TreadleError({
    code: older ? 'other_version' : 'bad_artifact',
    message: older
      ? `${from} is ${version}, this Treadle reads ${expected}`
      : `${from} is not a valid ${kind}: ${at ? `${at}: ` : ''}${issue?.message ?? 'unreadable'}`,
    value: older ? version : at,
    next: older
      ? 'Build the corpus again with this version, or use the Treadle that wrote it.'
      : 'Mend the file, or build it again.',
  });
};
