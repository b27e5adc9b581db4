/** Arms of ablations: matched in size, nested, drawn by seed, and of the values they say. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import { FACETS, type Facet } from '../facets.js';
import { armsOf } from './arms.js';
import { type ArmSpec, armSpecOf, type MixSpec, sizesOf } from './spec.js';
import type { Arm, Unit } from './unit.js';

const unit = (n: number, facets: Partial<Record<Facet, string>>, task = `t${n}`): Unit => ({
  id: `r${n}`,
  task,
  facets: { ...(Object.fromEntries(FACETS.map((facet) => [facet, 'none'])) as Record<Facet, string>), ...facets },
});
const all = (units: readonly Unit[]): number[] => units.map((_, n) => n);
const mix = (units: readonly Unit[], arms: string[], more: Partial<MixSpec> = {}, seed = '1') =>
  armsOf(units, all(units), { arms: arms.map(armSpecOf), ...more }, seed);
const refused = (act: () => unknown): TreadleError => {
  try {
    act();
  } catch (error) {
    if (error instanceof TreadleError) return error;
    throw error;
  }
  return expect.unreachable();
};
const countOf = (units: readonly Unit[], arm: Arm | undefined, n: number, facet: Facet, value: string): number =>
  (arm?.order ?? []).slice(0, n).filter((at) => units[at]?.facets[facet] === value).length;

describe('what is asked for', () => {
  it('shares, equal shares, names with colons, products of facets', () => {
    expect(armSpecOf('user=none:0.5,simulated:0.5')).toEqual({
      facets: ['user'],
      shares: [
        { value: 'none', share: 0.5 },
        { value: 'simulated', share: 0.5 },
      ],
    });
    expect(armSpecOf('model=org/m:1b:0.25,m2:0.75').shares).toEqual([
      { value: 'org/m:1b', share: 0.25 },
      { value: 'm2', share: 0.75 },
    ]);
    expect(armSpecOf('harness=react,openclaw').shares?.map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(armSpecOf('user/harness=none/react')).toEqual({
      facets: ['user', 'harness'],
      shares: [{ value: 'none/react', share: 1 }],
    });
    expect(armSpecOf('by=profile')).toEqual({ facets: ['profile'] });
    expect(sizesOf('100, 1000')).toEqual([100, 1000]);
  });

  it.each([
    'user',
    '=a',
    'colour=red',
    'by=colour',
    'user=none:0.5,simulated:0.6',
    'user=none:0,simulated:1',
    'user=none:0.5,none:0.5',
    'user=none:0.5,simulated',
    'user=',
    'user=a,,b',
    'user/user=a/a',
  ])('%s is refused', (text) => {
    expect(refused(() => armSpecOf(text))).toMatchObject({ code: 'bad_option' });
  });

  it.each(['', '0', '10,10', '20,10', '1.5', '-1', 'many'])('sizes %j are refused', (text) => {
    expect(refused(() => sizesOf(text))).toMatchObject({ code: 'bad_option' });
  });
});

describe('the arms', () => {
  const views = Array.from({ length: 60 }, (_, n) =>
    unit(n, { user: n % 3 === 0 ? 'simulated' : 'none' }, `t${n % 20}`),
  );

  it('of one view, of the other, and of both, as the paper compares them', () => {
    const { arms, sizes } = mix(views, ['by=user']);
    expect(arms.map(({ name }) => name)).toEqual(['user_mixed', 'user_only_none', 'user_only_simulated']);
    expect(sizes).toEqual([20]);
    const [mixed, agentic, simulated] = arms;
    expect(countOf(views, mixed, 20, 'user', 'simulated')).toBe(10);
    expect(countOf(views, agentic, 20, 'user', 'none')).toBe(20);
    expect(countOf(views, simulated, 20, 'user', 'simulated')).toBe(20);
  });

  it('mixed, and without each event source; a combined row belongs to what it holds', () => {
    const kinds = ['state', 'information', 'requirement', 'information+state'];
    const units = Array.from({ length: 80 }, (_, n) => unit(n, { event: kinds[n % 4] as string }));
    const { arms, sizes } = mix(units, ['by=event']);
    expect(arms.map(({ name }) => name)).toEqual([
      'event_mixed',
      'event_only_information',
      'event_only_requirement',
      'event_only_state',
      'event_without_information',
      'event_without_requirement',
      'event_without_state',
    ]);
    expect(sizes).toEqual([20]);
    for (const arm of arms.slice(4)) {
      const source = arm.name.split('_').at(-1) as string;
      for (const at of arm.order) expect(units[at]?.facets.event).not.toContain(source);
    }
  });

  it('by source: nested, of one size, each the mixed order less what has the source; static rows are no part', () => {
    const kinds = ['none', 'state', 'information', 'requirement', 'requirement', 'information+state'];
    const units = Array.from({ length: 120 }, (_, n) => unit(n, { event: kinds[n % 6] as string }));
    const { arms, sizes } = mix(units, ['by=source']);
    expect(arms.map(({ name }) => name)).toEqual([
      'source_mixed',
      'source_without_information',
      'source_without_requirement',
      'source_without_state',
    ]);
    // 100 of them have events; 60 without information or state, 60 without a requirement.
    expect(sizes).toEqual([60]);
    const [mixed, ...without] = arms;
    expect(mixed?.order).toHaveLength(100);
    for (const arm of without) {
      const source = arm.name.split('_').at(-1) as string;
      expect(arm.order).toEqual(mixed?.order.filter((at) => !units[at]?.facets.event.split('+').includes(source)));
    }
    expect(mix(units, ['by=source'], { sizes: [30, 60] }).arms).toEqual(arms);
    expect(mix(units, ['by=source'], {}, '2').arms[0]?.order).not.toEqual(mixed?.order);
    expect(refused(() => mix(units, ['by=source'], { sizes: [61] })).line()).toMatch(
      /source_without_state can have 60/,
    );
    expect(
      refused(() =>
        mix(
          units.filter((_, n) => n % 6 === 0),
          ['by=source'],
        ),
      ),
    ).toMatchObject({ code: 'mix_too_small' });
  });

  it('by source and the same tasks: those that have every source, in whichever rollouts', () => {
    const units = [
      unit(0, { event: 'state' }, 'x'),
      unit(1, { event: 'fault+requirement' }, 'x'),
      unit(2, { event: 'state' }, 'y'),
      unit(3, { event: 'fault' }, 'y'),
    ];
    const { arms } = mix(units, ['by=source'], { sameTasks: true });
    expect(arms[0]?.order.toSorted()).toEqual([0, 1]);
  });

  it('every beginning of an arm has its shares, within one rollout, and no rollout twice', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 3, maxLength: 60 }),
        fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
        fc.string({ maxLength: 3 }),
        (values, weights, seed) => {
          fc.pre(new Set(values).size === 3);
          const units = values.map((value, n) => unit(n, { model: value }));
          const total = weights[0] + weights[1] + weights[2];
          const shares = weights.map((weight) => weight / total);
          const spec: ArmSpec = {
            facets: ['model'],
            shares: ['a', 'b', 'c'].map((value, n) => ({ value, share: shares[n] as number })),
          };
          const { arms } = armsOf(units, all(units), { arms: [spec] }, seed);
          const order = arms[0]?.order ?? [];
          expect(new Set(order).size).toBe(order.length);
          for (let n = 1; n <= order.length; n++)
            for (const [at, value] of ['a', 'b', 'c'].entries())
              expect(Math.abs(countOf(units, arms[0], n, 'model', value) - (shares[at] as number) * n)).toBeLessThan(
                1.5,
              );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('the same seed draws the same, another one others', () => {
    const one = mix(views, ['by=user']).arms;
    expect(mix(views, ['by=user']).arms).toEqual(one);
    expect(mix(views, ['by=user'], {}, '2').arms[0]?.order).not.toEqual(one[0]?.order);
    // What was rolled out in which order does not matter.
    const turned = [...views].reverse();
    const ids = (units: readonly Unit[], arm: Arm | undefined) => arm?.order.map((at) => units[at]?.id);
    expect(ids(turned, mix(turned, ['by=user']).arms[0])).toEqual(ids(views, one[0]));
  });

  it('with the same tasks, only those that have every value', () => {
    const units = [unit(0, { user: 'none' }, 'x'), unit(1, { user: 'simulated' }, 'x'), unit(2, { user: 'none' }, 'y')];
    const { arms, sizes } = mix(units, ['by=user'], { sameTasks: true });
    expect(sizes).toEqual([1]);
    expect(arms.find(({ name }) => name === 'user_only_none')?.order).toEqual([0]);
  });

  it('too few rollouts, a value that nothing has, or too many arms, are said', () => {
    expect(refused(() => mix(views, ['by=user'], { sizes: [10, 21] })).line()).toMatch(
      /user_only_simulated can have 20/,
    );
    const none = refused(() => mix(views, ['user=none:0.5,robot:0.5']));
    expect(none).toMatchObject({ code: 'mix_too_small' });
    expect(none.line()).toMatch(/user none, user simulated/);
    expect(refused(() => mix([], ['by=user']))).toMatchObject({ code: 'mix_too_small' });
    const worlds = Array.from({ length: 40 }, (_, n) => unit(n, { world: `w${n}` }));
    expect(refused(() => mix(worlds, ['by=world']))).toMatchObject({ code: 'bad_option' });
  });
});
