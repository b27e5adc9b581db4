/** A model as the author of events: a good one, and the slips of bad ones, each of which costs nothing but its own event. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskFor, type Script, scripted } from '../../../test/tasks/model-scripts.js';
import { catalogueWorld } from '../../../test/tasks/worlds.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Budget } from '../../author/model/budget.js';
import { rng } from '../../kit/rng.js';
import { generateTasks } from '../../tasks/generate.js';
import { type Ground, prepareGround } from '../../tasks/ground/ground.js';
import { keyOf } from '../../tasks/ground/plan.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { RULES } from '../author/accept.js';
import { eventsFor } from '../author/author.js';
import type { Made } from '../author/made.js';
import type { WrittenEvent } from './form.js';
import { EventModels } from './models.js';
import { openColumns, rowLines, rowsInReach } from './reach.js';

let world: LoadedWorld;
let ground: Ground;
let tasks: Task[];
/** A task with a value that somebody changes their mind about, and the event as a model writes it. */
let task: Task;
let own: Made;
let good: WrittenEvent;

const writtenOf = (
  { when, effect, notify, reference }: ScenarioEvent,
  { reference: { calls } }: Task,
): WrittenEvent => {
  const { tool, nth } = 'after' in when ? when.after : { tool: '', nth: 0 };
  const at = calls.flatMap((call, n) => (call.tool === tool ? [n + 1] : []));
  return {
    source: 'requirement',
    after: at[nth - 1] ?? 0,
    say: 'say' in effect ? effect.say : (notify.text ?? ''),
    to: 'user',
    from: reference.from + 1,
    drop: reference.drop,
    insert: reference.insert.map((call) => ({ tool: call.tool, args: call.args as never })),
  };
};

beforeAll(async () => {
  world = await catalogueWorld('a software company in Dublin with a help desk', 'events', ['billing', 'support_desk']);
  ground = prepareGround(world);
  tasks = generateTasks(world, { count: 16, seed: 'events' }).tasks.map((one) => one.task);
  const found = tasks.flatMap((each) => {
    const accepted = eventsFor({ world, task: each }, rng('e', each.id), 's', { sources: ['requirement'] }).accepted;
    return accepted.flatMap((made) => (made.scenario.events[0]?.id.startsWith('new_') ? [{ each, made }] : []));
  });
  expect(found.length).toBeGreaterThan(0);
  const [{ each, made }] = found as [(typeof found)[number]];
  [task, own] = [each, made];
  good = writtenOf(own.scenario.events[0] as ScenarioEvent, task);
}, 240_000);
afterAll(() => unloadWorld(world));

const run = async (
  script: Script,
  {
    budget = {},
    perTask = 1,
    rounds = 4,
    sources,
  }: { budget?: Budget; perTask?: number; rounds?: number; sources?: string[] } = {},
  of: Task = task,
) => {
  const model = scripted(script);
  const models = new EventModels(deskFor(model, budget), { propose: true, reword: false, rounds });
  const made = await models.propose({ world, task: of }, ground, {
    perTask,
    seed: 's',
    ...(sources ? { sources } : {}),
  });
  return { model, made, tally: models.take(), why: made.refused.map(({ rule, evidence }) => `${rule}: ${evidence}`) };
};
const inTurn =
  (...answers: unknown[]): Script =>
  () =>
    answers.shift() ?? { source: 'none', after: 0 };

