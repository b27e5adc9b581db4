/** The REST face measured: `npm run bench -- rest shape [--sample N] [--seed S]`. Needs the documents of `bench -- openapi --install`. */
import { shape } from './rest/shape.js';

const PARTS: Record<string, (args: readonly string[]) => unknown> = { shape };

export const main = async (args: readonly string[]): Promise<unknown> => {
  const [name = ''] = args;
  const part = PARTS[name];
  if (!part) throw new Error(`There is no part ${JSON.stringify(name)}. Name one of: ${Object.keys(PARTS).join(', ')}`);
  return await part(args.slice(1));
};
