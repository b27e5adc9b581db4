/** What a fresh process is asked to run, whole, so that it reads no file of the corpus, and what it answers. */
import type { Call, Task } from '../../artifacts/task.js';
import type { WorldParts } from '../../world/loaded.js';

export interface Job {
  parts: WorldParts;
  /** Tool calls of one session, in order; arguments as an agent writes them. */
  calls: readonly { tool: string; args: Call['args'] }[];
  /** Tasks whose references are replayed as well. */
  tasks: readonly Task[];
}

export interface JobResult {
  /** World id. */
  world: string;
  /** SHA-256 over all observations of the session. */
  observations: string;
  /** SHA-256 over all databases at its end. */
  state: string;
  /** The same after snapshot, some of the calls that write once more, and restore. */
  restored: string;
  /** Task id to `pass` or `fail` and the state hash at its end. */
  tasks: Record<string, string>;
  /** Set when the job could not be run. */
  error?: string;
}

/** Messages to a fresh process, and from it; the number tells which job is answered. */
export interface Asked {
  number: number;
  job: Job;
}
export interface Answered {
  number: number;
  result: JobResult;
}
