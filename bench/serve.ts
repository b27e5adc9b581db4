/**
 * `npm run bench -- serve [--part b|a|rate|memory|fork|soak] [--small]`: the built server as a trainer meets it (issue 3, weft.txt
 * Appendix D), the load generator in another process on raw sockets. `--corpus DIR` keeps what was made for the next run,
 * `--dist DIR` serves another build, `--trainers N` is how many connections open sessions, `--node-args` and `--serve-args` are
 * handed on. Every answer is held against a plan that was run in process; one that differs counts as failed.
 */
import { runFork } from './serve/fork.js';
import { runMemory } from './serve/memory.js';
import { type Options, readOptions } from './serve/options.js';
import { runRate } from './serve/rate.js';
import { runSoak } from './serve/soak.js';
import { runWorkload } from './serve/workload.js';

type Part = (options: Options) => Promise<Record<string, unknown>>;

const PARTS: Record<string, Part> = {
  b: (options) => runWorkload(options, 'b'),
  a: (options) => runWorkload(options, 'a'),
  rate: runRate,
  memory: runMemory,
  fork: runFork,
  soak: runSoak,
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const options = readOptions(args);
  const part = PARTS[options.part];
  if (!part) throw new Error(`There is no part ${options.part}; name one of ${Object.keys(PARTS).join(', ')}`);
  return part(options);
};
