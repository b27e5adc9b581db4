/** Query strings: each parameter once, and none that the route does not know. */
import { TreadleError } from '../../errors.js';
import { badInput } from './problem.js';
import type { Route } from './routes.js';

const EMPTY = {};

/** Throws `bad_request` for an unknown, repeated or unfit parameter: a misspelt filter must not answer with everything. */
export const readQuery = ({ query }: Route, text: string): Record<string, string> => {
  if (text === '' && query === undefined) return EMPTY;
  const given: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(given, name))
      throw new TreadleError({ code: 'bad_request', message: `query.${name}: given twice`.slice(0, 200), value });
    if (query === undefined || !Object.hasOwn(query.shape, name))
      throw new TreadleError({
        code: 'bad_request',
        message: `query.${name}: there is no such parameter`.slice(0, 200),
        value: name,
        next: query === undefined ? 'It takes none.' : `It takes ${Object.keys(query.shape).join(', ')}.`,
      });
    given[name] = value;
  }
  const read = query!.safeParse({ ...given });
  if (!read.success) throw badInput('query', given, read.error);
  return read.data as Record<string, string>;
};
