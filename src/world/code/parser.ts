/** The JavaScript parser, loaded when the first code tool is compiled: services without one do not pay for it. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const acorn = (): typeof import('acorn') => load('acorn') as typeof import('acorn');
const walk = (): typeof import('acorn-walk') => load('acorn-walk') as typeof import('acorn-walk');

export const parse: typeof import('acorn').parse = (source, options) => acorn().parse(source, options);
export const full: typeof import('acorn-walk').full = (node, visit) => walk().full(node, visit);
export const ancestor: typeof import('acorn-walk').ancestor = (node, visitors) => walk().ancestor(node, visitors);
