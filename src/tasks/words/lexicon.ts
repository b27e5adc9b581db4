/** The wording of stored names: data/wording.yaml, read once a process. */
import { z } from 'zod';
import { readDataFile } from '../../kit/data-file.js';

const Wording = z.strictObject({
  spelled: z.record(z.string(), z.string()),
  nouns: z.record(z.string(), z.string()),
  plurals: z.record(z.string(), z.string()),
  past: z.record(z.string(), z.string()),
  columns: z.record(z.string(), z.string()),
  endings: z.array(z.strictObject({ ends: z.string(), says: z.string() })),
  happened: z.record(z.string(), z.string()),
  roles: z.record(z.string(), z.string()),
  phrases: z.array(z.strictObject({ for: z.string(), says: z.array(z.string()).min(1) })).min(1),
  /** `{do}`, `{one}` and `{two}` are imperatives, `{ask}` a question; `{Do}` and the like begin with a capital. */
  together: z.strictObject({
    then_ask: z.array(z.string()).min(1),
    ask_first: z.array(z.string()).min(1),
    then_do: z.array(z.string()).min(1),
    both: z.array(z.string()).min(1),
  }),
  /** Sentences around the steps of a long brief. */
  composed: z.strictObject({
    opening: z.array(z.string()).min(1),
    aside: z.array(z.string()).min(1),
    answer: z.array(z.string()).min(1),
    answers: z.array(z.string()).min(1),
  }),
  verbs: z.record(z.string(), z.array(z.string()).min(1)),
  /** By a tool's id, for what it makes. */
  makes: z.record(z.string(), z.array(z.string()).min(1)),
  /** What people write to each other: a subject and the text under it. */
  messages: z.array(z.strictObject({ subject: z.string(), text: z.string() })).min(1),
});
export type Wording = z.infer<typeof Wording>;

let read: Wording | undefined;

export const wording = (): Wording => {
  read ??= Wording.parse(readDataFile('wording'));
  return read;
};
