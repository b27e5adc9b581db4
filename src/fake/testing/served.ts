/** What serves a test's sessions: a document's fake, or a world of a corpus. */
import type { Callers } from '../../serve/face/callers.js';
import type { FaceOperation } from '../../serve/face/types.js';
import type { Webhooks } from '../../serve/face/webhooks/webhooks.js';
import type { ServerLimits } from '../../serve/sessions/server/options.js';
import { IDLE_TIMES } from '../../serve/sessions/server/residence.js';

export interface Served {
  callers: Callers;
  /** `http://127.0.0.1:4711` */
  origin: string;
  /** Of the document; none for a world that was not built from one. */
  operations: readonly FaceOperation[];
  webhooks: Webhooks | undefined;
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** A test looks at its sessions at any time: they stay in memory until they are closed. */
export const TEST_LIMITS: Partial<ServerLimits> = {
  capacity: 100_000,
  idleSeconds: NEVER,
  idle: { ...IDLE_TIMES, park: NEVER, disk: NEVER, store: NEVER },
};
