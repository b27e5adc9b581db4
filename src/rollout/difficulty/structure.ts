/** What a task takes by its make: calls, look-ups, services, and rows that a careless agent would take for the right one. */
import type { Binding, Task } from '../../artifacts/task.js';
import { type Descriptor, fitting } from '../../tasks/ground/descriptors.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';

export interface Structure {
  /** Calls of the reference. */
  calls: number;
  /** Of them, those of tools that write nothing. */
  lookups: number;
  /** Services that the reference calls. */
  services: number;
  /** Rows that miss the brief's description of a bound row by one descriptor, or by a few letters of its only one. */
  distractors: number;
  /** Wrong values that its answer is told apart from. */
  wrongAnswers: number;
}

const LEAST_SHARED = 0.5;
const MOST_LETTERS = 2;
const LEAST_LENGTH = 5;

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Whether two texts differ by at most `MOST_LETTERS` letters put in, left out or exchanged. */
const isSpeltAlike = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > MOST_LETTERS || Math.min(a.length, b.length) < LEAST_LENGTH) return false;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchanged = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, exchanged));
    }
    row = next;
  }
  return (row[b.length] as number) <= MOST_LETTERS;
};

/** Whether a text would pass for another: half of all their words in common, or spelt alike. */
export const isNearly = (a: string, b: string): boolean => {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return (all > 0 && shared / all >= LEAST_SHARED) || isSpeltAlike(a.toLowerCase(), b.toLowerCase());
};

const missesOne = (
  descriptors: readonly Descriptor[],
  fits: (one: Descriptor, row: Row) => boolean,
  row: Row,
): boolean => {
  const missed = descriptors.filter((one) => !fits(one, row));
  const [only] = missed;
  if (missed.length !== 1 || !only) return false;
  if (descriptors.length > 1) return true;
  const value = row[only.col];
  return typeof value === 'string' && typeof only.value === 'string' && isNearly(value, only.value);
};

/** Rows of the binding's table, other than its own, that nearly fit. `world`: as the task finds it, its own rows included. */
export const distractorsOf = (world: LoadedWorld, { service: id, table, key, descriptors }: Binding): number => {
  const service = world.services.get(id);
  const spec = service?.spec.tables[table];
  if (!service || !spec || descriptors.length === 0) return 0;
  service.connection.bind(service.pristine);
  const rows = service.connection.prepare(`SELECT * FROM "${table}"`).all();
  const fits = (one: Descriptor, row: Row): boolean => fitting(service, table, [one], [row]).length === 1;
  return rows.filter((row) => row[spec.key.col] !== key && missesOne(descriptors, fits, row)).length;
};

/** Read off the task and the rows it starts on; nothing runs. */
export const structureOf = (world: LoadedWorld, { reference: { calls }, bindings, answer }: Task): Structure => ({
  calls: calls.length,
  lookups: calls.filter(({ tool }) => world.tools.get(tool)?.tool.tool.writes.length === 0).length,
  services: new Set(calls.map(({ service }) => service)).size,
  distractors: bindings.reduce((sum, binding) => sum + distractorsOf(world, binding), 0),
  wrongAnswers: answer?.distractors.length ?? 0,
});
