/** Kept scenarios played once more: by who knows, by who notices nothing, by nobody; and twice from a snapshot. */
import type { Check } from '../../src/artifacts/check.js';
import type { Scenario } from '../../src/artifacts/scenario.js';
import type { Task } from '../../src/artifacts/task.js';
import type { Corpus } from '../../src/corpus/corpus.js';
import { readScenarios } from '../../src/corpus/scenarios.js';
import { believing } from '../../src/dynamics/author/believing.js';
import { type Stage, tryOut } from '../../src/dynamics/author/trial.js';
import { EventEngine } from '../../src/dynamics/engine/engine.js';
import { isFrame } from '../../src/dynamics/verifier/footprints.js';
import { addressOf, canonicalJson, type Json } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { dropSnapshot, Session } from '../../src/serve/sessions/session.js';
import { dropGrounded, groundedWorld } from '../../src/world/grounded.js';
import { loadWorld, unloadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';

const checksOf = ({ milestones }: Pick<Task, 'milestones'>): Check[] => milestones.flatMap(({ checks }) => checks);

const isOnlyDistractors = ({ events }: Scenario): boolean =>
  events.every(({ effect }) => 'publish' in effect && !effect.publish.authoritative);

/** Checks that no fired event revises are the same bytes as before, and hold. */
const isRestUnchanged = ({ task }: Stage, trial: ReturnType<typeof tryOut>): boolean => {
  const { retired, replaced, added, judged } = trial.revision;
  const touched = new Set([...retired, ...replaced, ...added]);
  const now = new Map(checksOf(judged).map((check) => [check.id, check]));
  const held = new Set(
    trial.verdict.milestones.flatMap(({ checks }) => checks.flatMap(({ check, pass }) => (pass ? [check] : []))),
  );
  return checksOf(task).every(
    (check) =>
      touched.has(check.id) ||
      isFrame(check) ||
      (canonicalJson(now.get(check.id) as unknown as Json) === canonicalJson(check as unknown as Json) &&
        (held.has(check.id) || check.until !== undefined)),
  );
};

const printOf = (session: Session, engine: EventEngine): string =>
  addressOf({ state: session.hash(), log: engine.log, notices: engine.notices } as unknown as Json);

/** The reference from a snapshot in its middle, twice: states, firing and delivery logs. */
const isReplayed = ({ world, task }: Stage, scenario: Scenario): boolean => {
  const { calls } = scenario.reference;
  const at = rng(scenario.id, 'snapshot').int(0, Math.max(0, calls.length - 1));
  const session = Session.open(world, {
    id: task.id,
    services: task.services,
    me: callerOf(task.actor),
    isUnversioned: true,
    woven: new EventEngine(scenario),
  });
  const play = (part: typeof calls): void => {
    for (const { tool, args } of part) session.call(tool, structuredClone(args));
  };
  play(calls.slice(0, at));
  const snapshot = session.snapshot();
  try {
    play(calls.slice(at));
    const first = printOf(session, session.woven as EventEngine);
    session.restore(snapshot);
    play(calls.slice(at));
    return first === printOf(session, session.woven as EventEngine);
  } finally {
    dropSnapshot(snapshot);
    session.drop();
  }
};

/** At most `most` scenarios of the corpus, as many of each world. */
export const playAll = async (corpus: Corpus, most: number, seed: string): Promise<Record<string, number>> => {
  const worlds = corpus.worlds();
  const engine = await Engine.start();
  const sums = { played: 0, passed: 0, stale: 0, staleFailed: 0, nothing: 0, unchanged: 0, replayed: 0 };
  const seen = new Set<string>();
  try {
    for (const [n, id] of worlds.entries()) {
      const left = Math.ceil((most - sums.played) / (worlds.length - n));
      const scenarios = rng(seed, 'play', id).sample(readScenarios(corpus, id), left);
      const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
      const world = loadWorld(engine, corpus.readWorld(id), { lazy: true });
      for (const scenario of scenarios) {
        const task = tasks.get(scenario.taskId) as Task;
        const stage = { world: groundedWorld(world, task.grounding), task };
        const solved = tryOut(stage, scenario, scenario.reference);
        const stale = tryOut(stage, scenario, believing(stage));
        const nothing = tryOut(stage, scenario, { calls: [], answer: '' });
        sums.played++;
        seen.add(id);
        sums.passed += Number(solved.verdict.pass);
        sums.nothing += Number(nothing.verdict.pass);
        sums.unchanged += Number(isRestUnchanged(stage, solved));
        sums.replayed += Number(isReplayed(stage, scenario));
        if (!isOnlyDistractors(scenario)) {
          sums.stale++;
          sums.staleFailed += Number(!stale.verdict.pass);
        }
        for (const { session } of [solved, stale, nothing]) session.drop();
        if (stage.world !== world) dropGrounded(world, stage.world);
      }
      unloadWorld(world);
    }
  } finally {
    engine.close();
  }
  const share = (n: number, of: number): number => (of > 0 ? Number((n / of).toFixed(5)) : 0);
  return {
    played: sums.played,
    played_worlds: seen.size,
    reference_pass: share(sums.passed, sums.played),
    stale_fail: share(sums.staleFailed, sums.stale),
    null_pass: share(sums.nothing, sums.played),
    unaffected_unchanged: share(sums.unchanged, sums.played),
    replay_identical: share(sums.replayed, sums.played),
  };
};
