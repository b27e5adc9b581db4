/** A request's path, query and body as its operation takes them. */
import { TreadleError } from '../../errors.js';
import { hazardOf } from '../mcp/hazards.js';
import type { Asked } from './handlers.js';
import type { Found } from './match.js';
import { badInput } from './problem.js';
import { readQuery } from './query.js';

const KEY = /^[\x21-\x7e]{1,256}$/;

/** Throws `bad_request` for a key that is none. */
export const readKey = (header: string | string[] | undefined): string | undefined => {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw new TreadleError({
    code: 'bad_request',
    message: 'Idempotency-Key: at most 256 visible ASCII characters',
    value: header,
    next: 'Use for example a UUID.',
  });
};

const parsed = (text: string): unknown => {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TreadleError({ code: 'not_json', message: 'The body is not JSON', cause });
  }
  const hazard = hazardOf(value);
  if (hazard === undefined) return value;
  throw new TreadleError({ code: 'bad_json', message: hazard });
};

/** Throws `not_json` and `bad_json` (400) and `bad_request` (422) with the offending path. */
export const readInput = ({ route, params }: Found, target: string, text: string, key: string | undefined): Asked => {
  const mark = target.indexOf('?');
  if (route.params !== undefined) {
    const read = route.params.safeParse(params);
    if (!read.success) throw badInput('path', params, read.error);
  }
  const query = readQuery(route, mark === -1 ? '' : target.slice(mark + 1));
  const once = key === undefined ? undefined : { key };
  if (route.request === undefined) return { params, query, body: undefined, once };
  const value = parsed(text);
  const read = route.request.safeParse(value);
  if (!read.success) throw badInput('body', value, read.error);
  return { params, query, body: read.data, once };
};
