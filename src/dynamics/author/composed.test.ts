/** Events for a task of many stages: each stage holds at its end, and all of them when the last has ended. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, benchOf } from '../../../test/rollout/sampling/fixture.js';
import type { Task } from '../../artifacts/task.js';
import { addressOf } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { callsByStage } from '../../tasks/stage-calls.js';
import { gather } from '../../verify/evidence.js';
import { unloadWorld } from '../../world/loaded.js';
import { slabsFor } from '../../world/state/slabs.js';
import { EventEngine } from '../engine/engine.js';
import { verifyRevised } from '../played.js';
import { Course } from '../solve/course.js';
import { resolvedByStage } from '../solve/resolved.js';
import { scenarioTask } from '../solve/scenario-task.js';
import { stageEnds } from '../solve/stages.js';
import { scenariosFor } from './author.js';
import { changesOfMind } from './change-of-mind.js';
import { type Made, madeScenario } from './made.js';
import { openOn, type Stage } from './trial.js';

let bench: Bench;
let stage: Stage;
let made: Made[];
beforeAll(async () => {
  bench = await benchOf(6);
  stage = { world: bench.world, task: bench.task };
  made = scenariosFor(stage, rng('composed'), 's', { perTask: 12 }).accepted;
}, 240_000);
afterAll(() => unloadWorld(bench.world));

const saysAt = ({ milestones }: Task, node: string): string =>
  milestones.find((one) => one.node === node)?.says ?? 'Done.';

describe('events of a task of many stages', () => {
  it('are there, of several sources and triggers, also several in one scenario', () => {
    const events = made.flatMap(({ scenario }) => scenario.events);
    expect(made.length).toBeGreaterThan(5);
    expect(new Set(events.map(({ source }) => source)).size).toBeGreaterThan(1);
    expect(made.some(({ scenario }) => scenario.events.length > 1)).toBe(true);
  });

  it('leave a reference whose stages end where the task that is played says, and hold there and in the end', () => {
    for (const { scenario, reference } of made) {
      const own = scenarioTask(stage, scenario);
      expect(own.reference).toEqual(reference);
      const kept = madeScenario(stage, { scenario, reference, findings: [] }, 1);
      expect(resolvedByStage(stage.task, kept, addressOf(stage.task), stage.world)).toEqual(own);
      const ends = callsByStage(own);
      expect(ends.at(-1)).toBe(reference.calls.length);
      const engine = new EventEngine(scenario);
      const session = openOn(stage, engine);
      const answers: Record<string, string> = {};
      const passes = (answer: string, at?: string): boolean => {
        const about = { trace: 't', hash: 'h'.repeat(64), ...(at === undefined ? {} : { at }) };
        return verifyRevised(stage.task, engine, { ...gather(session, answer), answers }, about).pass;
      };
      for (const [n, { node }] of own.disclosure.stages.entries()) {
        for (const { tool, args } of reference.calls.slice(session.calls, ends[n]))
          session.call(tool, structuredClone(args));
        expect(passes(saysAt(own, node), node), `${scenario.events.map(({ id }) => id)} at ${node}`).toBe(true);
        answers[node] = saysAt(own, node);
      }
      expect(passes(reference.answer)).toBe(true);
      session.drop();
    }
  });

  it('say in the evidence that the stages were judged', () => {
    for (const { findings } of made)
      expect(findings.find(({ id }) => id === 'solvable')?.evidence.join(' ')).toMatch(
        /[1-6] stages from the first event on pass at their ends/,
      );
  });

  it('that change a mind come no earlier than as the stage before ends, under a name of their own', () => {
    const starts = callsByStage(stage.task);
    const minds = changesOfMind(stage, rng('minds'));
    expect(minds.length).toBeGreaterThan(1);
    expect(new Set(minds.map(({ event }) => event.id)).size).toBe(minds.length);
    for (const { event } of minds) {
      const session = openOn(stage, new EventEngine({ events: [event], seed: 's' }));
      const course = Course.of(stage);
      course.finish(session);
      const [fired] = course.fired;
      const start = starts.findLast((end) => end <= event.reference.from) ?? 0;
      expect(fired?.at).toBeGreaterThanOrEqual(Math.max(1, start));
      session.drop();
    }
  });

  it('move the ends of the stages they are about, and of those that follow', () => {
    const ends = callsByStage(stage.task);
    expect(stageEnds(stage.task, [])).toEqual(ends);
    const outage = made
      .flatMap(({ scenario }) => scenario.events)
      .find(({ source, reference }) => source === 'fault' && reference.drop === 0 && reference.insert.length > 0);
    if (!outage) throw new Error('no call has to be made again');
    const { from, insert } = outage.reference;
    const own = ends.findIndex((end) => from < end);
    expect(stageEnds(stage.task, [{ event: outage }])).toEqual(
      ends.map((end, n) => (n >= own ? end + insert.length : end)),
    );
  });
});

it('leaves no page of what was thought about, and thinks the same thing twice', () => {
  const size = [...bench.world.services.values()][0]?.pristine.base.pageSize as number;
  const { live } = slabsFor(size);
  const again = scenariosFor(stage, rng('composed'), 's', { perTask: 12 }).accepted;
  expect(again).toEqual(made);
  expect(slabsFor(size).live).toBe(live);
});
