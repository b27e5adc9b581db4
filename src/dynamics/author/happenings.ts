/** The wording of what happens outside a task: data/happenings.yaml, read once a process. */
import { z } from 'zod';
import { readDataFile } from '../../kit/data-file.js';
import type { Rng } from '../../kit/rng.js';
import { capital } from '../../tasks/words/grammar.js';

const lines = z.array(z.string().min(1)).min(1);

const Happenings = z.strictObject({
  changed: z.strictObject({
    person: lines,
    moment: lines,
    past: lines,
    amount: lines,
    contact: lines,
    name: lines,
    other: lines,
  }),
  moved: lines,
  made: lines,
  reasons: lines,
  orders: z.strictObject({ subject: lines, body: lines }),
  told: z.strictObject({ inbox: lines, channel: lines }),
  noise: z.strictObject({ stranger: lines, other: lines, hearsay: lines, subject: lines }),
});
export type Happenings = z.infer<typeof Happenings>;

let read: Happenings | undefined;

export const happenings = (): Happenings => {
  read ??= Happenings.parse(readDataFile('happenings'));
  return read;
};

/** One of the lines with its slots filled, `{Now}` with a capital; a slot that nothing fills stays as it is. */
export const told = (from: readonly string[], slots: Readonly<Record<string, string>>, random: Rng): string =>
  capital(
    random.pick(from).replace(/\{(\w+)\}/g, (slot, name: string) => {
      const low = name.charAt(0).toLowerCase() + name.slice(1);
      const words = slots[low];
      return words === undefined ? slot : low === name ? words : capital(words);
    }),
  );
