/** An answer that nothing stands behind: the document's example, else one made from the schema, with what the request said of it. */
import type { HttpMedia, HttpOperation } from '../../../document/http.js';
import type { Json } from '../../../kit/hash.js';
import { snake } from '../../../kit/words.js';
import type { DecodedRequest } from '../types.js';
import type { Scope, Shape } from './scope.js';

interface Wanted {
  media: HttpMedia;
  shape: Shape | null;
  operation: HttpOperation;
  decoded: DecodedRequest | undefined;
  place: number;
  scope: Scope;
}

type Row = { [key: string]: Json };
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the request says of the row, by property name in lower snake. */
const saidOf = ({ operation, decoded }: Wanted): Map<string, Json> => {
  const said = new Map<string, Json>();
  if (isRow(decoded?.body)) for (const [name, value] of Object.entries(decoded.body)) said.set(snake(name), value);
  const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  for (const name of names) {
    const value = decoded?.params[`path ${name}`];
    if (value !== undefined) said.set(snake(name), value);
  }
  const last = operation.path.endsWith('}') ? names.at(-1) : undefined;
  const key = last === undefined ? undefined : decoded?.params[`path ${last}`];
  if (key !== undefined && !said.has('id')) said.set('id', key);
  return said;
};

/** The example with properties of the same names put in, where the schema takes them. */
const echoed = (value: Json, said: ReadonlyMap<string, Json>): Json => {
  if (!isRow(value) || said.size === 0) return value;
  const out: Row = { ...value };
  for (const name of Object.keys(out)) {
    const known = said.get(snake(name));
    if (known !== undefined) out[name] = known;
  }
  return out;
};

/** The document's example brought to fit, where it can be. */
const fitted = ({ media, place, scope }: Wanted, shape: Shape): Json => {
  if (media.example === undefined) return shape.fit(undefined, place, scope);
  const own = shape.fit(media.example as Json, place, { ...scope });
  return shape.accepts(own) ? own : shape.fit(undefined, place, scope);
};

export const exampleValue = (wanted: Wanted): Json => {
  const { media, shape, place, scope } = wanted;
  const written = media.example as Json | undefined;
  if (shape === null) return echoed(written ?? {}, saidOf(wanted));
  const fits = [written, ...(shape.flat.examples as Json[])].find(
    (one) => one !== undefined && one !== null && shape.accepts(one),
  );
  const base = fits ?? fitted(wanted, shape);
  const said = echoed(base, saidOf(wanted));
  return said === base ? base : shape.fit(said, place, { ...scope, full: false });
};
