/** Finds what a document's words mean: longest known words first, then marks, prefixes, run-together words and noun forms. */
import { plural, singular, snake, wordsOf } from '../../kit/words.js';
import { kindOf } from './kind.js';
import { type Lexicon, lexicon } from './load.js';
import { participleOf } from './participle.js';
import { folder } from './spelling.js';
import type { CrudOp, Meaning, VerbMatch, WordContext } from './types.js';

interface Asked {
  lex: Lexicon;
  noun: string;
  kind: string;
  many: boolean;
  ctx: WordContext;
}
type Found = Meaning | undefined;

const MANY = ['batch', 'bulk', 'mass', 'multi'];
const MIN_RUN_TOGETHER = 5;

const action = (asked: Asked, verb: string, word: string, more: Partial<VerbMatch> = {}): Meaning => {
  const sense = asked.lex.entry(verb).senses?.findIndex((one) => one.on.includes(asked.kind)) ?? -1;
  const match: VerbMatch = { verb, word, kind: asked.kind, ...more };
  if (sense >= 0) match.sense = sense;
  if (asked.many) match.many = true;
  return { is: 'action', match };
};

const fitsNoun = (noun: string, nouns: readonly string[]): boolean =>
  nouns.includes(noun) || nouns.includes(noun.split('_').at(-1) as string);

/** `means` of an ambiguous line, or the entry a trade's own word is like. */
const meaningIn = (asked: Asked, means: string, word: string, more: Partial<VerbMatch> = {}): Meaning => {
  if (means === 'no_effect') return { is: 'none', word };
  if (['create', 'get', 'list', 'update', 'delete', 'search'].includes(means))
    return { is: 'crud', op: means as CrudOp, word };
  return action(asked, means, word, more);
};

const special = (asked: Asked, word: string, rest: readonly string[]): Found => {
  const { lex, noun, ctx } = asked;
  const trade = lex.domain_only.find((line) => line.verb === word && fitsNoun(noun, line.on));
  if (trade) {
    const lead = { ...(trade.status ? { status: trade.status } : {}), ...(trade.stamp ? { stamp: trade.stamp } : {}) };
    return meaningIn(asked, trade.like, word, lead);
  }
  const objects = [noun, rest.join('_'), rest[0] ?? '', singular(rest.at(-1) ?? '')].filter(Boolean);
  const line = lex.ambiguous.find(
    (one) =>
      one.word === word &&
      (one.method === undefined || one.method === ctx.method) &&
      (one.nouns === undefined || objects.some((object) => fitsNoun(object, one.nouns as string[]))),
  );
  return line && meaningIn(asked, line.means, word);
};

const known = (asked: Asked, word: string): Found => {
  const plain = asked.lex.plain.get(word);
  if (plain !== undefined) return plain === 'none' ? { is: 'none', word } : { is: 'crud', op: plain, word };
  const verb = asked.lex.words.get(word);
  return verb === undefined ? undefined : action(asked, verb, word);
};

let marks: Map<string, string> | undefined;
/** Participle or flag -> the word it comes from: `paid` -> `pay`. */
const markIndex = (lex: Lexicon): Map<string, string> => {
  if (marks === undefined) {
    marks = new Map();
    for (const word of lex.words.keys()) {
      const participle = participleOf(word);
      if (!marks.has(participle) && !lex.words.has(participle)) marks.set(participle, word);
    }
  }
  return marks;
};

const marked = (asked: Asked, words: readonly string[]): Found => {
  const { lex } = asked;
  const led = lex.mark_words.includes(words[0] as string) && words.length > 1;
  const state = (led ? words.slice(1) : words).join('_');
  if (led && lex.words.has(`mark_${state}`)) return action(asked, lex.words.get(`mark_${state}`) as string, state);
  const word = markIndex(lex).get(state);
  return word === undefined ? undefined : action(asked, lex.words.get(word) as string, word);
};

