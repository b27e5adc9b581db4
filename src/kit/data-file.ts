/**
 * The package's own data (data/*.yaml). People write YAML; `npm run build` leaves the same as JSON in dist/data, which is read twenty times
 * faster, and only by code that was built with it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const FOLDER = new URL('../../data/', import.meta.url);
const BUILT = new URL('../data/', import.meta.url);
const isBuilt = /\/dist\/kit\/data-file\.js$/.test(import.meta.url);

/** Parsed anew each time; `name` without its ending. */
export const readDataFile = (name: string): unknown => {
  const built = new URL(`${name}.json`, BUILT);
  if (isBuilt && existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'));
  return parse(readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8'));
};

const BREAK = '\n---\n';

/** The first document of a file of many; its further ones are read by whoever needs one of them. */
export const readDataHead = (name: string): unknown => {
  const built = new URL(`${name}.head.json`, BUILT);
  if (isBuilt && existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'));
  return parse(headOf(readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')));
};

const headOf = (text: string): string => text.split(BREAK, 1)[0] ?? '';

const isPlain = (text: string): boolean => !text.includes(BREAK);

const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');

/** Names of the files that are kept as JSON. */
export const plainDataFiles = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml') && isPlain(textOf(file)))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();

if (isBuilt && process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(BUILT, { recursive: true });
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))) {
    const text = textOf(file);
    const name = file.slice(0, -'.yaml'.length);
    writeFileSync(
      new URL(isPlain(text) ? `${name}.json` : `${name}.head.json`, BUILT),
      JSON.stringify(parse(headOf(text))),
    );
  }
}
