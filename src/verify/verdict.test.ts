import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../test/fixtures/world.js';
import { toyTask } from '../../test/rollout/toy.js';
import type { Check } from '../artifacts/check.js';
import { parseArtifact } from '../artifacts/registry.js';
import type { Task } from '../artifacts/task.js';
import { addressOf } from '../kit/hash.js';
import { callerOf } from '../serve/sessions/caller.js';
import { Session } from '../serve/sessions/session.js';
import { type LoadedWorld, unloadWorld } from '../world/loaded.js';
import { Engine } from '../world/state/engine.js';
import { gather } from './evidence.js';
import { verify } from './verdict.js';

let engine: Engine;
let world: LoadedWorld;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine, { only: ['billing'] });
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const there = (id: string, name: string): Check => ({
  id,
  kind: 'exists',
  footprint: [],
  service: 'billing',
  table: 'customer',
  where: { name },
});
const brokenOne: Check = { id: 'b', kind: 'invariant', footprint: [], invariant: 'nothing' };
const taskWith = (...milestones: Check[][]): Task => ({
  ...toyTask(),
  milestones: milestones.map((checks, n) => ({ id: `m${n}`, node: 'n1', checks })),
});

const verdictOn = (task: Task): ReturnType<typeof verify> => {
  const session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo', email: 'bo@fixture.example' }) });
  const verdict = verify(task, gather(session, '2000'), 'trace-1');
  session.drop();
  return verdict;
};

it('passes when every check of every milestone does', () => {
  const task = taskWith([there('a', 'Bo Lund'), there('b', 'Ana Sousa')], [there('c', 'Eva Noor')]);
  const verdict = verdictOn(task);
  expect(verdict).toMatchObject({ pass: true, fault: 'none', trace: 'trace-1', task: addressOf(task) });
  expect(verdict.milestones.map(({ id, pass, checks }) => [id, pass, checks.length])).toEqual([
    ['m0', true, 2],
    ['m1', true, 1],
  ]);
  expect(parseArtifact('verdict', verdict, 'verdict')).toEqual(verdict);
});

it('one failed check fails its milestone and the whole, and the policy is at fault', () => {
  const verdict = verdictOn(taskWith([there('a', 'Bo Lund'), there('b', 'Nobody')], [there('c', 'Eva Noor')]));
  expect(verdict).toMatchObject({ pass: false, fault: 'policy' });
  expect(verdict.milestones.map(({ pass }) => pass)).toEqual([false, true]);
});

it('a check that broke is the verifier’s fault, whatever else failed', () => {
  expect(verdictOn(taskWith([there('a', 'Bo Lund'), brokenOne]))).toMatchObject({ pass: false, fault: 'verifier' });
  expect(verdictOn(taskWith([there('a', 'Nobody')], [brokenOne]))).toMatchObject({ pass: false, fault: 'verifier' });
});

it('the evidence of an answer is the answer alone', () => {
  const answered = taskWith([{ id: 'c1', kind: 'answer', footprint: [] }]);
  expect(verdictOn(answered).pass).toBe(true);
  const { answer: _, ...unasked } = answered;
  expect(verdictOn(unasked as Task).fault).toBe('verifier');
});

describe('stages', () => {
  const staged = (...milestones: { node: string; checks: Check[]; answer?: string }[]): Task => ({
    ...toyTask(),
    milestones: milestones.map(({ node, checks, answer }) => ({
      id: `m_${node}`,
      node,
      checks,
      ...(answer === undefined
        ? {}
        : { answer: { kind: 'number', asks: `the number of ${node}`, expected: answer, distractors: [] } }),
    })),
  });
  const asks: Check = { id: 'answer', kind: 'answer', footprint: [] };
  const judge = (task: Task, answer: string, at?: string, answers?: Record<string, string>) => {
    const session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo', email: 'bo@fixture.example' }) });
    const verdict = verify(task, { ...gather(session, answer), ...(answers && { answers }) }, 't', undefined, at);
    session.drop();
    return { pass: verdict.pass, by: verdict.milestones.map(({ pass }) => pass) };
  };

  it('only those up to the named one are judged', () => {
    const task = staged({ node: 'a', checks: [there('x', 'Bo Lund')] }, { node: 'b', checks: [there('y', 'Nobody')] });
    expect(judge(task, '', 'a')).toEqual({ pass: true, by: [true] });
    expect(judge(task, '', 'b')).toEqual({ pass: false, by: [true, false] });
    expect(judge(task, '')).toEqual({ pass: false, by: [true, false] });
  });

  it('a check is asked until the stage that overtakes it, and then stands or falls with that stage', () => {
    const overtaken = { ...there('x', 'Nobody'), until: 'b' };
    const good = staged({ node: 'a', checks: [overtaken] }, { node: 'b', checks: [there('y', 'Bo Lund')] });
    expect(judge(good, '', 'a')).toEqual({ pass: false, by: [false] });
    expect(judge(good, '')).toEqual({ pass: true, by: [true, true] });
    const bad = staged({ node: 'a', checks: [overtaken] }, { node: 'b', checks: [there('y', 'Nobody')] });
    expect(judge(bad, '')).toEqual({ pass: false, by: [false, false] });
  });

  it('a stage that the task lacks is refused, and a check that names one is asked to the end', () => {
    const task = staged({ node: 'a', checks: [{ ...there('x', 'Nobody'), until: 'gone' }] });
    expect(() => judge(task, '', 'gone')).toThrow(/no such stage/);
    expect(judge(task, '')).toEqual({ pass: false, by: [false] });
  });

  it('each question has a numbered line of the final message, or the reply at the end of its stage', () => {
    const task = staged({ node: 'a', checks: [asks], answer: '7' }, { node: 'b', checks: [asks], answer: '9' });
    expect(judge(task, 'Done.\n1. 7\n2. 9').by).toEqual([true, true]);
    expect(judge(task, '**1)** It is 7.\n**2)** 9').by).toEqual([true, true]);
    expect(judge(task, '1. 9\n2. 7').by).toEqual([false, false]);
    expect(judge(task, '7 and 9').by).toEqual([false, false]);
    expect(judge(task, '').by).toEqual([false, false]);
    expect(judge(task, '7', 'a').by).toEqual([true]);
    expect(judge(task, '9', 'a').by).toEqual([false]);
    expect(judge(task, '9', 'b').by).toEqual([true, true]);
    expect(judge(task, '9', undefined, { a: '7', b: '9' }).by).toEqual([true, true]);
    expect(judge(task, '9', undefined, { a: '8', b: '9' }).by).toEqual([false, true]);
    expect(judge(task, '7', 'a', { a: '7' }).by).toEqual([true]);
  });
});
