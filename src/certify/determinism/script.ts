/** What a fresh process is asked to run, and what it answers. Lines of JSON over stdin and stdout. */
import type { Call } from '../../artifacts/task.js';

export interface Job {
  /** World id in the corpus. */
  world: string;
  /** Tool calls of one session, in order; arguments as an agent writes them. */
  calls: { tool: string; args: Call['args'] }[];
  /** Ids of tasks whose references are replayed as well. */
  tasks: string[];
}

export interface Script {
  corpus: string;
  jobs: Job[];
}

export interface JobResult {
  world: string;
  /** SHA-256 over all observations of the session. */
  observations: string;
  /** SHA-256 over all databases at its end. */
  state: string;
  /** The same after snapshot, one more pass of the calls that write, and restore. */
  restored: string;
  /** Task id to `pass` or `fail` and the state hash at its end. */
  tasks: Record<string, string>;
  /** Set when the job could not be run. */
  error?: string;
}
