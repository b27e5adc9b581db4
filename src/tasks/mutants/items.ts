/** Wrong lists: one item short, one item too many. */
import { expectedItems } from '../../verify/answer-spec.js';
import type { Material, MutantKind } from './mutant.js';

const itemsOf = ({ task }: Material): (string | number)[] =>
  task.answer?.kind === 'list' ? expectedItems(task.answer) : [];

export const itemLeftOut: MutantKind = {
  kind: 'item_left_out',
  isOnce: true,
  make: (material) => {
    const items = itemsOf(material);
    if (items.length < 2) return [];
    const left = material.random.pick(items);
    const answer = items.filter((item) => item !== left).join(', ');
    return [{ kind: 'item_left_out', what: `leaves ${left} out`, calls: material.task.reference.calls, answer }];
  },
};

export const itemTooMany: MutantKind = {
  kind: 'item_too_many',
  isOnce: true,
  make: (material) => {
    const items = itemsOf(material);
    // The first of the others is the nearest: what misses one condition stands there.
    const [more] = material.task.answer?.distractors ?? [];
    if (items.length === 0 || more === undefined) return [];
    const answer = [...items, more].join(', ');
    return [{ kind: 'item_too_many', what: `names ${more} as well`, calls: material.task.reference.calls, answer }];
  },
};
