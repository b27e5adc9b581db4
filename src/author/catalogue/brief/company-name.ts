/** The company's name: the one the text gives, or an invented one. */
import type { Rng } from '../../../kit/rng.js';
import { names, places } from './data.js';
import { type BriefText, fold } from './text.js';

const WORD = "[A-Z][\\p{L}\\p{N}&'’-]*";
const NAME = `(${WORD}(?: (?:${WORD}|&|and|of|de|und))*)`;
const SINGLE = `(${WORD}(?: ${WORD}){0,3})`;
const PATTERNS = [
  new RegExp(
    `(?:\\bcalled|\\bnamed|company name is|business name is|\\bour name is|heißt|s'appelle|se llama|chama-se|si chiama|heet|nazywa się)[: ]+[“"«]?${NAME}`,
    'u',
  ),
  new RegExp(`[“"«]${NAME}[”"»]`, 'u'),
  new RegExp(`(?:^|[.\\n] *)${SINGLE},? (?:is|are) (?:a|an|the|our|my)\\b`, 'u'),
  new RegExp(`(?:^|[.\\n] *)${SINGLE}, (?:we|a|an) \\p{Ll}`, 'u'),
  new RegExp(`\\b(?:[Ww]e are|I run|I own|we run|[Ww]ir sind|nous sommes|Nous sommes|[Ss]omos) ${SINGLE}[,.]`, 'u'),
];

const COMMON = new Set(
  'i we our my the a an this that it they he she you ok so hi hello dear client clients company consulting team note please also everything no nobody nothing all every each refunds worn online shop says about custody auditor cold orders guests prices rights budgets people savings seed bank tattoo climbing telephone municipality camel horse used stock security turkey data drinking boutique drone there here in on at engagement summary draft needs customers monthly daily weekly members'.split(
    ' ',
  ),
);

const isName = (text: string): boolean => {
  const words = fold(text).split(/[\s-]+/);
  if (words.every((word) => COMMON.has(word)) || COMMON.has(words[0] ?? '')) return false;
  const known = Object.values(places().countries).flatMap((place) => [
    ...place.cities,
    ...(place.people ?? []),
    ...(place.names ?? []),
  ]);
  return text.length >= 3 && text.length <= 60 && !known.some((place) => fold(place) === fold(text));
};

/** The name that the text gives its company, or undefined. */
export const nameInText = (brief: BriefText): string | undefined => {
  for (const pattern of PATTERNS) {
    const [, name] = pattern.exec(brief.raw) ?? [];
    const clean = name?.replace(/[\s,&]+$/, '');
    if (clean && isName(clean)) return clean;
  }
  return undefined;
};

/** An invented name of one of four shapes; `noun` is what the trade calls itself. */
export const inventName = (rng: Rng, noun: string, city: string): string => {
  const { heads, tails, streets } = names();
  const coined = `${rng.pick(heads)}${rng.pick(tails)}`;
  switch (rng.int(0, 4)) {
    case 0:
      return `${city} ${noun}`;
    case 1:
      return `${rng.pick(streets)} ${noun}`;
    case 2:
      return coined;
    default:
      return `${coined} ${noun}`;
  }
};
