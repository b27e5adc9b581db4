/** Answers of one operation as its document describes them: compiled when first asked for, then a walk over closures. */
import type { HttpAnswer, HttpMedia } from '../../../document/http.js';
import type { Node } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import type { Page } from '../../tool-host.js';
import type { DecodedRequest, FaceError, FaceOperation, FaceRequest, FaceResponse } from '../types.js';
import { commonError } from './common-error.js';
import { placeOf, placeOfSeed, within } from './draw.js';
import { errorBody } from './error-body.js';
import { exampleValue } from './example.js';
import { type HeaderWriter, headersOf } from './headers.js';
import { type Listing, listingOf } from './listing.js';
import { isJson, mediaFor, sentType } from './media.js';
import { ownPaths } from './own-path.js';
import { PROBLEM, problemOf } from './problem.js';
import { dig } from './row.js';
import { type Mark, MOST_VALUES, type Scope, type Shape, type Shapes } from './scope.js';
import { shapesOf } from './shape.js';
import { errorOf, lenders, saysInBody, successOf } from './status.js';
import { written } from './written.js';

export interface AnswerContext {
  request: FaceRequest;
  decoded?: DecodedRequest | undefined;
  /** Which rows of all a list shows. */
  page?: Page | undefined;
  /** Of the row, where the answer does not show it. */
  key?: Json | undefined;
  /** What is made for rows hangs on it: the same for every answer of a service. */
  seed: string;
  /** Virtual unix seconds. */
  now: number;
}

export interface AnswererOptions {
  root: Node;
  refs: Refs;
  /** As the document writes it: `3.0.3`. */
  version: string;
}

export interface Answerer {
  success(result: Json, ctx: AnswerContext): FaceResponse;
  failure(error: FaceError, ctx: AnswerContext): FaceResponse;
  /** Where nothing stands behind the operation. */
  example(ctx: AnswerContext): FaceResponse;
}

interface Made {
  value: Json;
  /** The `Link` header. */
  link: string | undefined;
}

const compilers = new WeakMap<Node, Shapes>();

/** One compiler a document: what two operations answer with is compiled once. */
export const shapesOfDocument = ({ root, refs }: Pick<AnswererOptions, 'root' | 'refs'>): Shapes => {
  const shapes = compilers.get(root) ?? shapesOf(refs);
  compilers.set(root, shapes);
  return shapes;
};

const BODILESS = new Set([204, 205, 304]);
const NOT_ACCEPTED: FaceError = {
  status: 406,
  code: 'not_acceptable',
  message: 'The document has none of the media types that the request accepts',
};

