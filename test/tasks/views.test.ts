/**
 * The task's views (weft.txt 3.1.3): in every form the objective, the order, the initial state and the completion conditions are
 * the same, and what is told follows the disclosure's data. Over all tasks of made libraries, and over tasks of many stages.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { DETAILS, type Fact } from '../../src/artifacts/disclosure.js';
import type { Task } from '../../src/artifacts/task.js';
import { rollWorld, sessionFor } from '../../src/cli/pipeline/rollouts.js';
import { addressOf, canonicalJson } from '../../src/kit/hash.js';
import { rng } from '../../src/kit/rng.js';
import { askingPolicy } from '../../src/rollout/agents/asking.js';
import { referencePolicy } from '../../src/rollout/agents/reference.js';
import { scriptedPolicy } from '../../src/rollout/agents/scripted.js';
import { composeTask } from '../../src/tasks/compose/compose.js';
import { secretsOf } from '../../src/tasks/disclosure/check.js';
import { says } from '../../src/tasks/disclosure/holds.js';
import { generateTasks } from '../../src/tasks/generate.js';
import { prepareGround } from '../../src/tasks/ground/ground.js';
import { callsByStage } from '../../src/tasks/stage-calls.js';
import type { LoadedWorld } from '../../src/world/loaded.js';
import { chainOf } from './chain.js';
import { catalogueWorld } from './worlds.js';

const VIEWS = (['none', 'simulated'] as const).flatMap((user) => DETAILS.map((detail) => ({ user, detail })));
const SEED = 'views';

/** A task of the composer's own. */
const composedOn = (world: LoadedWorld): Task[] => {
  const wish = { stages: 6, least: 4, services: new Set(world.services.keys()), leastServices: 1, stray: undefined };
  const id = `${world.spec.id.replaceAll('_', '-')}-composed`;
  const made = composeTask(prepareGround(world), { ...wish, id, random: rng(SEED, 'composed') });
  return typeof made === 'string' ? [] : [made.task];
};

let worlds: { world: LoadedWorld; tasks: Task[]; composed: Task[] }[];

beforeAll(async () => {
  const made = [
    await catalogueWorld('a software company in Dublin with a help desk', SEED, ['billing', 'support_desk']),
    await catalogueWorld('a bakery with two branches in Lyon', SEED),
  ];
  worlds = made.map((world) => {
    const tasks = generateTasks(world, { count: 16, seed: SEED }).tasks.map(({ task }) => task);
    return { world, tasks, composed: [...chainOf(world, tasks), ...composedOn(world)] };
  });
}, 240_000);

const every = (): { world: LoadedWorld; task: Task }[] =>
  worlds.flatMap(({ world, tasks, composed }) => [...tasks, ...composed].map((task) => ({ world, task })));
const factsOf = (task: Task): Fact[] =>
  task.disclosure.stages.flatMap(({ facts }) => facts.filter((fact): fact is Fact => typeof fact !== 'string'));

it('there is something to look at: tasks of one stage and of several', () => {
  expect(every().filter(({ task }) => task.kind === 'atomic').length).toBeGreaterThan(24);
  const composed = every().filter(({ task }) => task.kind === 'composed');
  expect(composed.length).toBeGreaterThanOrEqual(4);
  expect(composed.some(({ task }) => task.id.endsWith('-composed'))).toBe(true);
  for (const { task } of composed) expect(task.disclosure.stages.length).toBeGreaterThan(2);
});

describe('in every form', () => {
  it('the reference passes on the same state, by the same checks, in the same order', async () => {
    for (const { world, tasks, composed } of worlds) {
      const all = [...tasks, ...composed];
      const before = all.map((task) => addressOf(task));
      const start = all.map((task) => sessionFor(world, task, 's').hash());
      const seen = new Map<string, string>();
      for (const view of VIEWS) {
        const rolled = await rollWorld(world, all, {
          samples: 1,
          seed: SEED,
          concurrency: 1,
          view,
          policyFor: (task) => referencePolicy(task),
        });
        for (const [i, { trace, verdict, stages }] of rolled.entries()) {
          const task = all[i] as Task;
          const where = `${task.id} ${view.user} ${view.detail}`;
          expect(verdict.pass, where).toBe(true);
          expect(trace, where).toMatchObject({
            user: view.user,
            detail: view.detail,
            finish: 'answered',
            task: before[i],
          });
          // The same calls with the same results, the same checks with the same findings.
          const facts = canonicalJson([
            trace.ledger.map(({ tool, args, result, touched }) => [tool, args, result, touched]),
            verdict.milestones.map(({ id, checks }) => [id, checks.map(({ check, kind }) => [check, kind])]),
          ]);
          expect(seen.get(task.id) ?? facts, where).toBe(facts);
          seen.set(task.id, facts);
          if (view.user === 'none') continue;
          const nodes = task.disclosure.stages.map(({ node }) => node);
          expect(
            trace.dialogue?.stages.map(({ node }) => node),
            where,
          ).toEqual(nodes);
          expect(
            trace.dialogue?.stages.map(({ calls }) => calls),
            where,
          ).toEqual(callsByStage(task));
          expect(
            stages?.map(({ pass }) => pass),
            where,
          ).toEqual(nodes.map(() => true));
          expect(stages?.map(({ milestones }) => milestones.length)).toEqual(nodes.map((_, n) => n + 1));
        }
      }
      expect(all.map((task) => addressOf(task))).toEqual(before);
      expect(all.map((task) => sessionFor(world, task, 's').hash())).toEqual(start);
    }
  }, 240_000);

  it('who asks is told everything that the request leaves out, and passes', async () => {
    for (const { world, tasks, composed } of worlds) {
      const all = [...tasks, ...composed];
      for (const detail of DETAILS) {
        const view = { user: 'simulated', detail } as const;
        const policyFor = (task: Task) => askingPolicy(task, detail);
        const rolled = await rollWorld(world, all, { samples: 1, seed: SEED, concurrency: 1, view, policyFor });
        for (const [i, { trace, verdict }] of rolled.entries()) {
          const task = all[i] as Task;
          expect(verdict.pass, `${task.id} ${detail}`).toBe(true);
          const told = trace.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
          for (const { words } of factsOf(task)) expect(says(told, words), `${task.id} ${detail}: ${words}`).toBe(true);
        }
      }
    }
  }, 240_000);

  it('a scripted policy comes to its end', async () => {
    for (const { world, tasks, composed } of worlds) {
      const all = [...tasks.slice(0, 6), ...composed];
      for (const view of VIEWS) {
        const rolled = await rollWorld(world, all, {
          samples: 2,
          seed: SEED,
          concurrency: 1,
          view,
          policyFor: (task, n) => scriptedPolicy(task, `${n}`),
        });
        expect(rolled.map(({ trace }) => trace.finish)).toEqual(rolled.map(() => 'answered'));
      }
    }
  }, 240_000);
});

