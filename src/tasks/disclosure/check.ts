/** Whether words of a model's own say the same as ours: no fact lost, none leaked, nothing made up. */
import type { Fact } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import { says } from './holds.js';

export interface Bounds {
  /** What it is a rewording of. */
  original: string;
  /** Words that must be in it. */
  must: readonly string[];
  /** Words that must not, unless the original has them. */
  secret: readonly string[];
  /** Further text whose figures and names it may use. */
  may?: readonly string[];
}

const at = (value: Json | undefined, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>(
      (inner, key) => (inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? inner[key] : undefined),
      value,
    );

const scalars = (value: Json | undefined): string[] =>
  Array.isArray(value)
    ? value.flatMap((item) => scalars(item))
    : typeof value === 'string' || typeof value === 'number'
      ? [String(value)]
      : [];

/** What no user says: keys of the task's rows, values that calls look up, answers. */
export const secretsOf = (task: Task): string[] => {
  const { bindings, reference, milestones } = task;
  const keys = bindings.map(({ key }) => String(key));
  const seen = reference.sources.flatMap(({ call, arg, from }) =>
    'observed' in from ? scalars(at(reference.calls[call]?.args, arg)) : [],
  );
  const answers = [task.answer, ...milestones.map(({ answer }) => answer)].flatMap((answer) =>
    answer ? scalars(answer.expected) : [],
  );
  const told = [
    ...(task.answer ? [reference.answer] : []),
    ...milestones.flatMap(({ answer, says: said }) => (answer && said ? [said] : [])),
  ];
  return [...new Set([...keys, ...seen].filter((key) => key.length > 3).concat(answers, told))].filter(Boolean);
};

/** The facts of a task with their words; hand-written ones are their own words. */
export const factWords = (facts: readonly (Fact | string)[]): string[] =>
  facts.map((fact) => (typeof fact === 'string' ? fact : fact.words));

const FIGURE = /\d+(?:[.,:/-]\d+)*/g;
const QUOTED = /“([^“”]+)”|"([^"\n]+)"/g;
const ADDRESS = /[^\s@<>()]+@[^\s@<>()]+\.\w+/g;

/** Names: capitalised words that do not begin a sentence. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<=(?:[\p{Ll}\p{N},;)]|(?<![.!?])[’'"”]) )\p{Lu}[\p{L}’'-]+/gu)]
    .map(([name]) => name.replace(/['’]s$/, ''))
    .filter((name) => !/^I['’]/.test(name));

/** Figures, quoted texts, addresses and names of a text: what it says that cannot be said otherwise. */
export const valuesIn = (text: string): string[] => [
  ...new Set([
    ...(text.match(FIGURE) ?? []),
    ...[...text.matchAll(QUOTED)].map(([, one, other]) => one ?? other ?? ''),
    ...(text.match(ADDRESS) ?? []),
    ...namesIn(text),
  ]),
];

const SMALL = new Set(
  'the and for with that this from into your you our are was were has have can could would please thanks thank need want what which who when where how its their them they one also then does tell know give just like make sure hello good morning some someone somebody help quickly away today task thing'.split(
    ' ',
  ),
);

const stems = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 2 && !SMALL.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s|e)$/, ''));

/** The share of the request's own words, facts apart, that are still there. */
const keptShare = (original: string, text: string, must: readonly string[]): number => {
  let bare = original.toLowerCase();
  for (const words of must) bare = bare.replaceAll(words.toLowerCase(), ' ');
  const wanted = [...new Set(stems(bare))];
  const there = new Set(stems(text));
  return wanted.length === 0 ? 1 : wanted.filter((word) => there.has(word)).length / wanted.length;
};

/** Under this share of its words a request asks for something else. */
const LEAST_KEPT = 0.4;
const LONGEST = 600;

/** What is wrong with a text, in the kinds that tell apart whose slip it is. */
export interface Fault {
  kind: 'empty' | 'long' | 'markup' | 'lost' | 'leaked' | 'made_up' | 'otherwise';
  /** The words in question. */
  words: string;
  why: string;
}

/** Everything for which the text may not stand for the original, the gravest first. `isRequest`: it must still ask for the same. */
export const faultsOf = function* (
  text: string,
  { original, must, secret, may = [] }: Bounds,
  isRequest = true,
): Generator<Fault, void> {
  if (text.trim() === '') {
    yield { kind: 'empty', words: '', why: 'it is empty' };
    return;
  }
  if (text.length > original.length * 3 + LONGEST) {
    // No more is read of it: what is that long is not looked through word by word.
    yield { kind: 'long', words: '', why: `it has ${text.length} characters for ${original.length}` };
    return;
  }
  const markup = /<\/?\w+>|<\||^\s*[[{]|^\s*(?:user|assistant|system)\s*:/i.exec(text)?.[0];
  if (markup !== undefined) yield { kind: 'markup', words: markup, why: 'it holds markup or a role' };
  for (const words of must) if (!says(text, words)) yield { kind: 'lost', words, why: `it lost “${words}”` };
  const allowed = [original, ...may, ...must].join('\n');
  for (const words of secret)
    if (says(text, words) && !says(allowed, words)) yield { kind: 'leaked', words, why: `it says “${words}”` };
  const known = new Set(allowed.match(FIGURE) ?? []);
  for (const figure of text.match(FIGURE) ?? [])
    if (!known.has(figure)) yield { kind: 'made_up', words: figure, why: `it has a figure of its own, ${figure}` };
  const spoken = allowed.toLowerCase();
  for (const name of [
    ...[...text.matchAll(QUOTED)].map(([, one, other]) => one ?? other ?? ''),
    ...(text.match(ADDRESS) ?? []),
    ...namesIn(text),
  ])
    if (!spoken.includes(name.toLowerCase().replace(/[.,;!?]+$/, '')))
      yield { kind: 'made_up', words: name, why: `it names ${name}, which nobody spoke of` };
  if (!isRequest) return;
  const kept = keptShare(original, text, must);
  if (kept < LEAST_KEPT) {
    const why = `only ${Math.round(kept * 100)} % of the request's own words are left`;
    yield { kind: 'otherwise', words: '', why };
  }
};

/** Why the text may not stand for the original; undefined when it may. */
export const faultOf = (text: string, bounds: Bounds, isRequest = true): string | undefined => {
  for (const { why } of faultsOf(text, bounds, isRequest)) return why;
  return undefined;
};
