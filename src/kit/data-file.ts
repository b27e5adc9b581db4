/**
 * The package's own data (data/*.yaml). People write YAML; `npm run build` leaves the same as JSON in dist/data, which is read twenty times
 * faster, and only by code that was built with it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { yaml } from './yaml.js';

const FOLDER = new URL('../../data/', import.meta.url);
const BUILT = new URL('../data/', import.meta.url);
const isBuilt = /\/dist\/kit\/data-file\.js$/.test(import.meta.url);

/** Parsed anew each time; `name` without its ending. */
export const readDataFile = (name: string): unknown => {
  const built = new URL(`${name}.json`, BUILT);
  if (isBuilt && existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'));
  return yaml().parse(readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8'));
};

const BREAK = '\n---\n';

/** One document of a file of many, parsed when it is asked for. */
export interface DataPart {
  /** Its YAML. */
  text: string;
  value(): unknown;
}

/** Every document of a file of many, in its order. */
export const readDataParts = (name: string): DataPart[] => {
  const built = new URL(`${name}.parts.json`, BUILT);
  if (isBuilt && existsSync(built))
    return (JSON.parse(readFileSync(built, 'utf8')) as [text: string, value: unknown][]).map(([text, value]) => ({
      text,
      value: () => value,
    }));
  return partsOf(textOf(`${name}.yaml`)).map((text) => ({ text, value: () => yaml().parse(text) }));
};

const partsOf = (text: string): string[] => text.split(BREAK);

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
    const isOne = isPlain(text);
    const value = isOne ? yaml().parse(text) : partsOf(text).map((part) => [part, yaml().parse(part)]);
    writeFileSync(new URL(`${name}${isOne ? '' : '.parts'}.json`, BUILT), JSON.stringify(value));
  }
}