describe('what is told', () => {
  it('grows with the detail: vague says no fact that partial does not say, full says all', () => {
    for (const { task } of every()) {
      for (const stage of task.disclosure.stages) {
        for (const fact of stage.facts) {
          if (typeof fact === 'string') continue;
          const where = `${task.id} ${fact.id}`;
          const told = DETAILS.filter((detail) => says(stage[detail], fact.words));
          expect(told, where).toEqual(DETAILS.slice(DETAILS.indexOf(fact.given)));
          expect(says(fact.says, fact.words), where).toBe(true);
          // Of a composed task a look-up that it fed may be left out; a descriptor of its row is still one.
          if (task.kind === 'atomic') expect(fact.feeds.length, where).toBeGreaterThan(0);
        }
      }
    }
  });

  it('is every descriptor and every value that the reference takes from the brief', () => {
    for (const { task } of every()) {
      const words = factsOf(task).map((fact) => fact.words.toLowerCase());
      for (const { descriptors } of task.bindings)
        for (const descriptor of descriptors) expect(words, task.id).toContain(descriptor.words.toLowerCase());
      for (const { from } of task.reference.sources)
        if ('brief' in from) expect(words, task.id).toContain(from.brief.toLowerCase());
    }
  });

  it('is no id and no answer, in no form and in no sentence', () => {
    for (const { task } of every()) {
      const allowed = [task.brief, ...task.disclosure.stages.map(({ full }) => full)].join('\n');
      const secrets = secretsOf(task).filter((secret) => !says(allowed, secret));
      const texts = [
        ...task.disclosure.stages.flatMap(({ full, partial, vague, facts }) => [
          full,
          partial,
          vague,
          ...facts.map((fact) => (typeof fact === 'string' ? fact : fact.says)),
        ]),
        ...Object.values(task.disclosure.briefs ?? {}),
      ].join('\n');
      expect(
        secrets.filter((secret) => says(texts, secret)),
        task.id,
      ).toEqual([]);
    }
  });

  it('less of it is said somewhere: most requests have a vague form, some briefs a looser one', () => {
    const stages = every().flatMap(({ task }) => task.disclosure.stages);
    expect(stages.filter(({ full, vague }) => full !== vague).length / stages.length).toBeGreaterThan(0.7);
    expect(every().some(({ task }) => task.disclosure.briefs)).toBe(true);
  });

  it('without a user is less explicit only by words that a look-up makes up for', () => {
    for (const { task } of every()) {
      const { briefs } = task.disclosure;
      if (!briefs) continue;
      const kept = factsOf(task).filter(({ loose }) => loose === undefined);
      for (const text of Object.values(briefs)) {
        for (const { words } of kept)
          expect(says(text, words) || !says(task.brief, words), `${task.id}: ${words}`).toBe(true);
      }
      const loosened = factsOf(task).filter(({ words }) => says(task.brief, words) && !says(briefs.vague, words));
      for (const { loose } of loosened) expect(says(briefs.vague, loose ?? '-')).toBe(true);
    }
  });

  it('reads like a request', () => {
    for (const { task } of every()) {
      for (const { full, partial, vague } of task.disclosure.stages) {
        for (const text of [full, partial, vague]) {
          expect(text).toMatch(/^[A-Z“].*[.?!”]$/s);
          expect(text).not.toMatch(/undefined|null|NaN|\s\s|\{|\}|_|\bthe the\b|\bour our\b| [.,?]/);
        }
      }
    }
  });
});
