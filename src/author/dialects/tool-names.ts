/** What a dialect calls the tools of a service. */
import { RESERVED_TOOL_NAMES } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { camel, pascal, plural, singular, snake, withArticle } from '../../kit/words.js';
import type { NamingFacet } from './schema.js';
import { consonants } from './spell.js';
import { nounFor, type Wording } from './wording.js';

const GENERIC = ['list', 'search', 'get', 'create', 'update', 'delete'] as const;
type Generic = (typeof GENERIC)[number];
/** One word for each generic verb, kept for all tools of a service. */
export type VerbWords = Record<Generic, string>;

/** Draws one synonym for each generic verb, none that is a verb of the service itself; list and search never share a word. */
export const drawVerbs = (words: NamingFacet['words'], tools: Record<string, Tool>, rng: Rng): VerbWords => {
  const own = new Set(Object.values(tools).map((tool) => tool.id.split('.')[1] as string));
  for (const op of GENERIC) own.delete(op);
  const pick = (op: Generic): string => {
    const free = words[op].filter((word) => !own.has(snake(word)));
    return free.length > 0 ? rng.pick(free) : op;
  };
  const drawn = Object.fromEntries(GENERIC.map((op) => [op, pick(op)])) as VerbWords;
  return drawn.list === drawn.search ? { ...drawn, search: 'search' } : drawn;
};

const isGeneric = (word: string): word is Generic => (GENERIC as readonly string[]).includes(word);

interface Parts {
  verb: string;
  noun: string;
  many: boolean;
  op: Tool['op'];
}

const partsOf = (tool: Tool, tools: NamingFacet['tools'], verbs: VerbWords, wording: Wording): Parts => {
  const [resource = '', word = ''] = tool.id.split('.');
  const isMany = tool.op === 'list' || tool.op === 'search';
  const one = singular(nounFor(wording, resource));
  const many = tools.plural === 'always' || (tools.plural === 'many' && isMany);
  const base = tools.suffix ? `${one}_${tools.suffix}` : one;
  const verb = wording.verbs[tool.id] ?? (isGeneric(word) ? verbs[word] : word);
  return { verb, noun: many ? plural(base) : base, many, op: tool.op };
};

const MAX = 64;
const cut = (name: string): string => name.slice(0, MAX).replace(/_+$/, '');

/** Two capitals a word for a verb, more where two are taken; a generic verb's code stands in the dialect. */
const verbCode = (verb: string, size: number): string =>
  /^[A-Z]{2}$/.test(verb)
    ? verb
    : snake(verb)
        .split('_')
        .map((word) => consonants(word, size))
        .join('');

const spelled = (parts: Parts, tools: NamingFacet['tools'], nounCode: string, size = 2): string => {
  const { verb, noun } = parts;
  if (tools.bare && (parts.op === 'list' || parts.op === 'get') && /^(list|get)$/.test(verb)) return camel(noun);
  const article = tools.article && !parts.many ? withArticle(noun).split(' ')[0] : undefined;
  const nounFirst = tools.order === 'noun_verb';
  const words = nounFirst ? [noun, verb] : article ? [verb, article, noun] : [verb, noun];
  switch (tools.case) {
    case 'snake':
      return snake(words.join(' '));
    case 'camel':
      return camel(words.join(' '));
    case 'pascal':
      return pascal(words.join(' '));
    case 'title':
      return words.map(pascal).join('_');
    case 'double':
      return words.map(snake).join('__');
    case 'code':
      return nounCode + verbCode(verb, size);
  }
};

/** Three capitals for each resource, unique in the service. */
const nounCodes = (resources: readonly string[]): Map<string, string> => {
  const codes = new Map<string, string>();
  const used = new Set<string>();
  for (const resource of [...new Set(resources)].sort()) {
    const words = singular(resource).split('_');
    const base =
      words.length > 1
        ? words
            .map((word) => consonants(word, 2))
            .join('')
            .slice(0, 4)
        : consonants(words[0] as string, 3);
    let code = base;
    for (let n = 2; used.has(code); n++) code = `${base}${n}`;
    used.add(code);
    codes.set(resource, code);
  }
  return codes;
};

/** Dressed name of every tool, by the canonical name; unique without regard to case, never a reserved name. */
export const toolNames = (
  tools: Record<string, Tool>,
  facet: NamingFacet,
  verbs: VerbWords,
  wording: Wording,
): Map<string, string> => {
  const nounOf = (tool: Tool): string => nounFor(wording, tool.id.split('.')[0] as string);
  const codes = nounCodes(Object.values(tools).map(nounOf));
  const used = new Set<string>(RESERVED_TOOL_NAMES);
  const names = new Map<string, string>();
  for (const [canonical, tool] of Object.entries(tools)) {
    const parts = partsOf(tool, facet.tools, verbs, wording);
    const code = codes.get(nounOf(tool)) as string;
    const wanted = [
      spelled(parts, facet.tools, code),
      spelled(parts, { ...facet.tools, bare: false }, code),
      spelled(parts, { ...facet.tools, bare: false }, code, 3),
      spelled(parts, { ...facet.tools, bare: false }, code, 4),
      spelled({ ...parts, verb: tool.id.split('.')[1] as string }, { ...facet.tools, bare: false }, code),
    ].map(cut);
    let name = wanted.find((one) => !used.has(one.toLowerCase()));
    for (let n = 2; name === undefined; n++) {
      const next = `${(wanted[0] as string).slice(0, MAX - 3)}_${n}`;
      if (!used.has(next.toLowerCase())) name = next;
    }
    used.add(name.toLowerCase());
    names.set(canonical, name);
  }
  return names;
};
