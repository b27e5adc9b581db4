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
  [...text.matchAll(/(?<=[\p{Ll}\p{N},;)’'"”] )\p{Lu}[\p{L}’'-]+/gu)]
    .map(([name]) => name)
    .filter((name) => !/^I['’]/.test(name));

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

/** Why the text may not stand for the original; undefined when it may. `isRequest`: it must still ask for the same. */
export const faultOf = (
  text: string,
  { original, must, secret, may = [] }: Bounds,
  isRequest = true,
): string | undefined => {
  if (text.trim() === '') return 'it is empty';
  if (text.length > original.length * 3 + LONGEST) return `it has ${text.length} characters for ${original.length}`;
  if (/<\/?\w+>|<\||^\s*[[{]|^\s*(?:user|assistant|system)\s*:/i.test(text)) return 'it holds markup or a role';
  const lost = must.find((words) => !says(text, words));
  if (lost !== undefined) return `it lost “${lost}”`;
  const allowed = [original, ...may, ...must].join('\n');
  const leaked = secret.find((words) => says(text, words) && !says(allowed, words));
  if (leaked !== undefined) return `it says “${leaked}”`;
  const known = new Set(allowed.match(FIGURE) ?? []);
  const figure = (text.match(FIGURE) ?? []).find((one) => !known.has(one));
  if (figure !== undefined) return `it has a figure of its own, ${figure}`;
  const made = [
    ...[...text.matchAll(QUOTED)].map(([, one, other]) => one ?? other ?? ''),
    ...(text.match(ADDRESS) ?? []),
    ...namesIn(text),
  ].find((one) => !allowed.toLowerCase().includes(one.toLowerCase().replace(/[.,;!?]+$/, '')));
  if (made !== undefined) return `it names ${made}, which nobody spoke of`;
  if (!isRequest) return undefined;
  const kept = keptShare(original, text, must);
  return kept < LEAST_KEPT ? `only ${Math.round(kept * 100)} % of the request's own words are left` : undefined;
};
