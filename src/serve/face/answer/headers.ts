/** Headers that a document promises: those it requires, and those whose meaning is known. */
import type { HttpOperation } from '../../../document/http.js';
import type { Json } from '../../../kit/hash.js';
import type { AnswerContext } from './answerer.js';
import { placeOf, placeOfSeed, within } from './draw.js';
import { etagOf } from './etag.js';
import type { Scope, Shapes } from './scope.js';
import type { Given } from './status.js';

interface Answered {
  operation: HttpOperation;
  given: Given;
  value: Json | undefined;
  body: string | Uint8Array | undefined;
  ctx: AnswerContext;
  shapes: Shapes;
  own: string | undefined;
}

const HOUR = 3_600;
const IGNORED = new Set(['content-type', 'content-length', 'transfer-encoding', 'connection', 'date', 'link', 'etag']);

const knownHeader = (name: string, { own, ctx }: Answered): Json | undefined => {
  const plain = name.replace(/^x-/, '');
  if (name === 'location') return own === undefined ? undefined : `${ctx.request.origin}${own}`;
  if (/^rate-?limit-limit$/.test(plain)) return 5_000;
  if (/^rate-?limit-remaining$/.test(plain)) return 4_999;
  if (/^rate-?limit-reset$/.test(plain)) return ctx.now + HOUR;
  if (/^(total|total-count|total-items)$/.test(plain)) return ctx.page?.total;
  return undefined;
};

/** Whether the operation speaks of entity tags. */
const tagged = (operation: HttpOperation, given: Given): boolean =>
  (given.answer?.headers.some(({ name }) => name.toLowerCase() === 'etag') ?? false) ||
  operation.params.some((param) => param.in === 'header' && /^if-(none-)?match$/i.test(param.name)) ||
  operation.answers.some(({ status }) => status === '304' || status === '412');

export const answerHeaders = (answered: Answered): Record<string, string | string[]> => {
  const { operation, given, body, ctx, shapes } = answered;
  const out: Record<string, string | string[]> = {};
  for (const header of given.answer?.headers ?? []) {
    const name = header.name.toLowerCase();
    if (IGNORED.has(name)) continue;
    const known = knownHeader(name, answered);
    if (known === undefined && !header.required) continue;
    const scope: Scope = {
      seed: 0,
      key: undefined,
      pathOf: () => undefined,
      origin: ctx.request.origin,
      own: answered.own,
      depth: 0,
      left: 100,
      full: false,
    };
    const place = within(within(placeOfSeed(ctx.seed), placeOf(ctx.request.path)), placeOf(name));
    const value = shapes
      .of(header.schema, header.name)
      .fit(known ?? (header.example as Json | undefined), place, scope);
    out[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  if (given.status === 201 && out.location === undefined && answered.own !== undefined)
    out.location = `${ctx.request.origin}${answered.own}`;
  if (body !== undefined && tagged(operation, given)) out.etag = etagOf(body);
  return out;
};
