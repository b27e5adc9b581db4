// How well briefs are read: archetypes, countries, sectors and refusals, against a file of briefs with what a judge expects.
// `npm run bench -- briefs [--file FILE] [--seed S] [--verbose]`; without a file it says loudly that it skipped. As shares:
// `must_have` met, `must_not` violated, `country` right, `honoured` requirements (held in rows, rules, tools or tables, or said
// not to be; silence is the fault). An archetype that names another one as `improves` counts for it, and is printed.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { archetype, archetypeIds } from '../src/author/catalogue/archetype.js';
import { authorFromBrief } from '../src/author/catalogue/author.js';
import { contentWords } from '../src/author/catalogue/brief/clauses.js';
import { guessLanguage } from '../src/author/catalogue/brief/language.js';
import { readText } from '../src/author/catalogue/brief/text.js';
import { widen } from '../src/author/catalogue/brief/widen.js';
import type { WorldDraft } from '../src/author/draft.js';

interface Expected {
  id: string;
  text: string;
  expect: {
    country: string | null;
    sectors: string[] | null;
    must_have?: string[];
    one_of?: string[][];
    must_not?: string[];
    requirements?: string[];
  };
}

/** Sectors that count as one. */
const ONE: Record<string, string> = { '32': '31', '33': '31', '45': '44', '49': '48' };
const sectorOf = (naics: string): string => ONE[naics.slice(0, 2)] ?? naics.slice(0, 2);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : Number((part / whole).toFixed(3)));

const NUMERALS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const STEM = 5;
/** `technicians` and `technician's` alike; three is 3, 2,300 is 2300. */
const stem = (word: string): string => {
  const numeral = NUMERALS.indexOf(word);
  return numeral >= 0 ? String(numeral + 1) : word.slice(0, STEM);
};
const plain = (text: string): string => text.replace(/(\d)[, ](?=\d{3}\b)/g, '$1').replace(/\b(\d+)k\b/g, '$1000');

/** Word stems of a text, with what they mean in English. */
const meaning = (text: string, language: string): Set<string> => {
  const { tokens } = widen(readText(plain(text)), language);
  const words = tokens.flatMap(({ word, one, alts = [] }) => [word, one, ...alts]);
  return new Set([...contentWords(plain(text)), ...words].map(stem));
};

const ENOUGH = 0.33;

/** Requirements that no line of the evidence, no rule and no tool or table of the world speaks of. */
const silences = (requirements: readonly string[], world: WorldDraft, language: string): string[] => {
  const said = world.brief.evidence
    .filter(({ choice }) => !choice.startsWith('dialect'))
    .map(({ choice, because }) => meaning(`${choice} ${because}`, language));
  const held = [
    ...world.policies.map(({ text }) => text),
    ...world.services.flatMap(({ spec }) => [
      ...Object.values(spec.tools).map(({ description }) => description),
      ...Object.values(spec.tables).map(
        ({ noun, cols }) => `${noun} ${Object.keys(cols).join(' ').replaceAll('_', ' ')}`,
      ),
    ]),
  ].map((text) => meaning(text, 'en'));
  return requirements.filter((requirement) => {
    const words = [...new Set(contentWords(plain(requirement)).map(stem))];
    const figures = words.filter((word) => /^\d+$/.test(word));
    if (figures.length > 0 && said.some((line) => figures.every((figure) => line.has(figure)))) return false;
    const enough = (line: Set<string>): boolean =>
      words.filter((word) => line.has(word)).length >= Math.max(1, ENOUGH * words.length);
    return ![...said, ...held].some(enough);
  });
};

/** Archetypes of the first catalogue that a world's services stand for, and for which of them a closer one does. */
const standsFor = (trade: readonly string[]): { has: Set<string>; closer: string[] } => {
  const closer = trade.flatMap((id) => {
    const improved = archetype(id).improves;
    return improved && !trade.includes(improved) ? [`${id} for ${improved}`] : [];
  });
  return { has: new Set([...trade, ...trade.flatMap((id) => archetype(id).improves ?? [])]), closer };
};

