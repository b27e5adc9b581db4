/** Which of the documented media types an answer has: by `Accept`, those that hold JSON before others. RFC 9110, 12.5.1. */
import type { HttpMedia } from '../../../document/http.js';

interface Range {
  type: string;
  q: number;
}

const bare = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase();

export const isJson = (type: string): boolean =>
  /^(application|text)\/(json|[a-z0-9.!#$&^_-]+\+json|\*|x-json|hal|[a-z0-9.-]*json)$/.test(bare(type)) ||
  bare(type) === '*/*';

const known = new Map<string, readonly Range[]>();

const rangesOf = (accept: string): readonly Range[] => {
  const done = known.get(accept);
  if (done) return done;
  const made = accept
    .slice(0, 2_000)
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      const q = weight === undefined ? 1 : Number(weight);
      return { type, q: Number.isFinite(q) ? Math.min(1, Math.max(0, q)) : 1 };
    })
    .filter(({ type }) => type !== '');
  if (known.size > 500) known.clear();
  known.set(accept, made);
  return made;
};

/** 0 to 1: how much a client wants the type. One that takes any JSON takes the document's own kind of it. */
const wanted = (ranges: readonly Range[], type: string): number => {
  const own = bare(type);
  const [main] = own.split('/');
  const exact = ranges.find((range) => range.type === own);
  if (exact) return exact.q;
  if (isJson(own)) {
    const like = ranges.find((range) => range.type !== '*/*' && isJson(range.type));
    if (like) return like.q;
  }
  if (own.includes('*')) return Math.max(0, ...ranges.map(({ q }) => q));
  const group = ranges.find((range) => range.type === `${main}/*`);
  return (group ?? ranges.find((range) => range.type === '*/*' || range.type === '*'))?.q ?? 0;
};

/** Undefined where the client takes none of them. */
export const mediaFor = (media: readonly HttpMedia[], accept: string | undefined): HttpMedia | undefined => {
  const sorted = [...media].sort((a, b) => Number(isJson(b.type)) - Number(isJson(a.type)));
  if (accept === undefined || accept.trim() === '') return sorted[0];
  const ranges = rangesOf(accept);
  if (ranges.length === 0) return sorted[0];
  let best: HttpMedia | undefined;
  let most = 0;
  for (const one of sorted) {
    const q = wanted(ranges, one.type);
    if (q > most) [best, most] = [one, q];
  }
  return best;
};

/** The type that is sent: what a wildcard leaves open is JSON. */
export const sentType = (type: string): string => (type.includes('*') ? 'application/json' : type);
