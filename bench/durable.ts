/**
 * `npm run bench -- durable [--part cost|fork|recovery|cpu|load] [--small] [--sessions N]`: sessions that are kept (issue 8). All parts, one
 * after the other, unless one is named. `cost`: a changing call, nothing kept against `durable: none | call | disk`, at 1 and 16 callers.
 * `fork`: a fork by how many rows were changed before it.
 * `recovery`: N sessions (1,000), kill -9, and another process that takes them up. `cpu`: processor time a call with a front and two
 * workers against one process, at 64 connections. `load`: workload B of `serve` over workers that keep every call; N rollouts.
 * `npm run build` comes first: servers are the built ones, all but those of `cost`. `--corpus DIR` keeps what was made for the next run
 * of that part.
 */
import { join } from 'node:path';
import { runCost } from './durable/cost.js';
import { runCpu } from './durable/cpu.js';
import { runFork } from './durable/fork.js';
import { runLoad } from './durable/load.js';
import { runRecovery } from './durable/recovery.js';
import { inFolder, type Options, readOptions } from './serve/options.js';
import { say, sayTargets, type Target } from './serve/report.js';

/** In this order: what is made for one part, a later one may use. */
const PARTS: Record<string, (options: Options) => Promise<Record<string, unknown>>> = {
  cost: runCost,
  fork: runFork,
  cpu: runCpu,
  load: runLoad,
  recovery: runRecovery,
};
const CORPORA: Record<string, string> = {
  cost: 'calls',
  fork: 'calls',
  cpu: 'calls',
  load: 'tasks',
  recovery: 'tasks',
};

const TARGETS: Record<string, readonly Target[]> = {
  cost: [],
  fork: [],
  recovery: [
    { field: 'recovery_1000_s', at: 'most', bound: 3, unit: 's' },
    { field: 'failed', at: 'most', bound: 0 },
  ],
  cpu: [
    { field: 'front_cpu_ratio', at: 'most', bound: 1.4 },
    { field: 'failed', at: 'most', bound: 0 },
  ],
  load: [{ field: 'failed', at: 'most', bound: 0 }],
};

/** What stands at the top of the whole object, beside the parts. */
const HEADLINES = ['recovery_1000_s', 'front_cpu_ratio'];

const runParts = async (args: string[], dir: string): Promise<Record<string, unknown>> => {
  const wanted = args.includes('--part') ? [readOptions(args).part] : Object.keys(PARTS);
  const parts: Record<string, Record<string, unknown>> = {};
  for (const part of wanted) {
    const run = PARTS[part];
    if (!run) throw new Error(`There is no part ${part}; name one of ${Object.keys(PARTS).join(', ')}`);
    const options = readOptions(args);
    const from = performance.now();
    const corpus = options.corpus === undefined ? join(dir, CORPORA[part] as string) : `${options.corpus}-${part}`;
    parts[part] = await run({ ...options, part, corpus });
    sayTargets(parts[part], TARGETS[part] ?? []);
    say(`part ${part} took ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  }
  const all = Object.values(parts);
  const headlines = HEADLINES.flatMap((field) => all.flatMap((part) => (field in part ? [[field, part[field]]] : [])));
  const failed = all.reduce((sum, part) => sum + Number(part.failed ?? 0), 0);
  return { ...Object.fromEntries(headlines), failed, ...parts };
};

export const main = (args: string[]): Promise<Record<string, unknown>> => inFolder((dir) => runParts(args, dir));
