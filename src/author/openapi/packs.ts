/** Packs: at most forty tools over one set of tables. Entities stay whole and with those they refer to. */
import type { Entity } from './entities.js';

export interface Weighed {
  entity: Entity;
  /** Tools it would bring. */
  tools: number;
  writes: number;
  value: number;
}

const neighbours = (entity: Entity): Set<string> =>
  new Set([
    ...[...entity.columns.facts.values()].flatMap(({ column }) =>
      column.fk && column.fk !== entity.name ? [column.fk] : [],
    ),
    ...entity.memberships.map(({ target }) => target.name),
  ]);

/** One entity with very many tools must not outweigh a circle of several. */
const MOST_VALUE = 60;
const PER_REFERENCE = 6;

/** Splits entities into packs, best first: the most valuable and most referred-to leads, those it is linked with follow. */
export const partition = (weighed: readonly Weighed[], most: number, packs: number): Weighed[][] => {
  const links = new Map(weighed.map(({ entity }) => [entity.name, neighbours(entity)] as const));
  const referred = (name: string): number =>
    weighed.filter((other) => other.writes > 0 && links.get(other.entity.name)?.has(name)).length;
  const base = new Map(
    weighed.map(
      (one) => [one, Math.min(one.value, MOST_VALUE) + PER_REFERENCE * Math.min(referred(one.entity.name), 8)] as const,
    ),
  );
  const worthOf = (one: Weighed): number => base.get(one) ?? 0;
  const linksWith = (one: Weighed, pack: readonly Weighed[]): number =>
    pack.filter(
      ({ entity }) => links.get(one.entity.name)?.has(entity.name) || links.get(entity.name)?.has(one.entity.name),
    ).length;
  const left = [...weighed].sort((a, b) => worthOf(b) - worthOf(a) || (a.entity.name < b.entity.name ? -1 : 1));
  const out: Weighed[][] = [];
  while (left.length > 0 && out.length < packs) {
    const at = left.findIndex((one) => one.writes > 0);
    if (at === -1) break;
    const pack = left.splice(at, 1);
    let room = most - Math.min(most, (pack[0] as Weighed).tools);
    for (;;) {
      let best = -1;
      let points = 0;
      left.forEach((one, i) => {
        const close = linksWith(one, pack);
        if (one.tools > room || (one.writes === 0 && close === 0)) return;
        const worth = worthOf(one) * (close > 0 ? 2 + close / 4 : 1);
        if (worth > points) [best, points] = [i, worth];
      });
      if (best === -1) break;
      const [taken] = left.splice(best, 1) as [Weighed];
      pack.push(taken);
      room -= taken.tools;
    }
    out.push(pack);
  }
  return out;
};

/** Cuts the links that lead out of a pack: a foreign key becomes a plain value, a hidden parent column goes. */
export const pruneLinks = (entities: readonly Entity[]): void => {
  const inside = new Set(entities.map((entity) => entity.name));
  for (const entity of entities) {
    entity.memberships = entity.memberships.filter(({ target }) => inside.has(target.name));
    for (const [name, fact] of [...entity.columns.facts]) {
      if (fact.column.fk === undefined || inside.has(fact.column.fk)) continue;
      const isKey = name === entity.columns.keyCol;
      if (fact.column.hidden && fact.from === 'path' && !isKey) entity.columns.facts.delete(name);
      else {
        const { fk: _, ...column } = fact.column;
        // The owner's rows would have shown the key of its part; now only the part can.
        if (isKey) delete column.hidden;
        // What it names is in another pack: an id of another system, as far as this service goes.
        fact.column = { ...column, seed: 'external_id' };
      }
      for (const [place, col] of [...entity.parents]) if (col === name) entity.parents.delete(place);
    }
  }
};
