/** Headers that a document promises: those it requires, and those whose meaning is known. */
import type { HttpOperation } from '../../../document/http.js';
import type { Json } from '../../../kit/hash.js';
import type { AnswerContext } from './answerer.js';
import { placeOf, placeOfSeed, within } from './draw.js';
import { etagOf } from './etag.js';
import type { Scope, Shapes } from './scope.js';
import type { Given } from './status.js';

interface Answered {
  body: string | Uint8Array | undefined;
  ctx: AnswerContext;
  own: string | undefined;
}

const PLAIN: Scope = {
  seed: 0,
  key: undefined,
  pathOf: () => undefined,
  origin: '',
  own: undefined,
  depth: 0,
  left: 100,
  full: false,
};
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

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** As a header can carry it: what is no ASCII percent-encoded, line ends as spaces. */
const headerText = (value: Json): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/[^\t\x20-\x7e]/gu, (one) =>
    one < ' ' ? ' ' : Buffer.from(one).toString('hex').replace(/../g, '%$&'),
  );

/** Whether the operation speaks of entity tags. */
const tagged = (operation: HttpOperation, given: Given): boolean =>
  (given.answer?.headers.some(({ name }) => name.toLowerCase() === 'etag') ?? false) ||
  operation.params.some((param) => param.in === 'header' && /^if-(none-)?match$/i.test(param.name)) ||
  operation.answers.some(({ status }) => status === '304' || status === '412');

export type HeaderWriter = (answered: Answered) => Record<string, string | string[]>;

/** Headers of one documented answer, compiled. */
export const headersOf = (operation: HttpOperation, { status, answer }: Given, shapes: Shapes): HeaderWriter => {
  const documented = (answer?.headers ?? []).flatMap((header) => {
    const name = header.name.toLowerCase();
    if (IGNORED.has(name) || !TOKEN.test(name)) return [];
    const { required, example } = header;
    return [
      {
        name,
        required,
        example: example as Json | undefined,
        at: placeOf(name),
        shape: shapes.of(header.schema, header.name),
      },
    ];
  });
  const speaksOfTags = tagged(operation, { status, answer });
  return (answered) => {
    const { ctx, own, body } = answered;
    const out: Record<string, string | string[]> = {};
    for (const { name, required, example, at, shape } of documented) {
      const known = knownHeader(name, answered);
      if (known === undefined && !required) continue;
      const place = within(within(placeOfSeed(ctx.seed), placeOf(ctx.request.path)), at);
      const value = shape.fit(known ?? example, place, { ...PLAIN, origin: ctx.request.origin, own });
      out[name] = headerText(value);
    }
    if (status === 201 && out.location === undefined && own !== undefined) out.location = `${ctx.request.origin}${own}`;
    if (body !== undefined && speaksOfTags) out.etag = etagOf(body);
    return out;
  };
};
