/** What ten live events add to a tool call: the same reference calls, with and without an engine whose events all wait. */
import type { ScenarioEvent } from '../../src/artifacts/scenario.js';
import type { Task } from '../../src/artifacts/task.js';
import type { Corpus } from '../../src/corpus/corpus.js';
import { EventEngine } from '../../src/dynamics/engine/engine.js';
import { cpuSeconds } from '../../src/kit/clock.js';
import { median } from '../../src/kit/quantiles.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';

const EVENTS = 10;
/** Sessions a measurement. */
const REPEATS = 8;

/** Of every trigger, with needs; none comes to fire, so that each is looked at after every call. */
const live = (tools: readonly string[], clock: number): ScenarioEvent[] =>
  Array.from({ length: EVENTS }, (_, n): ScenarioEvent => {
    const when: ScenarioEvent['when'][] = [
      { after: { tool: tools[n % tools.length] as string, args: { of: 'no call' }, nth: 9 } },
      { at: clock + 10_000_000 + n },
      { random: { p: 1e-9, from: clock, to: clock + 10_000_000 } },
    ];
    return {
      id: `e${n}`,
      source: 'requirement',
      when: when[n % 3] as ScenarioEvent['when'],
      guard: [],
      needs: n >= 7 ? [{ id: `e${n - 7}`, delay: 60 }] : [],
      excludes: [],
      reads: [],
      writes: [],
      effect: { say: 'Something else, please.' },
      notify: { to: 'user' },
      checks: { retire: [], replace: [], add: [] },
      reference: { insert: [], from: 0, drop: 0 },
    };
  });

/** Of the tool calls alone, over fresh sessions. */
const secondsOf = (world: LoadedWorld, task: Task, events: ScenarioEvent[] | undefined): number => {
  let seconds = 0;
  for (let n = 0; n < REPEATS; n++) {
    const session = Session.open(world, {
      id: task.id,
      services: task.services,
      me: callerOf(task.actor),
      isUnversioned: true,
      ...(events ? { woven: new EventEngine({ seed: 's', events }) } : {}),
    });
    const start = cpuSeconds();
    for (const { tool, args } of task.reference.calls) session.call(tool, args);
    seconds += cpuSeconds() - start;
    session.drop();
  }
  return seconds;
};

/** Alternates the two over the tasks of some worlds, `rounds` times. */
export const overhead = async (corpus: Corpus, rounds: number): Promise<Record<string, number>> => {
  const engine = await Engine.start();
  const shares: number[] = [];
  let [plain, woven, calls] = [0, 0, 0];
  try {
    for (const id of corpus.worlds().slice(0, 3)) {
      const world = loadWorld(engine, corpus.readWorld(id));
      const tasks = corpus.readTasks(id).tasks.filter(({ grounding }) => !grounding);
      const events = new Map(
        tasks.map((task) => [
          task,
          live(
            task.reference.calls.map(({ tool }) => tool),
            task.clock,
          ),
        ]),
      );
      for (let round = 0; round <= rounds; round++) {
        let [one, other] = [0, 0];
        for (const task of tasks) {
          one += secondsOf(world, task, undefined);
          other += secondsOf(world, task, events.get(task));
        }
        // The first round warms up.
        if (round === 0) continue;
        shares.push((other - one) / one);
        plain += one;
        woven += other;
        calls += tasks.reduce((sum, task) => sum + task.reference.calls.length, 0) * REPEATS;
      }
      unloadWorld(world);
    }
  } finally {
    engine.close();
  }
  return {
    overhead_share: Number(median(shares).toFixed(4)),
    call_us: Number(((plain / calls) * 1e6).toFixed(1)),
    call_with_events_us: Number(((woven / calls) * 1e6).toFixed(1)),
  };
};
