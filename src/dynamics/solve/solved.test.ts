/** References under events: whatever they edit, the plan is whole, and arguments come from earlier calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call, Reference } from '../../artifacts/task.js';
import { event } from '../event.fixture.js';
import { solve, solvedFor } from './solved.js';

const call = (tool: string, args: Call['args'] = {}): Call => ({ service: 'billing', tool, args });
const plan: Reference = {
  calls: [call('find'), call('set', { id: 'i1', memo: 'asked' }), call('close', { id: 'i1' })],
  answer: '1. yes\n2. no',
  sources: [
    { call: 1, arg: 'id', from: { observed: 0, path: 'data.0.id' } },
    { call: 1, arg: 'memo', from: { brief: 'asked' } },
    { call: 2, arg: 'id', from: { observed: 1, path: 'id' } },
  ],
};
const task = { reference: plan };
const other = call('set', { id: 'i1', memo: 'changed' });
const mind = event('mind', { reference: { from: 1, drop: 1, insert: [other], late: [other] } });
const outage = event('outage', {
  reference: { from: 1, drop: 0, insert: [plan.calls[1] as Call, plan.calls[1] as Call] },
});
const answers = (id: string, answer: string): ScenarioEvent =>
  event(id, { reference: { from: 3, drop: 0, insert: [], answer } });
const code = (what: () => unknown): string => {
  try {
    what();
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
  return 'fine';
};

describe('the reference under events', () => {
  it('is the task’s own where none fired', () => expect(solvedFor(task, [])).toEqual(plan));

  it('has the new call in place of the old one, and what was read from the old is read from the new', () => {
    expect(solvedFor(task, [mind])).toEqual({
      calls: [plan.calls[0], other, plan.calls[2]],
      answer: plan.answer,
      sources: [
        { call: 1, arg: 'id', from: { observed: 0, path: 'data.0.id' } },
        { call: 1, arg: 'memo', from: { constant: 'what event mind asks for' } },
        { call: 2, arg: 'id', from: { observed: 1, path: 'id' } },
      ],
    });
  });

  it('reads elsewhere what an event says is shown there', () => {
    const seen = [{ call: 0, path: 'data.0.id', insert: 0, at: 'row.id' }];
    const lie = event('lie', { reference: { from: 1, drop: 0, insert: [call('get', { id: 'i1' })], seen } });
    const { reference } = solve(task, [{ event: lie }]);
    expect(reference.calls.map(({ tool }) => tool)).toEqual(['find', 'get', 'set', 'close']);
    expect(reference.sources.filter(({ from }) => 'observed' in from)).toEqual([
      { call: 2, arg: 'id', from: { observed: 1, path: 'row.id' } },
      { call: 3, arg: 'id', from: { observed: 2, path: 'id' } },
    ]);
  });

  it('makes up for what fired late, where something does', () => {
    const late = solve(task, [{ event: mind, at: 3 }]);
    expect(late.steps.map(({ id }) => id)).toEqual(['0', '1', '2', 'mind/late/0']);
    expect(late.reference.calls.at(-1)).toEqual(other);
    expect(solve(task, [{ event: mind, at: 1 }]).steps.map(({ id }) => id)).toEqual(['0', 'mind/0', '2']);
    expect(code(() => solvedFor(task, [{ event: outage, at: 2 }]))).toBe('too_late');
  });

  it('tries again what it does by then, not what it would have done', () => {
    const { reference, steps } = solve(task, [{ event: outage }, { event: mind }]);
    expect(steps.map(({ id }) => id)).toEqual(['0', 'outage/0', 'outage/1', 'mind/0', '2']);
    expect(reference.calls.slice(1, 4)).toEqual([other, other, other]);
    expect(solvedFor(task, [mind, outage]).calls).toEqual(reference.calls);
  });

  it('refuses two edits of one call, and edits of calls that are not there', () => {
    const second = { ...mind, id: 'second' };
    expect(code(() => solvedFor(task, [mind, second]))).toBe('edit_conflict');
    expect(code(() => solvedFor(task, [event('far', { reference: { from: 3, drop: 1, insert: [] } })]))).toBe(
      'bad_edit',
    );
  });

  it('answers each question as the event says that changed it', () => {
    const [first, second] = [answers('first', '1. maybe\n2. no'), answers('second', '1. yes\n2. never')];
    expect(solvedFor(task, [first, second]).answer).toBe('1. maybe\n2. never');
    expect(solvedFor(task, [first]).answer).toBe('1. maybe\n2. no');
    expect(code(() => solvedFor(task, [first, answers('third', '1. certainly\n2. no')]))).toBe('answer_conflict');
  });

  const edit = fc
    .record({
      from: fc.nat(8),
      drop: fc.nat(2),
      at: fc.option(fc.nat(8), { nil: undefined }),
      tools: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
    })
    .map(({ from, drop, at, tools }) => ({ from, drop, at, insert: tools.map((tool) => call(tool, { id: 'x' })) }));

  it('loses no call that no event drops, keeps their order, and reads only what is there by then', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 }),
        fc.array(edit, { maxLength: 4 }),
        (tools, edits) => {
          const calls = tools.map((tool, n) => call(tool, { id: `r${n}` }));
          const sources = calls.slice(1).map((_, n) => ({
            call: n + 1,
            arg: 'id',
            from: { observed: n, path: 'id' },
          }));
          const most = calls.length;
          const fired = edits.map(({ at, from, drop, insert }, n) => ({
            event: event(`e${n}`, {
              reference: {
                from: Math.min(from, most),
                drop: Math.min(drop, Math.max(0, most - from)),
                insert,
                late: insert,
              },
            }),
            ...(at === undefined ? {} : { at: Math.min(at, calls.length) }),
          }));
          let solved: ReturnType<typeof solve>;
          try {
            solved = solve({ reference: { calls, answer: 'yes', sources } }, fired);
          } catch (thrown) {
            expect((thrown as { code: string }).code).toBe('edit_conflict');
            return;
          }
          const { steps, reference } = solved;
          const own = steps.flatMap((step) => (step.own === undefined ? [] : [step.own]));
          expect(own).toEqual([...own].sort((a, b) => a - b));
          expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
          const dropped = fired.reduce(
            (sum, { event: { reference: r }, at }) => sum + (at !== undefined && at > r.from ? 0 : r.drop),
            0,
          );
          expect(own.length).toBe(calls.length - dropped);
          for (const { call: at, from } of reference.sources) {
            expect(at).toBeLessThan(reference.calls.length);
            if ('observed' in from) expect(from.observed).toBeLessThan(at);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
