/**
 * YAML files of a folder once more as JSON, in `parsed.jsonl` beside them: a line each, the SHA-256 of the YAML and what it says.
 * Parsing YAML takes ten milliseconds a file, JSON a tenth of one. A file that was edited since has another hash and is parsed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../kit/hash.js';
import { yaml } from '../kit/yaml.js';

export const PARSED = 'parsed.jsonl';

export interface Written {
  /** The YAML. */
  text: string;
  value: unknown;
}

/** The lines of `parsed.jsonl`. */
export const parsedLines = (files: readonly Written[]): string =>
  files.map(({ text, value }) => `${sha256(text)} ${JSON.stringify(value)}\n`).join('');

const HASH = 64;
/** Folders whose lines are remembered: a world's tasks are read one after another. */
const MOST_FOLDERS = 16;

/** JSON by the hash of its YAML. */
const folders = new Map<string, ReadonlyMap<string, string>>();

const linesOf = (dir: string): ReadonlyMap<string, string> => {
  const known = folders.get(dir);
  if (known) return known;
  const lines = new Map<string, string>();
  const file = join(dir, PARSED);
  try {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    for (const line of text.split('\n')) if (line[HASH] === ' ') lines.set(line.slice(0, HASH), line.slice(HASH + 1));
  } catch {
    // A help for reading and no more: the YAML is what counts.
  }
  folders.set(dir, lines);
  if (folders.size > MOST_FOLDERS) folders.delete(folders.keys().next().value as string);
  return lines;
};

/** The folder's lines but for those of some YAML files, whose bytes are given. */
export const parsedWithout = (dir: string, files: readonly Uint8Array[]): string => {
  const left = new Map(linesOf(dir));
  for (const bytes of files) left.delete(sha256(bytes));
  return [...left].map(([hash, json]) => `${hash} ${json}\n`).join('');
};

/** To be told when a folder's lines are written anew. */
export const forgetParsed = (dir: string): void => {
  folders.delete(dir);
};

/** What a YAML file says. Throws what the YAML parser throws. */
export const yamlValue = (path: string, text: string): unknown => {
  const known = linesOf(dirname(path)).get(sha256(text));
  try {
    if (known !== undefined) return JSON.parse(known);
  } catch {
    // Cut off, as by a full disk.
  }
  return yaml().parse(text);
};