export const answererOf = (operation: FaceOperation, options: AnswererOptions): Answerer => {
  const { http, binding } = operation;
  const shapes = shapesOfDocument(options);
  const given = successOf(http);
  const pathOf = ownPaths(http, options.root);
  const compiled = new Map<HttpMedia, Shape | null>();

  const digExample = (value: unknown): unknown =>
    (binding?.answer.path ?? []).reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
      value,
    );
  const markOf = (media: HttpMedia): Mark | undefined => {
    const answer = binding?.answer;
    if (answer === undefined || (answer.kind !== 'row' && answer.kind !== 'rows')) return undefined;
    return { kind: answer.kind, path: answer.path, key: answer.key, example: digExample(media.example) };
  };
  const shapeOf = (media: HttpMedia): Shape | null => {
    const known = compiled.get(media);
    if (known !== undefined) return known;
    const made = media.schema === undefined ? null : shapes.of(media.schema, '', markOf(media));
    compiled.set(media, made);
    return made;
  };

  const scopeOf = (ctx: AnswerContext, full: boolean): Scope => ({
    seed: placeOfSeed(ctx.seed),
    key: ctx.key,
    origin: ctx.request.origin,
    own: (binding?.answer.kind === 'row' ? pathOf(ctx.request.path, ctx.key) : undefined) ?? ctx.request.path,
    pathOf: (key) => pathOf(ctx.request.path, key),
    depth: 0,
    left: MOST_VALUES,
    full,
  });
  const placeFor = (ctx: AnswerContext): number => within(placeOfSeed(ctx.seed), placeOf(ctx.request.path));

  const keyIn = (value: Json | undefined): Json | undefined => {
    const answer = binding?.answer;
    return answer?.kind === 'row' && answer.key ? dig(value, [...answer.path, ...answer.key]) : undefined;
  };

  let writeHeaders: HeaderWriter | undefined;
  const respond = (value: Json | undefined, media: HttpMedia | undefined, ctx: AnswerContext): FaceResponse => {
    const body = value === undefined || media === undefined ? undefined : written(value, media.type);
    const own = pathOf(ctx.request.path, keyIn(value) ?? ctx.key);
    writeHeaders ??= headersOf(http, given, shapes);
    const headers = writeHeaders({ body, ctx, own });
    if (body !== undefined && media) headers['content-type'] = sentType(media.type);
    return { status: given.status, headers, body };
  };

  const byAccept = new Map<string | undefined, HttpMedia | undefined>();
  const accepted = (media: readonly HttpMedia[], accept: string | undefined): HttpMedia | undefined => {
    if (byAccept.has(accept)) return byAccept.get(accept);
    if (byAccept.size > 50) byAccept.clear();
    const chosen = mediaFor(media, accept);
    byAccept.set(accept, chosen);
    return chosen;
  };

  const answered = (
    ctx: AnswerContext,
    make: (media: HttpMedia, shape: Shape | null) => Made,
    bare: Json,
  ): FaceResponse => {
    const media = given.answer?.media ?? [];
    if (BODILESS.has(given.status)) return respond(undefined, undefined, ctx);
    if (media.length === 0) {
      // An answer that is described but has no body has none; where nothing is described, what is known is said.
      if (given.answer !== undefined) return respond(undefined, undefined, ctx);
      return respond(bare, { type: 'application/json', schema: undefined, encoding: {} }, ctx);
    }
    const chosen = accepted(media, ctx.request.headers.accept);
    if (!chosen) return failure(NOT_ACCEPTED, ctx);
    const { value, link } = make(chosen, shapeOf(chosen));
    const response = respond(value, chosen, ctx);
    if (link !== undefined) response.headers.link = link;
    return response;
  };

  const errorShapes = new Map<HttpAnswer, { shape: Shape | null; media: HttpMedia } | null>();
  const errorShape = (answer: HttpAnswer | undefined): { shape: Shape | null; media: HttpMedia } | null => {
    if (answer === undefined) return null;
    const known = errorShapes.get(answer);
    if (known !== undefined) return known;
    const media = answer.media.find(({ type }) => isJson(type)) ?? answer.media[0];
    const made =
      media === undefined ? null : { media, shape: media.schema === undefined ? null : shapes.of(media.schema, '') };
    errorShapes.set(answer, made);
    return made;
  };

  const failure = (error: FaceError, ctx: AnswerContext): FaceResponse => {
    const found = errorOf(http, error.status);
    const form = errorShape(found.answer ?? lenders(http, error.status)[0] ?? commonError(options.root, options.refs));
    // Statuses that clients and proxies act on stay what they are.
    const inBody = error.status < 500 && error.status !== 429 && saysInBody(http, shapes);
    const status = inBody ? 200 : found.status;
    const said = { ...error, status: found.status };
    const headers: Record<string, string | string[]> = { ...error.headers };
    if (ctx.request.method !== 'HEAD' && found.answer !== undefined && found.answer.media.length === 0)
      return { status, headers, body: undefined };
    if (form === null) {
      headers['content-type'] = PROBLEM;
      return { status, headers, body: JSON.stringify(problemOf(said)) };
    }
    const value =
      form.shape === null
        ? problemOf(said)
        : form.shape.fit(errorBody(form.shape.flat, shapes, said), placeFor(ctx), scopeOf(ctx, false));
    headers['content-type'] = sentType(form.media.type);
    return { status, headers, body: written(value, form.media.type) };
  };

  const listings = new Map<Shape | null, Listing | undefined>();
  const listingFor = (shape: Shape | null): Listing | undefined => {
    if (!listings.has(shape)) listings.set(shape, listingOf(operation, shape?.flat, shapes));
    return listings.get(shape);
  };

  const succeeded = (result: Json, shape: Shape | null, ctx: AnswerContext): Made => {
    const listing = listingFor(shape);
    const shown = listing?.shown(result, ctx);
    const whole = listing && shown ? listing.prepare(result, shown, ctx) : result;
    const value = shape?.fit(whole, placeFor(ctx), scopeOf(ctx, false)) ?? whole;
    if (!listing || !shown) return { value, link: undefined };
    if (shape) listing.finish(value, result, shown, ctx);
    return { value, link: listing.link(shown, ctx) };
  };

  const exemplified = (media: HttpMedia, shape: Shape | null, ctx: AnswerContext): Made => {
    const place = placeFor(ctx);
    const made = exampleValue({
      media,
      shape,
      operation: http,
      decoded: ctx.decoded,
      place,
      scope: scopeOf(ctx, true),
    });
    const listing = shape === null ? undefined : listingFor(shape);
    if (!listing) return { value: made, link: undefined };
    // It may be the document's own.
    const value = structuredClone(made);
    listing.finish(value, {}, listing.shown(value, ctx), ctx);
    return { value, link: undefined };
  };

  return {
    success: (result, ctx) => answered(ctx, (_media, shape) => succeeded(result, shape, ctx), result),
    failure,
    example: (ctx) => answered(ctx, (media, shape) => exemplified(media, shape, ctx), {}),
  };
};
