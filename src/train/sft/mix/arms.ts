/** The arms of a mix, and which rollouts each takes, in an order of which every beginning is a subset with the arm's shares. */
import { TreadleError } from '../../../errors.js';
import type { Facet } from '../facets.js';
import { sourceArms } from './by-source.js';
import { type ArmSpec, cellOf, type MixSpec } from './spec.js';
import { type Arm, holds, inDrawnOrder, slug, type Unit } from './unit.js';

/** Every arm has files of its own that are written at the same time. */
const MOST_ARMS = 32;

/** An arm as shares of pools: a pool is the values that one share may come from. */
interface Wanted {
  name: string;
  says: string;
  pools: { values: readonly string[]; share: number }[];
}

const equal = (values: readonly string[]): Wanted['pools'] =>
  values.map((value) => ({ values: [value], share: 1 / values.length }));

const wantedOf = ({ facets, shares }: ArmSpec, present: readonly string[]): Wanted[] => {
  const facet = facets.join('/');
  const base = slug(facet);
  if (shares) {
    const named = shares.map(({ value, share }) => `${slug(value)}-${Math.round(share * 100)}`);
    return [
      {
        name: [base, ...(shares.length === 1 ? [slug(shares[0]?.value ?? '')] : named)].join('_'),
        says: shares.map(({ value, share }) => `${Math.round(share * 1000) / 10} % ${facet} ${value}`).join(', '),
        pools: shares.map(({ value, share }) => ({ values: [value], share })),
      },
    ];
  }
  // Where values are sets of sources, an arm is made for each source, and combined rows belong to what they hold.
  const parts = facet === 'event' ? [...new Set(present.flatMap((value) => value.split('+')))].sort() : [...present];
  const mixed: Wanted = { name: `${base}_mixed`, says: `every ${facet} in equal shares`, pools: equal(present) };
  if (parts.length < 2) return [mixed];
  const only = parts
    .filter((part) => present.includes(part))
    .map(
      (part): Wanted => ({ name: `${base}_only_${slug(part)}`, says: `only ${facet} ${part}`, pools: equal([part]) }),
    );
  const without =
    parts.length < 3
      ? []
      : parts.flatMap((part): Wanted[] => {
          const left = present.filter((value) => !holds(value, part));
          return left.length === 0
            ? []
            : [
                {
                  name: `${base}_without_${slug(part)}`,
                  says: `every ${facet} but ${part}, in equal shares`,
                  pools: equal(left),
                },
              ];
        });
  return [mixed, ...only, ...without];
};

/**
 * Takes from the pool that is furthest behind its share, until that pool is empty: of every beginning of the order, no pool is more
 * than one rollout off its share.
 */
const orderOf = ({ pools }: Wanted, byValue: ReadonlyMap<string, readonly number[]>): number[] => {
  const queues = pools.map(({ values, share }) => ({
    share,
    units: values.flatMap((value) => byValue.get(value) ?? []),
    taken: 0,
  }));
  const order: number[] = [];
  // An arm that names what nothing has is no arm, not one that is short of it.
  if (queues.length === 0 || queues.some(({ units }) => units.length === 0)) return order;
  for (;;) {
    const n = order.length + 1;
    const next = queues.reduce((best, queue) =>
      queue.share * n - queue.taken > best.share * n - best.taken + 1e-9 ? queue : best,
    );
    const unit = next.units[next.taken];
    if (unit === undefined) return order;
    next.taken++;
    order.push(unit);
  }
};

/** Units by value, each list in an order that `seed` draws; with `sameTasks`, only of tasks that have every value. */
const drawn = (
  units: readonly Unit[],
  pool: readonly number[],
  facets: readonly Facet[],
  { seed, sameTasks }: { seed: string; sameTasks: boolean },
): Map<string, number[]> => {
  const by = new Map<string, number[]>();
  const valuesOfTask = new Map<string, Set<string>>();
  for (const at of pool) {
    const unit = units[at] as Unit;
    const value = cellOf(facets, unit.facets);
    const list = by.get(value);
    if (list) list.push(at);
    else by.set(value, [at]);
    valuesOfTask.set(unit.task, (valuesOfTask.get(unit.task) ?? new Set()).add(value));
  }
  for (const [value, list] of by) {
    const kept = sameTasks ? list.filter((at) => valuesOfTask.get(units[at]?.task ?? '')?.size === by.size) : list;
    by.set(value, inDrawnOrder(units, kept, seed));
  }
  return new Map([...by].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * The arms over the units of `pool`, and the sizes of their subsets, the same for all arms. Throws `mix_too_small` when an arm cannot
 * fill the largest size, or none can be made at all.
 */
export const armsOf = (
  units: readonly Unit[],
  pool: readonly number[],
  { arms, sizes, sameTasks = false }: MixSpec,
  seed: string,
): { arms: Arm[]; sizes: number[] } => {
  const made = new Map<string, Arm>();
  const values = new Set<string>();
  for (const spec of arms) {
    if (spec.isBySource) {
      for (const arm of sourceArms(units, pool, { seed, sameTasks })) made.set(arm.name, arm);
      values.add('sources of events');
      continue;
    }
    const byValue = drawn(units, pool, spec.facets, { seed, sameTasks });
    for (const value of byValue.keys()) values.add(`${spec.facets.join('/')} ${value}`);
    for (const wanted of wantedOf(spec, [...byValue.keys()]))
      made.set(wanted.name, { name: wanted.name, says: wanted.says, order: orderOf(wanted, byValue) });
  }
  const all = [...made.values()];
  if (all.length > MOST_ARMS)
    throw new TreadleError({
      code: 'bad_option',
      message: `--mix makes ${all.length} arms; ${MOST_ARMS} at most`,
      value: arms.map(({ facets }) => facets.join('/')).join(', '),
      next: 'Name the values to compare, as in --mix world=a:0.5,b:0.5, or choose a facet with fewer values.',
    });
  const most = Math.min(...all.map(({ order }) => order.length));
  const wantedSizes = sizes ?? [most];
  const largest = wantedSizes.at(-1) ?? 0;
  if (all.length === 0 || most < 1 || largest > most)
    throw new TreadleError({
      code: 'mix_too_small',
      message: `The arms cannot all have ${Math.max(1, largest)} rollouts: ${all.map(({ name, order }) => `${name} can have ${order.length}`).join(', ')}`,
      value: [...values].join(', ').slice(0, 200),
      next: 'Roll out more of what is short, ask for smaller --sizes, or for other values.',
    });
  return { arms: all, sizes: wantedSizes };
};
