/** Algorithm 1's loop with scripted synthesizers: what it stops at, what it never does twice, and what it tells whoever proposes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chained } from './orthogonality.js';
import { orthogonal } from './orthogonality.js';
import { type LoopOptions, runRounds } from './rounds.js';
import { Scripted } from './scripted.js';

const TOOLS = ['a', 'b', 'c', 'd'];
const task = (id: string, ...chain: string[]): Chained => ({ id, chain });
/** Tasks named `bad...` fail. */
const options: LoopOptions<Chained> = {
  tools: TOOLS,
  coverage: 1,
  rounds: 9,
  validate: ({ id }) => ({ pass: !id.startsWith('bad'), diagnostics: id.startsWith('bad') ? ['it is bad'] : [] }),
};

describe('it stops', () => {
  it('at the coverage asked for, measured after the filter', async () => {
    const script = new Scripted([[task('x', 'a', 'b')], [task('y', 'c')], [task('z', 'd')], [task('never', 'a')]]);
    const result = await runRounds(script, options);
    expect(result).toMatchObject({ coverage: 1, stopped: 'coverage', uncovered: [] });
    expect(result.rounds.map(({ coverage }) => coverage)).toEqual([0.5, 0.75, 1]);
  });
  it('at the round budget, which counts the first round', async () => {
    const script = new Scripted([[task('x', 'a')], [task('y', 'b')], [task('z', 'c')]]);
    const result = await runRounds(script, { ...options, rounds: 2 });
    expect(result).toMatchObject({ stopped: 'rounds', coverage: 0.5 });
    expect(script.heard).toHaveLength(1);
  });
  it('at an empty batch, and at one of nothing but what has passed', async () => {
    expect(await runRounds(new Scripted([[task('x', 'a')]]), options)).toMatchObject({ stopped: 'empty_batch' });
    const again = new Scripted([[task('x', 'a')], [task('x', 'b')], [task('y', 'b')]]);
    const result = await runRounds(again, options);
    expect(result).toMatchObject({ stopped: 'empty_batch', coverage: 0.25 });
    expect(result.passing).toEqual([task('x', 'a')]);
  });
  it('never for coverage alone: a library without tasks has reached nothing', async () => {
    const script = new Scripted([[task('bad', 'a')], [task('x', 'a')]]);
    const result = await runRounds(script, { ...options, coverage: 0 });
    expect(result).toMatchObject({ stopped: 'coverage', retained: [task('x', 'a')] });
    expect(result.rounds).toHaveLength(2);
  });
  it('where there is nothing at all', async () => {
    expect(await runRounds(new Scripted<Chained>([]), options)).toMatchObject({
      retained: [],
      coverage: 0,
      stopped: 'empty_batch',
    });
    expect((await runRounds(new Scripted<Chained>([]), { ...options, tools: [] })).coverage).toBe(1);
  });
});

it('tells what passed, what failed and why, what is redundant, and which tools have no task', async () => {
  const script = new Scripted([[task('x', 'a', 'b'), task('bad', 'c'), task('y', 'b')], []]);
  await runRounds(script, options);
  expect(script.heard).toEqual([
    {
      round: 1,
      passing: [task('x', 'a', 'b'), task('y', 'b')],
      failures: [{ proposal: task('bad', 'c'), diagnostics: ['it is bad'] }],
      redundant: [{ id: 'y', with: 'x' }],
      uncovered: ['c', 'd'],
    },
  ]);
});

it('takes a failed task again under its id once it is mended, and tools that are no tools of the service for nothing', async () => {
  let isMended = false;
  const script = new Scripted([[task('x', 'a')], [task('x', 'a', 'elsewhere')]]);
  const validate = (): { pass: boolean; diagnostics: string[] } => {
    const pass = isMended;
    isMended = true;
    return { pass, diagnostics: pass ? [] : ['not yet'] };
  };
  const result = await runRounds(script, { ...options, validate });
  expect(result.passing).toEqual([task('x', 'a', 'elsewhere')]);
  expect(result.coverage).toBe(0.25);
});

describe('whatever is proposed', () => {
  const proposal = fc.record({
    id: fc.constantFrom('x', 'y', 'z', 'bad', 'bad2', 'w'),
    chain: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'elsewhere'), { maxLength: 4 }),
  });
  const script = fc.array(fc.array(proposal, { maxLength: 5 }), { maxLength: 6 });

  it('no passing task is validated or kept twice, and the result is the filter over all that passed', () =>
    fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 1, max: 5 }), async (batches, rounds) => {
        const validated: string[] = [];
        const result = await runRounds(new Scripted(batches), {
          ...options,
          rounds,
          validate: (one) => {
            if (!one.id.startsWith('bad')) validated.push(one.id);
            return options.validate(one);
          },
        });
        expect(new Set(validated).size).toBe(validated.length);
        expect(result.passing.map(({ id }) => id)).toEqual(validated);
        expect(result.retained).toEqual(orthogonal(result.passing).retained);
        expect(result.rounds.length).toBeLessThanOrEqual(rounds);
        const called = new Set<string>(result.retained.flatMap(({ chain }) => chain));
        expect(result.coverage).toBe(TOOLS.filter((tool) => called.has(tool)).length / TOOLS.length);
        expect(result.uncovered).toEqual(TOOLS.filter((tool) => !called.has(tool)));
      }),
    ));
  it('coverage never falls from round to round', () =>
    fc.assert(
      fc.asyncProperty(script, async (batches) => {
        const { rounds } = await runRounds(new Scripted(batches), options);
        for (const [i, { coverage }] of rounds.entries())
          expect(coverage).toBeGreaterThanOrEqual(rounds[i - 1]?.coverage ?? 0);
      }),
    ));
});

it('a synthesizer that fails ends the run with its own words', async () => {
  const broken = {
    first: () => [task('x', 'a')],
    revise: () => Promise.reject(new Error('the endpoint is gone')),
  };
  await expect(runRounds(broken, options)).rejects.toThrow('the endpoint is gone');
});
