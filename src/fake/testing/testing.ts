/** treadle/testing: a stateful fake of an API, or a built world, for the tests of whoever talks to it; a fork a test. */
import { serveBuilt } from './built.js';
import { serveDocuments } from './documents.js';
import { readGiven, type WorldGiven } from './given.js';
import { WorldHandle } from './handle.js';
import type { TestWorld, WorldOptions } from './types.js';

export type { FaceCall } from '../../serve/face/call-log.js';
export type { SentWebhook } from '../../serve/face/webhooks/log.js';
export type { BuiltGiven, WorldGiven } from './given.js';
export {
  assertCalled,
  assertNoRow,
  assertNotCalled,
  assertRow,
  assertRows,
  assertSent,
} from './match/assertions.js';
export type { Called } from './match/calls.js';
export { matchers, type WorldMatchers } from './match/matchers.js';
export type { Where } from './match/rows.js';
export type { Sent } from './match/verdicts.js';
export type { TestWorld, WebhookTarget, WorldClock, WorldDiff, WorldOptions, WorldWebhooks } from './types.js';

/** Session of the world that was started. */
const MAIN = 'main';

/**
 * Starts a fake of an API on a port of this machine. Compiling a document takes from tens of milliseconds to some seconds, once a
 * process; a fork takes less than one. Throws what reading and compiling throw (`no_file`, `not_openapi`, `data_does_not_fit` ...),
 * `bad_fault_rule`, `unknown_operation`, `unknown_world`, `not_for_a_world` and `cannot_listen`.
 */
export const startWorld = async (given: WorldGiven, options: WorldOptions = {}): Promise<TestWorld> => {
  const read = await readGiven(given);
  const served =
    read.kind === 'built'
      ? await serveBuilt(read.corpus, read.world, options)
      : await serveDocuments(read.documents, options);
  const main = await served.callers.named(MAIN);
  let closing: Promise<void> | undefined;
  return new WorldHandle(served, main, () => {
    closing ??= served.close();
    return closing;
  });
};
