/** What a product calls its things: nouns, columns and verbs in place of the canonical ones. State and tool ids keep theirs. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { dialectFile } from './schema.js';

export interface Wording {
  /** Singular noun in lower_snake, by the resource of a tool's id: a table, or what stands for one. */
  nouns: Record<string, string>;
  /** Name in lower_snake, by table and column. */
  cols: Record<string, Record<string, string>>;
  /** The same for columns and arguments of any table. */
  words: Record<string, string>;
  /** Verb in lower_snake, by tool id. */
  verbs: Record<string, string>;
}

export const NO_WORDING: Wording = { nouns: {}, cols: {}, words: {}, verbs: {} };

export const nounFor = (wording: Wording, resource: string): string => wording.nouns[resource] ?? resource;

export const nameFor = (wording: Wording, table: string, col: string): string =>
  wording.cols[table]?.[col] ?? wording.words[col] ?? col;

/** Words of the service's columns and arguments that the dialect file has others for, drawn once for the whole service. */
export const drawWords = (tables: Record<string, Table>, args: readonly string[], rng: Rng): Record<string, string> => {
  const { chance, names, endings } = dialectFile().synonyms;
  const cols = new Set([...Object.values(tables).flatMap((table) => Object.keys(table.cols)), ...args]);
  // One habit for each ending: a product that says `_number` says it everywhere.
  const ends = Object.entries(endings).flatMap(([end, others]) =>
    rng.chance(chance) ? [[end, rng.pick(others)] as const] : [],
  );
  const words: Record<string, string> = {};
  const taken = new Set(cols);
  const take = (col: string, word: string): void => {
    if (taken.has(word)) return;
    taken.add(word);
    words[col] = word;
  };
  for (const [col, others] of Object.entries(names))
    if (rng.chance(chance)) {
      const word = rng.pick(others);
      if (cols.has(col)) take(col, word);
    }
  for (const col of cols) {
    if (words[col] !== undefined) continue;
    const end = ends.find(([from]) => col.endsWith(from) && col.length > from.length);
    if (end) take(col, col.slice(0, -end[0].length) + end[1]);
  }
  return words;
};
