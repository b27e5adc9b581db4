/** How many rows each table begins with: enough for pages of the main ones, few for the rest, so that a wide document starts at once. */
import type { Table } from '../../artifacts/table.js';
import type { Entity } from '../openapi/entities.js';
import type { Parts } from './parts.js';

/** Rows of all tables together, about. */
const ALL = 2_400;
const MOST = 24;
const LEAST = 6;
/** Tables with most operations get as many rows as there may be. */
const MAIN = 24;
/** As many as the rows that they are parts of, which bounds them. */
const PARTS = 10_000;

/** Changes the tables in place. */
export const sized = (tables: Record<string, Table>, entities: readonly Entity[], parts: Parts): void => {
  const everywhere = new Set([...parts.values()].flat());
  const usual = Math.max(LEAST, Math.min(MOST, Math.floor(ALL / Math.max(1, Object.keys(tables).length))));
  const ranked = [...entities].sort((a, b) => b.resource.sightings.length - a.resource.sightings.length);
  const main = new Set(ranked.slice(0, MAIN).map(({ name }) => name));
  for (const table of Object.values(tables)) table.rows ??= usual;
  for (const { name, resource } of entities) {
    const table = tables[name];
    if (!table || resource.single === 'one') continue;
    if (everywhere.has(name)) table.rows = PARTS;
    else table.rows = resource.single === 'part' || main.has(name) ? MOST : usual;
  }
};