describe('a model that writes well', () => {
  it('has its event accepted by the ten rules, with checks that follow from running it', async () => {
    const { made, tally, why } = await run(inTurn(good));
    expect(why).toEqual([]);
    expect(made.accepted).toHaveLength(1);
    const [one] = made.accepted as [Made];
    expect(one.findings.map(({ id }) => id).sort()).toEqual([...RULES].sort());
    const [event] = one.scenario.events;
    const [theirs] = own.scenario.events;
    expect(event?.checks.replace.map(({ id }) => id)).toEqual(theirs?.checks.replace.map(({ id }) => id));
    expect(one.reference.calls).toEqual(own.reference.calls);
    expect(tally).toMatchObject({ proposed: { candidates: 1, accepted: 1, refused: {} } });
  });

  it('sees rows by their labels, without ids, and what was refused with rule and evidence', async () => {
    const bad = { ...good, after: 99 };
    const { model, made } = await run(inTurn(bad, good));
    expect(made.accepted).toHaveLength(1);
    const [first, second] = model.asked;
    const rows = /<rows>\n([\s\S]*?)\n<\/rows>/.exec(first?.prompt ?? '')?.[1] ?? '';
    const reach = rowsInReach({ world, task });
    expect(reach.length).toBeGreaterThan(0);
    expect(rows).toBe(rowLines(reach));
    for (const { service, spec, row } of reach) expect(rows).not.toContain(String(keyOf(service, spec, row)));
    expect(second?.prompt).toContain('there is no call 99');
  });

  it('may let a tool fail, and say that there is no more', async () => {
    const write = task.reference.calls.at(-1)?.tool as string;
    const fault = { source: 'fault', after: task.reference.calls.length - 1, to: 'none', tool: write, times: 2 };
    const { made, tally } = await run(inTurn(fault), { perTask: 3 });
    expect(made.accepted.map(({ scenario }) => scenario.events[0]?.source)).toEqual(['fault']);
    expect(tally.proposed.candidates).toBe(1);
  });
});

describe('a model that writes badly', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['prose', () => 'I would love to help!', /unfit: unreadable answer/],
    ['another form', () => ({ events: [good] }), /unfit: unreadable answer: source/],
    ['a call that is not there', () => ({ ...good, after: 0 }), /unfit: there is no call 0/],
    ['an edit of calls that are not there', () => ({ ...good, from: 40 }), /unfit: the calls from 40 on/],
    [
      'a tool that does not exist',
      () => ({ ...good, insert: [{ tool: 'delete_everything', args: {} }] }),
      /unfit: delete_everything is no tool/,
    ],
    [
      'a row that it was not shown',
      () => ({ ...good, insert: [{ ...good.insert?.[0], args: { id: 'R77' } }] }),
      /unfit: there is no row R77/,
    ],
    [
      'a table that does not exist',
      () => ({ source: 'state', after: 1, to: 'none', row: 'nowhere.thing', col: 'x', value: 1 }),
      /unfit: there is no row nowhere.thing/,
    ],
    [
      'a column that does not exist',
      () => ({ source: 'state', after: 1, to: 'none', row: 'R1', col: 'nonsense', value: 1 }),
      /unfit: R1 has no column nonsense/,
    ],
    ['nothing said', () => ({ ...good, say: ' ' }), /unfit: nobody says/],
    [
      'a value that nobody says',
      () => ({ ...good, say: 'Please make it something else.' }),
      /unfit: .* which nobody says and no call before it shows/,
    ],
    ['no change', () => ({ ...good, insert: [], drop: 0 }), /matters|has_consequences|cannot_be_ignored/],
    [
      'a fault of a tool that is not called',
      () => ({ source: 'fault', after: 1, tool: 'nothing', to: 'none' }),
      /unfit: no call after call 1/,
    ],
  ])('%s is refused with the reason', async (_, written, why) => {
    const { made, why: reasons } = await run(inTurn(written(), written()), { rounds: 1 });
    expect(made.accepted).toEqual([]);
    expect(reasons.join('\n')).toMatch(why);
  });

  it('an id in what is said is a leak', async () => {
    const [first] = rowsInReach({ world, task });
    const key = String(keyOf(first?.service as never, first?.spec as never, first?.row as never));
    const { why } = await run(inTurn({ ...good, say: `${good.say} It is ${key}.` }), { rounds: 1 });
    expect(why.join()).toMatch(/leaks: it says the id of R1/);
  });

  it('a changed row makes another answer right, by the code; told of, it is not given away', async () => {
    const asked = tasks.flatMap((one) => {
      const { answer, reference } = one;
      if (!answer || reference.calls.length < 2) return [];
      const reach = rowsInReach({ world, task: one });
      const at = reach.find((each) => openColumns(each).some(([col]) => each.row[col] === answer.expected));
      const col = at && openColumns(at).find(([name]) => at.row[name] === answer.expected);
      return at && col ? [{ one, at, col: col[0], type: col[1].type }] : [];
    });
    expect(asked.length).toBeGreaterThan(1);
    const isTold = { amount: 'EUR 77.00', text: 'Corner' };
    for (const { one, at, col, type } of asked.slice(0, 2)) {
      const { calls } = one.reference;
      const written = {
        source: 'state',
        after: calls.length,
        row: at.label,
        col,
        value: type === 'money' ? 77 : 'Corner',
        to: 'environment',
        say: 'A colleague has just changed a record.',
        from: calls.length + 1,
        drop: 0,
        insert: [{ tool: calls.at(-1)?.tool, args: calls.at(-1)?.args }],
      };
      const { made, why } = await run(inTurn(written), { rounds: 1 }, one);
      expect(why).toEqual([]);
      const [event] = made.accepted[0]?.scenario.events ?? [];
      expect(event?.checks.answer?.is.expected).toBe(type === 'money' ? 7700 : 'Corner');
      expect(event?.checks.answer?.is.distractors).toContain(one.answer?.expected);
      const giving = { ...written, say: `It is ${type === 'money' ? isTold.amount : isTold.text} now.` };
      expect((await run(inTurn(giving), { rounds: 1 }, one)).why.join()).toMatch(/gives the answer away/);
      const unseen = { ...written, to: 'none', say: null, from: null, insert: [] };
      expect((await run(inTurn(unseen), { rounds: 1 }, one)).why.join()).toMatch(/no call after it shows/);
    }
  });

  it('other sources than the wanted ones are not taken', async () => {
    const { why } = await run(inTurn(good), { rounds: 1, sources: ['fault'] });
    expect(why.join()).toMatch(/its source is none of fault/);
  });

  it('rounds and budget end it; what was accepted stays, and it is said', async () => {
    const bad = { ...good, after: 99 };
    const endless = await run(() => bad, { rounds: 3 });
    expect(endless.model.asked).toHaveLength(3);
    let n = 0;
    const { made, tally } = await run(() => (n++ === 0 ? good : bad), {
      perTask: 5,
      rounds: 50,
      budget: { rounds: 2 },
    });
    expect(made.accepted).toHaveLength(1);
    expect(tally.ended).toMatch(/rounds|calls|answers/);
  });
});