/** re- + a word is the word again; un- + a word is its reverse. */
const prefixed = (asked: Asked, word: string): Found => {
  const again = /^re_?(.{3,})$/.exec(word)?.[1];
  const back = /^un_?(.{3,})$/.exec(word)?.[1];
  const again2 = again && asked.lex.words.get(again);
  if (again2) return action(asked, again2, again as string);
  const back2 = back && asked.lex.words.get(back);
  return back2 ? action(asked, back2, word, { reversed: true }) : undefined;
};

const runTogether = (asked: Asked, word: string): Found => {
  if (word.includes('_')) return undefined;
  const nouns = asked.ctx.nouns ?? [];
  for (let at = word.length - 2; at >= MIN_RUN_TOGETHER; at--) {
    const head = word.slice(0, at);
    const rest = word.slice(at);
    if (!asked.lex.words.has(head)) continue;
    if ([rest, singular(rest)].some((noun) => noun === asked.noun || nouns.includes(noun))) return known(asked, head);
  }
  return undefined;
};

const whole = (asked: Asked, words: readonly string[], rest: readonly string[]): Found => {
  const word = words.join('_');
  return (
    special(asked, word, rest) ??
    known(asked, word) ??
    marked(asked, words) ??
    prefixed(asked, word) ??
    runTogether(asked, word)
  );
};

/** The words without the resource's own noun where it leads or ends them. */
const withoutNoun = (words: readonly string[], noun: string): string[] => {
  for (const form of [plural(noun), noun, plural(noun.split('_').at(-1) as string), noun.split('_').at(-1) as string]) {
    const parts = form.split('_');
    const n = parts.length;
    if (words.length <= n) continue;
    for (let at = 0; at + n <= words.length; at++)
      if (parts.every((part, i) => words[at + i] === part)) return [...words.slice(0, at), ...words.slice(at + n)];
  }
  return [...words];
};

const longestFirst = (asked: Asked, words: readonly string[]): Found => {
  for (let n = words.length; n > 0; n--) {
    const found = whole(asked, words.slice(0, n), words.slice(n));
    if (found) return found;
  }
  return undefined;
};

/**
 * What `words` (`cancelOrder`, `mark_as_paid`, `void`) mean for the resource `noun` (singular); undefined when the lexicon does
 * not know them. A noun form (`cancellation`) counts as its verb only where `ctx.nouns` does not hold it as a resource.
 */
export const meaningOf = (words: string, noun: string, ctx: WordContext = {}): Meaning | undefined => {
  const lex = lexicon();
  const resource = singular(snake(noun));
  const fold = folder(lex.spelling);
  const raw = fold(wordsOf(words));
  if (raw.length === 0) return undefined;
  const asked: Asked = {
    lex,
    noun: resource,
    kind: kindOf(resource, ctx.table?.cols),
    many: raw.some((word) => MANY.includes(word)),
    ctx,
  };
  const direct = whole(asked, raw, []);
  if (direct) return direct;
  const bare = raw.filter(
    (word, i) => !lex.particles.includes(word) && !(lex.strip.includes(word) && (i === 0 || MANY.includes(word))),
  );
  const core = withoutNoun(bare.length > 0 ? bare : raw, resource);
  const found = longestFirst(asked, core);
  if (found) return found;
  const last = core.at(-1) as string;
  const form = lex.noun_forms[core.join('_')] ?? lex.noun_forms[last];
  if (form !== undefined && !ctx.nouns?.includes(last)) return action(asked, form, form);
  return core.length > 1 ? known(asked, last) : undefined;
};

/** The action `words` mean for the resource `noun`; undefined for unknown, create-read-update-delete and no-effect words. */
export const matchVerb = (words: string, noun: string, ctx: WordContext = {}): VerbMatch | undefined => {
  const meaning = meaningOf(words, noun, ctx);
  return meaning?.is === 'action' ? meaning.match : undefined;
};
