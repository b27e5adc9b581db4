/** What people say when something has changed: data/events.yaml, read once a process. */
import { z } from 'zod';
import { readDataFile } from '../../kit/data-file.js';
import type { Rng } from '../../kit/rng.js';

const Words = z.strictObject({
  corrections: z.strictObject({ any: z.array(z.string()).min(1), among: z.array(z.string()).min(1) }),
});

let read: z.infer<typeof Words> | undefined;

const words = (): z.infer<typeof Words> => {
  read ??= Words.parse(readDataFile('events'));
  return read;
};

const small = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A request inside quotation marks: its own ones become single. */
const quotable = (request: string): string =>
  request
    .trim()
    .replace(/[.?!]+$/, '')
    .replaceAll('“', '‘')
    .replaceAll('”', '’');

/** The sentence `now` as a correction; `of`: the request it belongs to, where that is not plain. */
export const correction = (now: string, of: string | undefined, random: Rng): string => {
  const { any, among } = words().corrections;
  const form = random.pick(of === undefined ? any : among);
  return form
    .replace('{of}', () => quotable(of ?? ''))
    .replace('{now}', () => small(now))
    .replace('{Now}', () => now);
};
