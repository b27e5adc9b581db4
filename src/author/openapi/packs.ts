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
  new Set(
    [...entity.columns.facts.values()].flatMap(({ column }) =>
      column.fk && column.fk !== entity.name ? [column.fk] : [],
    ),
  );

/** Splits entities into packs, best first; entities that are only read and that nothing refers to come last and may be left out. */
export const partition = (weighed: readonly Weighed[], most: number, packs: number): Weighed[][] => {
  const links = new Map(weighed.map(({ entity }) => [entity.name, neighbours(entity)] as const));
  const linked = (a: Weighed, pack: readonly Weighed[]): boolean =>
    pack.some(({ entity }) => links.get(a.entity.name)?.has(entity.name) || links.get(entity.name)?.has(a.entity.name));
  const left = [...weighed].sort((a, b) => b.value - a.value || (a.entity.name < b.entity.name ? -1 : 1));
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
        const close = linked(one, pack);
        if (one.tools > room || (one.writes === 0 && !close)) return;
        const worth = one.value * (close ? 2 : 1);
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
  for (const entity of entities)
    for (const [name, fact] of [...entity.columns.facts]) {
      if (fact.column.fk === undefined || inside.has(fact.column.fk)) continue;
      if (fact.column.hidden && fact.from === 'path') entity.columns.facts.delete(name);
      else {
        const { fk: _, ...column } = fact.column;
        fact.column = column;
      }
      for (const [place, col] of [...entity.parents]) if (col === name) entity.parents.delete(place);
    }
};
