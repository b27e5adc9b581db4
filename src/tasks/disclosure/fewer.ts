/** A request in fewer words: descriptors left out of its things, values left out of what is to be done. */
import type { Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { sayNew } from '../words/fresh.js';
import { nounOf } from '../words/names.js';
import type { Plain } from '../words/together.js';
import { type Said, sayAction } from '../words/verbs.js';
import { type Subject, sayFewer, subjectOf } from './subject.js';
import { argumentsSaid } from './values-said.js';

/** How much of a request is said: so many of its facts, in the order in which they are said. */
export type Share = 'none' | 'half';

/** Rows that a request tells by what is around them: not those that a value of it refers to. */
const subjectsOf = (ground: Ground, { bindings }: Candidate): Subject[] =>
  bindings.filter(({ name }) => !/^ref\d/.test(name)).flatMap((binding) => subjectOf(ground, binding) ?? []);

interface Budget {
  left: number;
}

/** The first so many of them, paid from the budget. */
const take = <T>(items: readonly T[], budget: Budget): T[] => {
  const taken = items.slice(0, budget.left);
  budget.left -= taken.length;
  return taken;
};

interface Shortened {
  text: string;
  /** The phrase that now stands for the thing. */
  phrase: string | undefined;
}

const shorten = (text: string, subjects: readonly Subject[], budget: Budget): Shortened => {
  let [out, phrase] = [text, undefined as string | undefined];
  for (const subject of subjects) {
    const found = subject.phrases.find((one) => out.includes(one));
    if (found === undefined) continue;
    const kept = take(subject.descriptors, budget);
    const fewer = kept.length === subject.descriptors.length ? found : sayFewer(subject, kept);
    // A thing that is said twice would say what was left out.
    out = out.replaceAll(found, fewer);
    phrase ??= fewer;
  }
  return { text: out, phrase };
};

const toolOf = (ground: Ground, { plan }: Candidate): { tool: Tool; noun: string } | undefined => {
  const last = plan.calls.at(-1);
  const found = last ? ground.world.tools.get(last.tool) : undefined;
  const table = found?.service.spec.tables[found.tool.tool.table];
  return found && table ? { tool: found.tool.tool, noun: nounOf(table) } : undefined;
};

/** What follows the thing in a request for a change: ` from a to c`, ` to 5, and the grade to g3`. */
const withoutValues = (text: string, phrase: string): string | undefined => {
  const at = text.indexOf(phrase);
  if (at < 0) return undefined;
  const rest = text.slice(at + phrase.length);
  const second = /, and (the .+?) to /.exec(rest)?.[1];
  const head = text.slice(0, at + phrase.length);
  if (!/^( from .+)? to /.test(rest)) return undefined;
  const verb = head.replace(/^(set|update) /, 'change ');
  return second ? verb.replace(' of ', ` and ${second} of `) : verb;
};

const newThing = (does: string, noun: string, said: readonly Said[], random: Rng): { does: string; tail: string } => {
  const at = does.indexOf(noun);
  const opening = at < 0 ? does : does.slice(0, at + noun.length);
  return said.length > 0 ? sayNew(opening, said, random) : { does: opening, tail: '' };
};

export interface Fewer {
  plain: Plain;
  /** Values were left out that the sentence does not show to be missing. */
  hidesValues: boolean;
}

/** Families whose request is its plain form in somebody's manner; that of others is a text of its own. */
const PLAIN = new Set(['action', 'update', 'create', 'lookup', 'related', 'chained', 'message']);
/** Families whose further sentences are background, not part of what is asked for. */
const BACKGROUND = new Set(['action', 'update']);

const budgetOf = (share: Share, facts: number): Budget => ({
  left: share === 'none' ? 0 : Math.max(1, Math.floor(facts / 2)),
});

/** Whether the request is its plain form in somebody's manner; else it is a text of its own (`shorterText`). */
export const isPlain = ({ family }: Candidate): boolean => PLAIN.has(family);

/** A request that is a text of its own, with descriptors left out of its things; undefined where it names none. */
export const shorterText = (ground: Ground, candidate: Candidate, share: Share): string | undefined => {
  const subjects = subjectsOf(ground, candidate);
  const described = subjects.reduce((sum, { descriptors }) => sum + descriptors.length, 0);
  const { text, phrase } = shorten(candidate.request, subjects, budgetOf(share, described));
  return phrase === undefined || text === candidate.request ? undefined : text;
};

/** The request of one part in fewer words; undefined where no fewer words say the same thing. */
export const sayLess = (ground: Ground, part: Candidate, share: Share, random: Rng): Fewer | undefined => {
  const { plain, family } = part;
  const subjects = subjectsOf(ground, part);
  const said = argumentsSaid(ground, part);
  const described = subjects.reduce((sum, { descriptors }) => sum + descriptors.length, 0);
  const facts = described + said.length;
  const budget = budgetOf(share, facts);
  if ('asks' in plain) {
    const { text, phrase } = shorten(plain.asks, subjects, budget);
    return phrase === undefined || text === plain.asks ? undefined : { plain: { asks: text }, hidesValues: false };
  }
  const tail = share === 'none' && BACKGROUND.has(family) ? '' : plain.tail;
  const made = toolOf(ground, part);
  if (family === 'create' && made) {
    const kept = take(said, budget);
    if (kept.length === said.length) return undefined;
    return { plain: newThing(plain.does, made.noun, kept, random), hidesValues: true };
  }
  const { text, phrase } = shorten(plain.does, subjects, budget);
  if (phrase === undefined) return undefined;
  const kept = take(said, budget);
  if (kept.length === said.length)
    return text === plain.does ? undefined : { plain: { does: text, tail }, hidesValues: false };
  if (family === 'action' && made) {
    const verb = made.tool.id.split('.')[1] ?? made.tool.id;
    return { plain: { does: sayAction(verb, phrase, kept, random), tail }, hidesValues: true };
  }
  const bare = family === 'update' ? withoutValues(text, phrase) : undefined;
  if (bare !== undefined) return { plain: { does: bare, tail }, hidesValues: false };
  return text === plain.does ? undefined : { plain: { does: text, tail }, hidesValues: false };
};
