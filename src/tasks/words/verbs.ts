/** What is to be done with a thing: the verb of its trade, with to whom, why, until when. */
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import { article, joined, quoted } from './grammar.js';
import { wording } from './lexicon.js';
import { didOf, roleOf, sayColumn } from './names.js';

/** An argument as the request says it. */
export interface Said {
  /** Column or argument name. */
  name: string;
  words: string;
  /** Free text, which may need quotes. */
  isText: boolean;
  /** Noun of the thing it points to. */
  noun?: string;
  /** It points to somebody of the company. */
  isPerson?: boolean;
}

const SLOT = /\{(\w+)\}/g;
const slotsOf = (line: string): string[] =>
  [...line.matchAll(SLOT)].map(([, name]) => name as string).filter((name) => name !== 'it');

const PARTICLES = new Set(['off', 'in', 'out', 'up', 'down', 'on', 'back', 'over']);

/** Verbs that the word list does not know: `write_off`, `mark_lost`, `add_member`, `renew_certificate`. */
const plain = (verb: string): string => {
  const [first = verb, ...rest] = wordsOf(verb);
  const object = rest.join(' ');
  if (rest.length === 0) return `${first} {it}`;
  if (first === 'mark') return `mark {it} as ${object}`;
  if (first === 'add') return `add ${/[^s]s$/.test(object) ? object : article(object)} to {it}`;
  if (first === 'remove') return `remove ${article(object)} from {it}`;
  if (PARTICLES.has(rest[0] as string)) return `${first} ${object} {it}`;
  return `${first} the ${object} of {it}`;
};

/** Fields by whose value a thing is known: `with the vehicle kept by ...`, not `as plate`. */
const CODE = /(plate|number|SKU|code)$/;

const REASON = /^(reason|cause)$|_(reason|cause)$/;
const NOTE = /(^|_)(note|notes|comment|remark|message)$/;

/** `Table 13` needs no `table` before it, nor does `the vehicle with plate B-12`. */
export const startsWith = (words: string, noun: string): boolean =>
  words.startsWith('the ') || words.toLowerCase().replace(/^“/, '').startsWith(noun.toLowerCase());

/** An address of somebody outside is an address, not the person. */
export const fieldSaid = ({ name, words, noun }: Said): string =>
  !noun && /_email$/.test(name) && words.includes('@') && !/e-mail/.test(sayColumn(name))
    ? `${sayColumn(name)}'s e-mail address`
    : sayColumn(name);

const value = ({ words, name, isText }: Said): string => (isText ? quoted(words, name) : words);

/** Arguments that the verb's own phrase left over. */
const rest = (said: readonly Said[], head: string, random: Rng): string => {
  const withs: string[] = [];
  let reason = '';
  for (const one of said) {
    const field = sayColumn(one.name);
    if (REASON.test(one.name)) {
      const kind = /cause/.test(one.name) ? field : 'reason';
      reason = random.pick([
        ` giving “${one.words}” as the ${kind}`,
        `, with “${one.words}” as the ${kind}`,
        ` (${kind}: “${one.words}”)`,
      ]);
    } else if (one.isPerson && /_by$/.test(one.name)) withs.push(`${one.words} as the one who ${didOf(one.name)} it`);
    else if (one.isPerson) withs.push(`${one.words} as ${roleOf(one.name)}`);
    else if (NOTE.test(one.name)) withs.push(`the ${field} “${one.words}”`);
    else if (one.noun && one.words.startsWith('the ') && CODE.test(field)) withs.push(one.words);
    else if (one.noun)
      withs.push(
        field.includes(one.noun) || one.noun.includes(field) ? `${one.noun} ${one.words}` : `${one.words} as ${field}`,
      );
    else withs.push(`${fieldSaid(one)} ${value(one)}`);
  }
  // A second `with` would belong to the first.
  const link = / with /.test(head) ? ', with' : ' with';
  return `${withs.length > 0 ? `${link} ${joined(withs)}` : ''}${reason}`;
};

/** `write_off`, the invoice -> `write off the invoice ...`; with arguments: `renew the contract ... until 5 March 2025`. */
export const sayAction = (verb: string, subject: string, said: readonly Said[], random: Rng): string => {
  const there = new Map(said.map((one) => [one.name, one]));
  const lines = (wording().verbs[verb] ?? wording().makes[verb] ?? [plain(verb)]).filter((line) =>
    slotsOf(line).every((name) => there.has(name)),
  );
  const most = Math.max(0, ...lines.map((line) => slotsOf(line).length));
  const fitting = lines.filter((line) => slotsOf(line).length === most);
  const line = fitting.length > 0 ? random.pick(fitting) : plain(verb);
  const used = new Set(slotsOf(line));
  const noun = (one: Said): string =>
    one.noun && !one.isPerson && !startsWith(one.words, one.noun) ? `${one.noun} ${one.words}` : value(one);
  const head = line.replace(SLOT, (_, name: string) => (name === 'it' ? subject : noun(there.get(name) as Said)));
  return (
    head +
    rest(
      said.filter(({ name }) => !used.has(name)),
      head,
      random,
    )
  );
};