describe('other words', () => {
  const phrase = async (text: unknown, budget: Budget = {}) => {
    const models = new EventModels(
      deskFor(
        scripted(() => ({ text })),
        budget,
      ),
      { propose: false, reword: true, rounds: 1 },
    );
    const made = await models.phrase({ world, task }, own);
    return { made, tally: models.take() };
  };
  const told = (made: Made) => made.scenario.events[0]?.notify.text ?? '';

  it('are taken where every value is said and nothing more is, by all rules again', async () => {
    const text = told(own).replace(/^(?:[^:“]+:|[^.“]+\.)/, 'Oh, one thing has changed on my side:');
    expect(text).not.toBe(told(own));
    const { made, tally } = await phrase(text);
    expect(told(made)).toBe(text);
    expect(made.scenario.events[0]?.effect).toEqual({ say: text });
    expect(made.findings.every(({ pass }) => pass)).toBe(true);
    expect(made.reference).toEqual(own.reference);
    expect(tally.reworded).toEqual({ changed: 1, kept: {} });
  });

  it.each<[string, (text: string) => string]>([
    ['that lose a value', () => 'Please change it to something else.'],
    ['that add a figure', (text) => `${text} And 4711 more.`],
    ['that add a name', (text) => `${text} So says Wilhelmina.`],
    ['with markup', (text) => `<b>${text}</b>`],
    ['that are none', () => ''],
    ['that are the same', (text) => text],
  ])('%s are not', async (_, text) => {
    const { made, tally } = await phrase(text(told(own)));
    expect(made).toBe(own);
    expect(tally.reworded.changed).toBe(0);
    expect(Object.values(tally.reworded.kept)).toEqual([1]);
  });

  it('without a budget every text stays', async () => {
    const { made, tally } = await phrase('x', { tokens: 1 });
    expect(made).toBe(own);
    expect(tally.ended).toBeDefined();
  });
});
