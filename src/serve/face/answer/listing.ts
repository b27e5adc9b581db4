/** What an operation that lists says of its pages, compiled: the parts of its body and whether it links in a header. */
import type { HttpOperation } from '../../../document/http.js';
import type { Json } from '../../../kit/hash.js';
import type { FaceOperation } from '../types.js';
import type { AnswerContext } from './answerer.js';
import type { Flat } from './flat.js';
import { kindsOf } from './kinds.js';
import { pageParts } from './page-parts.js';
import { linkHeader, withHolders, writePages } from './pages.js';
import { pageParamOf, type Shown } from './paging.js';
import { dig } from './row.js';
import type { Shapes } from './scope.js';

export interface Listing {
  shown(result: Json, ctx: AnswerContext): Shown;
  /** The result with what its pages stand in. */
  prepare(result: Json, shown: Shown, ctx: AnswerContext): Json;
  /** Writes where the list goes on into the body. */
  finish(body: Json, result: Json, shown: Shown, ctx: AnswerContext): void;
  link(shown: Shown, ctx: AnswerContext): string | undefined;
}

const offsetAsked = (ctx: AnswerContext, name: string | undefined): number => {
  const asked = name === undefined ? undefined : Number(ctx.decoded?.params[`query ${name}`]);
  return asked !== undefined && Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
};

const namesLink = (operation: HttpOperation): boolean =>
  operation.answers.some(
    ({ status, headers }) => status.startsWith('2') && headers.some(({ name }) => name.toLowerCase() === 'link'),
  );

/** The first list in the answer, for operations that nothing is known of. */
const guessedPath = (flat: Flat, shapes: Shapes): string[] => {
  for (const [name, schema] of flat.properties) if (kindsOf(shapes.flats.of(schema))[0] === 'array') return [name];
  return [];
};

/** Undefined for what lists nothing. */
export const listingOf = (
  { http, binding }: FaceOperation,
  flat: Flat | undefined,
  shapes: Shapes,
): Listing | undefined => {
  if (binding && binding.answer.kind !== 'rows') return undefined;
  const param = pageParamOf(http, binding);
  if (!binding && param === undefined) return undefined;
  const path = binding?.answer.path ?? (flat ? guessedPath(flat, shapes) : []);
  const key = binding?.answer.key;
  const parts = flat ? pageParts(flat, path, param, shapes) : [];
  const bare = param !== undefined && path.length === 0;
  const linked = bare || namesLink(http);
  const keyOf = (row: Json | undefined): Json | undefined => (key ? dig(row, key) : undefined);
  return {
    shown: (result, ctx) => {
      const found = dig(result, path);
      const rows = Array.isArray(found) ? found : [];
      const { page } = ctx;
      const offset = page?.offset ?? (param?.style === 'offset' ? offsetAsked(ctx, param.name) : 0);
      const more = page?.more ?? false;
      return {
        offset,
        limit: page?.limit ?? rows.length,
        more,
        total: page?.total,
        count: rows.length,
        firstKey: keyOf(rows[0]),
        lastKey: keyOf(rows.at(-1)),
      };
    },
    prepare: (result, shown, ctx) => withHolders(result, parts, { request: ctx.request, param, shown }),
    finish: (body, result, shown, ctx) => writePages(body, result, parts, { request: ctx.request, param, shown }),
    link: (shown, ctx) => (linked ? linkHeader({ request: ctx.request, param, shown }) : undefined),
  };
};
