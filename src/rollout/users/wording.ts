/** The simulated user's phrases: data/users.yaml, read once a process. */
import { z } from 'zod';
import type { Persona } from '../../artifacts/disclosure.js';
import { readDataFile } from '../../kit/data-file.js';
import type { Rng } from '../../kit/rng.js';

const lines = z.array(z.string()).min(1);
const byRegister = z.strictObject({ casual: lines, neutral: lines, formal: lines });
const Wording = z.strictObject({
  tells: byRegister,
  wordy: lines,
  does_not_know: byRegister,
  confirms: byRegister,
  tells_rest: byRegister,
  insists: byRegister,
  next: byRegister,
});
type Wording = z.infer<typeof Wording>;

let read: Wording | undefined;
const wording = (): Wording => {
  read ??= Wording.parse(readDataFile('users'));
  return read;
};

/** A phrase of its kind in the persona's register. Whoever is pressed or terse leaves out what only leads in. */
export const phrase = (kind: Exclude<keyof Wording, 'wordy'>, persona: Persona, random: Rng): string => {
  const all = wording()[kind][persona.register];
  const isShort = persona.verbosity === 'terse' && kind === 'tells';
  return isShort && all.includes('') ? '' : random.pick(all);
};

/** What somebody who talks a lot adds. */
export const afterwards = ({ verbosity }: Persona, random: Rng): string =>
  verbosity === 'wordy' && random.chance(0.5) ? random.pick(wording().wordy) : '';

/** Sentences one behind the other; empty ones leave no gap. */
export const joinedUp = (...sentences: string[]): string => sentences.filter((one) => one !== '').join(' ');