const judge = ({ text, expect }: Expected, seed: string, known: ReadonlySet<string>) => {
  const world = authorFromBrief(text, { seed });
  const trade = world.services.filter(({ role }) => role === 'domain').map(({ spec }) => spec.id);
  const { has, closer } = standsFor(trade);
  const where = world.brief.evidence.find(({ choice }) => choice.startsWith('country '));
  const must = expect.must_have ?? [];
  return {
    trade,
    company: world.company,
    because: where?.because,
    must,
    lacks: must.filter((id) => !has.has(id)),
    lacksKnown: must.filter((id) => known.has(id) && !has.has(id)),
    mustKnown: must.filter((id) => known.has(id)),
    groups: expect.one_of ?? [],
    noneOf: (expect.one_of ?? []).filter((list) => !list.some((id) => has.has(id))),
    absurd: (expect.must_not ?? []).filter((id) => trade.includes(id)),
    mustNot: expect.must_not ?? [],
    closer,
    requirements: expect.requirements ?? [],
    silent: silences(expect.requirements ?? [], world, guessLanguage(readText(text)).code),
    countryRight: expect.country === null ? where?.kind === 'default' : world.company.country === expect.country,
    sectorRight: expect.sectors
      ? expect.sectors.map(sectorOf).includes(sectorOf(world.company.industry.naics))
      : undefined,
    invariants: world.invariants.length,
    ownInvariant: world.invariants.some(
      ({ trigger, target }) => trigger.service !== 'directory' && target.service !== 'directory',
    ),
  };
};

export const main = (args: string[]): Record<string, unknown> => {
  const seed = args.includes('--seed') ? (args[args.indexOf('--seed') + 1] ?? '1') : '1';
  const file =
    args.find((arg) => arg.endsWith('.yaml')) ??
    fileURLToPath(new URL('../../shared/design/briefs.yaml', import.meta.url));
  if (!existsSync(file)) {
    console.log('SKIPPED: no file of briefs is here; name one as the first argument');
    return { skipped: true };
  }
  const known = new Set(archetypeIds());
  const briefs = parse(readFileSync(file, 'utf8')) as Expected[];
  const judged = briefs.map((brief) => ({ id: brief.id, ...judge(brief, seed, known) }));
  for (const each of judged) {
    if (each.closer.length > 0) console.log(`${each.id}: closer archetypes: ${each.closer.join(', ')}`);
    const wrong = [
      ...each.lacks.map((id) => `lacks ${id}${known.has(id) ? '' : ' (not in the catalogue)'}`),
      ...each.noneOf.map((list) => `none of ${list.join(', ')}`),
      ...each.absurd.map((id) => `absurd: ${id}`),
      ...each.silent.map((text) => `silent: ${text}`),
      ...(each.countryRight ? [] : [`country ${each.company.country}: ${each.because}`]),
      ...(each.sectorRight === false ? [`industry ${each.company.industry.naics} ${each.company.industry.title}`] : []),
    ];
    if (wrong.length > 0 || args.includes('--verbose'))
      console.log(
        `${each.id} [${each.trade.join(' ')}] ${each.company.name}, ${each.company.employees}: ${wrong.join('; ') || 'right'}`,
      );
  }
  const total = (pick: (each: (typeof judged)[number]) => number): number =>
    judged.reduce((sum, each) => sum + pick(each), 0);
  return {
    briefs: judged.length,
    archetypes: known.size,
    must_have: share(
      total((each) => each.must.length - each.lacks.length),
      total((each) => each.must.length),
    ),
    must_have_in_catalogue: share(
      total((each) => each.mustKnown.length - each.lacksKnown.length),
      total((each) => each.mustKnown.length),
    ),
    one_of: share(
      total((each) => each.groups.length - each.noneOf.length),
      total((each) => each.groups.length),
    ),
    must_not: share(
      total((each) => each.absurd.length),
      total((each) => each.mustNot.length),
    ),
    country: share(
      total((each) => Number(each.countryRight)),
      judged.length,
    ),
    honoured: share(
      total((each) => each.requirements.length - each.silent.length),
      total((each) => each.requirements.length),
    ),
    absurd: total((each) => each.absurd.length),
    sector_right: share(
      total((each) => Number(each.sectorRight === true)),
      total((each) => Number(each.sectorRight !== undefined)),
    ),
    with_own_invariant: share(
      total((each) => Number(each.ownInvariant)),
      judged.length,
    ),
  };
};
