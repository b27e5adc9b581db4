/** What is remembered of one live session that is kept: its generation, and where its log and its newest savepoint stand. */

import type { Workspace } from '../../../world/workspace/workspace.js';
import type { LiveSession } from '../../sessions/server/live-session.js';
import type { Session } from '../../sessions/session.js';
import type { Head } from '../ownership/ownership.js';

export class Kept {
  /** The log does not hold all that the session is: its next record has to be a whole. */
  needsWhole = false;
  /** Its last record may not be on the disk. */
  needsSync = false;
  /** Generation and request of the newest state that log or savepoints hold all of; a mark holds nothing. */
  written: { gen: number; seq: number } | undefined;
  /** Its newest savepoint, of those made here. */
  head: Head | undefined;
  /** Requests that no savepoint holds yet, the clock's time of the first and of the last of them, and their bytes in the log. */
  unsaved = 0;
  firstAt = 0;
  lastAt = 0;
  bytes = 0;
  isSaving = false;
  /** Consecutive savepoints that failed, and when the next may be tried. */
  failures = 0;
  retryAt = 0;
  /** Whatever else waits for the session's savepoint. */
  waiting: (() => void)[] = [];
  isOver = false;
  #files: Workspace | undefined;
  #changes = -1;

  /** `claimed` settles with the generation once the store knows the session. */
  constructor(
    readonly live: LiveSession,
    public gen: number,
    public claimed: Promise<void> | undefined,
  ) {}

  /** A request was logged. */
  logged(now: number, bytes: number): void {
    if (this.unsaved === 0) this.firstAt = now;
    this.unsaved++;
    this.lastAt = now;
    this.bytes += bytes;
  }

  /** As `whole` or `delta`, or in a savepoint. */
  wrote(gen: number, seq: number): void {
    if (this.written === undefined || seq > this.written.seq) this.written = { gen, seq };
  }

  /** All of the session as it is now is kept: changes count from here. */
  begin(session: Session): void {
    for (const state of session.states.values()) state.markDelta();
    this.#remember(session.workspace);
  }

  #remember(workspace: Workspace): void {
    this.#files = workspace.fork();
    this.#changes = workspace.changes;
  }

  /** Files that differ from those that were logged before; undefined where none was touched. */
  files({ workspace }: Session): [string, string | null][] | undefined {
    if (this.#files && workspace.changes === this.#changes) return undefined;
    const before = this.#files?.files() ?? new Map<string, string>();
    const now = workspace.files();
    const gone = [...before.keys()].filter((path) => !now.has(path)).map((path): [string, null] => [path, null]);
    const written = [...now].filter(([path, text]) => before.get(path) !== text);
    this.#remember(workspace);
    return [...gone, ...written];
  }
}
