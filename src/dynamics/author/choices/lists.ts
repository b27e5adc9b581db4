/** Lists among a call's arguments that go together: what is given back, and at the same place what it is exchanged for. */
import type { Call } from '../../../artifacts/task.js';
import { valueAt, withValueAt } from '../../../kit/json-path.js';
import type { Slot } from './slots.js';

/** The slots that are items of lists, place by place: all of a place stay or go together. Empty where the lists differ in length. */
export const placesIn = (slots: readonly Slot[]): Slot[][] => {
  const items = slots.filter(({ item }) => item !== undefined);
  const lists = new Map<string, number>();
  for (const { arg } of items) lists.set(arg, (lists.get(arg) ?? 0) + 1);
  const lengths = new Set(lists.values());
  const [length] = lengths;
  if (lengths.size !== 1 || length === undefined) return [];
  return Array.from({ length }, (_, place) => items.filter(({ item }) => item === place));
};

/** The call without this place of its lists. */
export const withoutPlace = (call: Call, place: readonly Slot[]): Call => {
  let { args } = call;
  for (const { arg, item } of place) {
    const list = valueAt(args, arg);
    if (Array.isArray(list))
      args = withValueAt(
        args,
        arg,
        list.filter((_, n) => n !== item),
      );
  }
  return { ...call, args };
};
