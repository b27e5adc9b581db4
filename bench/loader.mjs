// Module hooks for bench/run.mjs: `./x.js` finds `./x.ts`, and TypeScript is stripped to JavaScript by vite's compiler.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const isOurs = (url) => url.startsWith('file:') && !url.includes('/node_modules/');

export const resolve = async (specifier, context, next) => {
  if (/^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL && isOurs(context.parentURL)) {
    const source = new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
};

export const load = async (url, context, next) => {
  if (!url.endsWith('.ts') || !isOurs(url)) return next(url, context);
  const file = fileURLToPath(url);
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
  return { format: 'module', source: code, shortCircuit: true };
};
