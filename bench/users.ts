/**
 * Mistakes of simulated users: how many are found and how many are seen where there are none, message by message, and whose
 * fault the rollouts are in which such users spoke. `--corpus DIR` a built corpus (else `--worlds N`, 6, `--small`: 2, are built
 * first), `--tasks N` at most so many tasks, `--misses` prints what was missed or seen wrongly.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '../src/artifacts/task.js';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { rollWorld } from '../src/cli/pipeline/rollouts.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { rng } from '../src/kit/rng.js';
import { askingPolicy } from '../src/rollout/agents/asking.js';
import { outcomeOf } from '../src/rollout/outcome.js';
import { heardMistakes } from '../src/rollout/users/fault.js';
import { faultySpeaker, MISTAKE_KINDS, mistakeAt, spoilt } from '../src/rollout/users/faulty.js';
import { mistakesOf } from '../src/rollout/users/mistakes.js';
import type { Speaker } from '../src/rollout/users/speaker.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';
import { BENIGN } from './users/benign.js';
import { plansOf } from './users/plans.js';

const RATE = 0.2;
const share = (part: number, all: number): number | null => (all === 0 ? null : Number((part / all).toFixed(4)));
const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

interface Count {
  made: number;
  found: number;
  /** Under its own name. */
  named: number;
}

class Messages {
  readonly mistakes = new Map<string, Count>();
  readonly benign = new Map<string, Count>();
  constructor(readonly onMiss: (line: string) => void) {}

  async add(task: Task): Promise<void> {
    const find = mistakesOf(task);
    for (const [n, plan] of (await plansOf(task)).entries()) {
      for (const kind of MISTAKE_KINDS) {
        const text = spoilt(kind, plan, rng('users', task.id, String(n), kind));
        if (text === undefined) continue;
        const found = find(text, plan);
        this.#count(
          this.mistakes,
          kind,
          found.length > 0,
          found.some((one) => one.kind === kind),
        );
        if (found.length === 0)
          this.onMiss(`missed ${kind} (${plan.said.act}): ${text.slice(0, 200)} | ${plan.said.text}`);
      }
      for (const [name, reword] of Object.entries(BENIGN)) {
        const text = reword(plan, rng('users', task.id, String(n), name));
        if (text === plan.said.text) continue;
        const found = find(text, plan);
        this.#count(this.benign, name, found.length > 0, false);
        if (found.length > 0)
          this.onMiss(`wrongly ${found[0]?.kind} (${name}): ${found[0]?.why}: ${text.slice(0, 300)}`);
      }
    }
  }

  #count(into: Map<string, Count>, key: string, isFound: boolean, isNamed: boolean): void {
    const count = into.get(key) ?? { made: 0, found: 0, named: 0 };
    count.made++;
    if (isFound) count.found++;
    if (isNamed) count.named++;
    into.set(key, count);
  }
}

const total = (counts: Iterable<Count>): Count =>
  [...counts].reduce((all, { made, found, named }) => ({
    made: all.made + made,
    found: all.found + found,
    named: all.named + named,
  }));

/** Rollouts of a policy that makes no mistake with users who do: whoever fails then, the user is to blame. */
const rollouts = async (
  engine: Engine,
  corpus: Corpus,
  tasks: ReadonlyMap<string, readonly Task[]>,
  isTrusted: boolean,
) => {
  const sums = { rollouts: 0, spoilt: 0, passed: 0, failed: 0, users_fault: 0, blamed_without_mistake: 0, unblamed: 0 };
  for (const [id, own] of tasks) {
    const world = loadWorld(engine, corpus.readWorld(id));
    const made = new Set<string>();
    const inner = faultySpeaker('users', RATE);
    const speaker: Speaker = {
      ...inner,
      say: (plan) => {
        if (mistakeAt(plan, 'users', RATE)) made.add(plan.known.task);
        return inner.say(plan);
      },
    };
    const rolled = await rollWorld(world, own, {
      samples: 1,
      seed: 'users',
      concurrency: 8,
      policyFor: (task) => askingPolicy(task, 'partial'),
      view: { user: 'simulated', detail: 'partial', speaker, isTrusted },
    });
    unloadWorld(world);
    for (const { trace, verdict } of rolled) {
      const { outcome, fault } = outcomeOf(trace, verdict);
      const isMade = made.has(trace.taskId);
      const isBlamed = outcome === 'fault' && fault === 'user';
      sums.rollouts++;
      if (isMade) sums.spoilt++;
      if (outcome === 'passed') sums.passed++;
      if (outcome === 'failed') sums.failed++;
      if (isBlamed) sums.users_fault++;
      if (isBlamed && !isMade) sums.blamed_without_mistake++;
      if (isMade && !isBlamed && outcome !== 'passed' && heardMistakes(trace.dialogue).length === 0) sums.unblamed++;
    }
  }
  return sums;
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const most = Number(after(args, '--tasks') ?? (small ? 24 : 400));
  const given = after(args, '--corpus');
  const dir = given ?? mkdtempSync(join(tmpdir(), 'treadle-users-'));
  const engine = await Engine.start();
  try {
    if (!given) {
      const worlds = Number(after(args, '--worlds') ?? (small ? 2 : 6));
      const input = sweep(countriesOf('20'), industriesOf('all', 'users'), 'users');
      const options = { input, worlds, tasks: 20, seed: 'users', out: dir, pins: {}, skipDeterminism: true };
      await build(options, makeUi(false), noInterrupt, { jobs: 1, rows: false });
    }
    const corpus = Corpus.open(dir);
    const tasks = new Map<string, Task[]>();
    let count = 0;
    for (const id of corpus.worlds()) {
      const own = corpus.readTasks(id).tasks.slice(0, most - count);
      if (own.length > 0) tasks.set(id, own);
      count += own.length;
    }
    const lines: string[] = [];
    const messages = new Messages((line) => lines.push(line));
    for (const own of tasks.values()) for (const task of own) await messages.add(task);
    if (args.includes('--misses')) for (const line of lines) process.stdout.write(`${line}\n`);
    const [bad, good] = [total(messages.mistakes.values()), total(messages.benign.values())];
    const of = (counts: Map<string, Count>, value: (count: Count) => number) =>
      Object.fromEntries([...counts].map(([key, own]) => [key, share(value(own), own.made)]));
    return {
      tasks: count,
      spoilt_messages: bad.made,
      recall: share(bad.found, bad.made),
      named: share(bad.named, bad.made),
      reworded_messages: good.made,
      false_positive_rate: share(good.found, good.made),
      recall_by_kind: of(messages.mistakes, ({ found }) => found),
      named_by_kind: of(messages.mistakes, ({ named }) => named),
      false_positive_by_rewording: of(messages.benign, ({ found }) => found),
      mistake_rate: RATE,
      trusted: await rollouts(engine, corpus, tasks, true),
      checked: await rollouts(engine, corpus, tasks, false),
    };
  } finally {
    engine.close();
    if (!given) rmSync(dir, { recursive: true, force: true });
  }
};
