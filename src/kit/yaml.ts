/** YAML, loaded when a text in it comes: that takes a tenth of a second, and what the package itself has is JSON once it is built. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('yaml') | undefined;

export const yaml = (): typeof import('yaml') => {
  loaded ??= require('yaml') as typeof import('yaml');
  return loaded;
};
