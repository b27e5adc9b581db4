import { describe, expect, it } from 'vitest';
import { toyHost, toyTask } from '../../../test/rollout/toy.js';
import { canonicalJson } from '../../kit/hash.js';
import { judgeAnswer } from '../../verify/answer.js';
import { rolloutTask } from '../rollout.js';
import { MISTAKES, type MistakeRates, planMistakes } from './mistakes.js';
import { scriptedPolicy } from './scripted.js';

const roll = async (rates: MistakeRates, seed = '1') => {
  const host = toyHost();
  const trace = await rolloutTask({ host, task: toyTask(), policy: scriptedPolicy(toyTask(), seed, rates) });
  return { host, trace, voided: host.rows.filter(({ status }) => status === 'void').map(({ customer }) => customer) };
};

describe('each mistake, at rate 1, is made and named', () => {
  it.each([...MISTAKES])('%s', async (kind) => {
    for (const seed of ['1', '2', '3', '4']) {
      const { trace } = await roll({ [kind]: 1 }, seed);
      expect(trace.producer).toMatchObject({
        policy: 'scripted',
        seed,
        name: expect.stringMatching(new RegExp(`^${kind}`)),
      });
      expect(trace.finish).toBe('answered');
    }
  });

  it('none: it is the reference', async () => {
    const { trace, voided } = await roll({});
    expect(trace).toMatchObject({ answer: '2000', producer: { name: 'none' } });
    expect(voided).toEqual(['Brandt']);
  });

  it('wrong_entity acts on another invoice that was seen', async () => {
    const acted = await Promise.all(Array.from({ length: 12 }, (_, n) => roll({ wrong_entity: 1 }, String(n))));
    expect(
      acted.every(
        ({ trace, voided }) =>
          !(
            voided.length === 1 &&
            voided[0] === 'Brandt' &&
            trace.ledger.every(({ args }) => !('id' in (args as object)) || (args as { id: string }).id === 'inv_2x')
          ),
      ),
    ).toBe(true);
    expect(acted.some(({ voided }) => voided.length === 1 && voided[0] !== 'Brandt')).toBe(true);
  });

  it('shotgun_answer is refused by the answer judge', async () => {
    const { trace } = await roll({ shotgun_answer: 1 });
    const { answer } = toyTask();
    expect(trace.answer).toMatch(/1000/);
    expect(answer && judgeAnswer(answer, trace.answer).pass).toBe(false);
  });

  it('malformed_call is followed by the good one, repeated_call by the same one', async () => {
    const malformed = await roll({ malformed_call: 1 });
    expect(malformed.trace.ledger.filter(({ ok }) => !ok).map(({ error }) => error?.code)).toEqual([
      'malformed_arguments',
    ]);
    expect(malformed.voided).toEqual(['Brandt']);
    const repeated = await roll({ repeated_call: 1 });
    const calls = repeated.trace.ledger.map(({ tool, args }) => canonicalJson([tool, args]));
    expect(new Set(calls).size).toBe(3);
    expect(calls).toHaveLength(4);
  });

  it('extra_write writes, giving_up stops early, skipped_step leaves one out', async () => {
    const extra = await Promise.all(['1', '2', '3'].map((seed) => roll({ extra_write: 1 }, seed)));
    expect(extra.every(({ trace }) => trace.ledger.filter(({ tool }) => tool === 'void_invoice').length === 2)).toBe(
      true,
    );
    expect((await roll({ giving_up: 1 })).trace.ledger.length).toBeLessThan(3);
    expect((await roll({ skipped_step: 1 })).trace.ledger).toHaveLength(2);
  });
});

it('the plan depends on seed and task alone, and one rate does not move another', () => {
  const task = toyTask();
  const half = Object.fromEntries(MISTAKES.map((kind) => [kind, 0.5])) as MistakeRates;
  const plan = planMistakes(task, half, 'x');
  expect(planMistakes(task, half, 'x')).toEqual(plan);
  const without = planMistakes(task, { ...half, wrong_entity: 0 }, 'x');
  expect(without).toEqual(plan.filter(({ kind }) => kind !== 'wrong_entity'));
  const plans = Array.from({ length: 200 }, (_, n) => planMistakes(task, half, String(n)).length);
  expect(plans.reduce((sum, n) => sum + n, 0) / 200).toBeGreaterThan(2.5);
});
