/** Read-only calls over MCP at growing concurrency, each lane on sessions of its own. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import { cpuSeconds, elapsedMs } from '../../../kit/clock.js';
import type { OpenedSession } from '../../api.js';
import type { Trainer } from '../../trainer.js';
import { rateOf, type Spread, spreadOf } from './figures.js';
import { type McpCaller, type McpTarget, mcpCaller } from './mcp-caller.js';
import { type Told, toldOf } from './opening.js';

export interface CallingStep {
  concurrency: number;
  calls: number;
  perSecond: number;
  ms: Spread;
  failed: number;
  /** The first of the failures. */
  error?: Told;
  /** Share of one core that this process, the one that asks, was busy. */
  ownLoad: number;
}

const MOST_AT_ONCE = 256;
/** A step that is not this much quicker than the best before it has not grown. */
const GROWTH = 1.1;
/** Failures of a step after which there is nothing more to learn from it. */
const ENOUGH = 100;
/** Calls of each lane at least, so that a step is more than its beginning. */
const LEAST_EACH = 8;

/** A read-only tool that needs no arguments; sessions on the same services share the look-up. */
export const targetsOf = async (trainer: Trainer, sessions: readonly OpenedSession[]): Promise<McpTarget[]> => {
  const known = new Map<string, Promise<string | undefined>>();
  const find = async (id: string): Promise<string | undefined> => {
    const tools = await trainer.tools(id);
    return tools.find(({ readOnly, inputSchema }) => {
      const { required } = inputSchema as { required?: unknown[] };
      return readOnly && (required ?? []).length === 0;
    })?.name;
  };
  return Promise.all(
    sessions.map(async ({ id, token, url, pins, services }) => {
      const key = `${pins.world.hash} ${Object.keys(services).sort().join()}`;
      let tool = known.get(key);
      if (tool === undefined) {
        tool = find(id);
        known.set(key, tool);
      }
      return { url, token, tool: await tool };
    }),
  );
};

const step = async (
  caller: McpCaller,
  targets: readonly McpTarget[],
  concurrency: number,
  calls: number,
  stop: AbortSignal,
): Promise<CallingStep> => {
  const ms: number[] = [];
  let failed = 0;
  let first: TreadleError | undefined;
  const each = Math.ceil(calls / concurrency);
  const lane = async (offset: number): Promise<void> => {
    for (let n = 0, at = offset; n < each && failed < ENOUGH && !stop.aborted; n++, at += concurrency) {
      if (at >= targets.length) at = offset;
      const before = elapsedMs();
      try {
        await caller.call(targets[at]!);
        ms.push(elapsedMs() - before);
      } catch (thrown) {
        failed++;
        first ??= asTreadleError(thrown, 'infrastructure');
      }
    }
  };
  const [start, busy] = [elapsedMs(), cpuSeconds()];
  await Promise.all(Array.from({ length: concurrency }, (_, offset) => lane(offset)));
  const took = elapsedMs() - start;
  return {
    concurrency,
    calls: ms.length + failed,
    perSecond: rateOf(ms.length, took),
    ms: spreadOf(ms),
    failed,
    ...(first && { error: toldOf(first) }),
    ownLoad: took > 0 ? Math.round(((cpuSeconds() - busy) / took) * 100_000) / 100 : 0,
  };
};

export interface Calling {
  targets: readonly McpTarget[];
  /** Calls of each step. */
  calls: number;
  stop: AbortSignal;
  onStep?: (step: CallingStep) => void;
}

/** 1, 2, 4 ... calls at once, until there are no more sessions, calls fail, or two steps running brought no more. */
export const callMore = async ({ targets, calls, stop, onStep }: Calling): Promise<CallingStep[]> => {
  const steps: CallingStep[] = [];
  const caller = mcpCaller(MOST_AT_ONCE);
  try {
    // The first call on a world loads it, and that is not what is measured.
    await caller.call(targets[0]!).catch(() => undefined);
    let best = 0;
    let idle = 0;
    for (let at = 1; at <= Math.min(targets.length, MOST_AT_ONCE) && idle < 2 && !stop.aborted; at *= 2) {
      const made = await step(caller, targets, at, Math.max(calls, at * LEAST_EACH), stop);
      steps.push(made);
      onStep?.(made);
      if (made.failed > 0) break;
      idle = made.perSecond > best * GROWTH ? 0 : idle + 1;
      best = Math.max(best, made.perSecond);
    }
  } finally {
    caller.close();
  }
  return steps;
};
