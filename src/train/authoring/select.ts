/** Which services of a world go into its blueprint: a few that speak of one another, chosen by the seed. */
import type { Invariant } from '../../artifacts/world.js';
import { type Archetype, archetype, archetypeIds } from '../../author/catalogue/archetype.js';
import { readColumn } from '../../author/catalogue/column.js';
import type { WorldDescription } from '../../corpus/corpus.js';
import type { Rng } from '../../kit/rng.js';

/** The plan holds at most this many (author/model/parts/plan.ts). */
export const MOST_SERVICES = 4;

/** The archetypes of a world's own services, by service id; services of documents and models have none. */
export const archetypesOf = ({
  world,
  services,
}: Pick<WorldDescription, 'world' | 'services'>): Map<string, string> => {
  const domain = new Set(world.services.filter(({ role }) => role === 'domain').map(({ id }) => id));
  return new Map(
    services.flatMap(({ id, source }): [string, string][] =>
      domain.has(id) && source.archetype ? [[id, source.archetype]] : [],
    ),
  );
};

/** Services that a reference of one leads to the other, or that one rule ties. */
const tied = (a: Archetype, b: Archetype, rules: readonly Invariant[]): boolean => {
  const speaks = (from: Archetype, to: string): boolean =>
    Object.values(from.tables).some(({ cols }) =>
      Object.values(cols).some((text) => readColumn(text).refs.some(({ service }) => service === to)),
    );
  const ruled = rules.some(
    ({ trigger, target }) =>
      (trigger.service === a.id && target.service === b.id) || (trigger.service === b.id && target.service === a.id),
  );
  return ruled || speaks(a, b.id) || speaks(b, a.id);
};

/**
 * A tied group of two to four of the world's archetypes, those with most rules first; empty where fewer than two are tied.
 * Services whose id is not their archetype's (a second copy) are left out: rules name them by their id.
 */
export const chooseServices = (description: WorldDescription, draw: Rng): Archetype[] => {
  const rules = description.world.invariants;
  const known = new Set(archetypeIds());
  const all = [...archetypesOf(description)].flatMap(([id, of]) => (id === of && known.has(of) ? [archetype(of)] : []));
  const weight = (one: Archetype): number =>
    rules.filter(({ trigger, target }) => trigger.service === one.id || target.service === one.id).length;
  const ranked = draw.shuffle(all).sort((a, b) => weight(b) - weight(a));
  const out: Archetype[] = [];
  for (let grown = true; grown && out.length < MOST_SERVICES; ) {
    grown = false;
    for (const one of ranked)
      if (!out.includes(one) && out.length < MOST_SERVICES)
        if (out.length === 0 || out.some((other) => tied(one, other, rules))) {
          out.push(one);
          grown = true;
        }
  }
  return out.length >= 2 ? out : [];
};
