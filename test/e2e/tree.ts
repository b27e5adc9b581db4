/** Folders as their files' hashes, to compare two of them to the byte. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(dir, entry.name)) : [join(dir, entry.name)],
  );

/** Path in the folder to SHA-256, sorted. */
export const treeOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    filesIn(dir)
      .map((path) => [relative(dir, path), createHash('sha256').update(readFileSync(path)).digest('hex')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const VOID = new Set(['meta', 'br', '!doctype']);

/** The first thing wrong with a page's nesting, and every tag and attribute it uses. */
export const readHtml = (html: string): { fault: string | undefined; tags: Set<string>; attributes: Set<string> } => {
  const open: string[] = [];
  const tags = new Set<string>();
  const attributes = new Set<string>();
  const style = /<style>[\s\S]*?<\/style>/.exec(html)?.[0] ?? '';
  for (const [whole, slash, name = '', rest = ''] of html
    .replace(style, '')
    .matchAll(/<(\/?)([!a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?)>/g)) {
    const tag = name.toLowerCase();
    tags.add(tag);
    for (const [, attribute = ''] of rest.matchAll(/([a-zA-Z-]+)=/g)) attributes.add(attribute);
    if (VOID.has(tag) || rest.endsWith('/')) continue;
    if (!slash) open.push(tag);
    else if (open.pop() !== tag) return { fault: whole, tags, attributes };
  }
  return { fault: open.at(-1), tags, attributes };
};
