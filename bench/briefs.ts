// How well briefs are read: archetypes, countries, sectors and refusals, against a file of briefs with what a judge expects.
// `npm run bench -- briefs [FILE] [--seed S] [--verbose]`; without a file it says loudly that it skipped.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { archetypeIds } from '../src/author/catalogue/archetype.js';
import { authorFromBrief } from '../src/author/catalogue/author.js';

interface Expected {
  id: string;
  text: string;
  expect: {
    country: string | null;
    sectors: string[] | null;
    must_have?: string[];
    one_of?: string[][];
    must_not?: string[];
  };
}

/** Sectors that count as one. */
const ONE: Record<string, string> = { '32': '31', '33': '31', '45': '44', '49': '48' };
const sectorOf = (naics: string): string => ONE[naics.slice(0, 2)] ?? naics.slice(0, 2);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : Number((part / whole).toFixed(3)));

const judge = ({ text, expect }: Expected, seed: string, known: ReadonlySet<string>) => {
  const world = authorFromBrief(text, { seed });
  const trade = world.services.filter(({ role }) => role === 'domain').map(({ spec }) => spec.id);
  const has = new Set(trade);
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
    absurd: (expect.must_not ?? []).filter((id) => has.has(id)),
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
    const wrong = [
      ...each.lacks.map((id) => `lacks ${id}${known.has(id) ? '' : ' (not in the catalogue)'}`),
      ...each.noneOf.map((list) => `none of ${list.join(', ')}`),
      ...each.absurd.map((id) => `absurd: ${id}`),
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
    absurd: total((each) => each.absurd.length),
    country_right: share(
      total((each) => Number(each.countryRight)),
      judged.length,
    ),
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
