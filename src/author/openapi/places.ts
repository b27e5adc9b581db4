/** Which path templates are collections, seen over the whole document. */
import { wordsOf } from '../../kit/words.js';
import { segmentKind } from './crud-words.js';
import { isDotted, isPlumbing, lastWord, type PathShape, placeOf, type Segment, shapeOf } from './paths.js';
import type { Schemas } from './schema.js';
import type { DocOperation } from './types.js';
import { isMetaName, isObject, type Unwrapped, unwrap } from './unwrap.js';

export interface Places {
  schemas: Schemas;
  shape(op: DocOperation): PathShape;
  /** The answer of an operation, unwrapped with the noun of its path. */
  answer(op: DocOperation): Unwrapped | undefined;
  body(op: DocOperation): Unwrapped | undefined;
  /** Something is found under `place/{id}`. */
  hasItems(place: string): boolean;
  /** GET answers with a list. */
  isListed(place: string): boolean;
  takesPost(place: string): boolean;
  /** GET answers with one thing, and nothing in the path names it: a setting, a status, a profile. */
  isSingle(place: string): boolean;
  /** `place/getPolicy` reads the `policy` of a row. */
  isPartRead(place: string, part: string): boolean;
  /** All parts of a row of the place that are read so. */
  partsRead(place: string): string[];
}

const nounOf = (shape: PathShape): string => {
  const text = shape.segments.findLast((segment) => !segment.param)?.text ?? '';
  return isDotted(text) ? (text.split('.').at(-2) as string) : text;
};

/** A body is a list only when it is nothing but that list: an order's lines or tags do not make it one. */
const bodyOf = (schema: unknown, noun: string, schemas: Schemas): Unwrapped | undefined => {
  const found = unwrap(schema, noun, false, schemas);
  const whole = schemas.view(schema);
  if (!found?.many || found.path.length === 0 || !isObject(whole)) return found;
  const [first] = found.path;
  const others = [...whole.properties.keys()].filter((name) => name !== first && !isMetaName(name));
  return others.length === 0 ? found : { many: false, path: [], item: whole, around: [] };
};

/** What is worked out from other rows and not kept. */
const COMPUTED =
  /^\$?(count|counts|total|totals|stats?|statistics|summary|summaries|search|query|metrics?|analytics|report|reports|usage|export|download|preview|calculate|calculation|estimate|quote|validate|check|test|health|healthcheck|ping|version|versions|time|now|random|suggest|suggestions|autocomplete|history|histogram|chart|charts|insights|delta|diff|compare|login|logout|token|authorize|oauth|callback|openapi|swagger|schema|docs|content|raw|logs?|availability|forecast|trends?)(\(.*)?$/i;

const isWord = (segments: readonly Segment[]): boolean => {
  const last = segments.at(-1);
  return !!last && !last.param && !isDotted(last.text) && !last.text.includes('(') && !isPlumbing(last.text);
};

const isSingleName = (segments: readonly Segment[]): boolean => {
  const text = segments.at(-1)?.text ?? '';
  const computed = COMPUTED.test(lastWord(text)) || COMPUTED.test(text);
  return isWord(segments) && segmentKind(text) === undefined && !computed;
};

export const placesOf = (operations: readonly DocOperation[], schemas: Schemas, every = false): Places => {
  const shapes = new Map<string, PathShape>();
  const shape = (op: DocOperation): PathShape => {
    const known = shapes.get(op.path) ?? shapeOf(op.base === undefined ? op.path : `/${op.base}${op.path}`);
    shapes.set(op.path, known);
    return known;
  };
  const answers = new Map<DocOperation, Unwrapped | undefined>();
  const bodies = new Map<DocOperation, Unwrapped | undefined>();
  const answer = (op: DocOperation): Unwrapped | undefined => {
    if (!answers.has(op)) {
      const place = shape(op);
      const wantMany = op.method === 'get' && place.segments.at(-1)?.param !== true;
      answers.set(op, op.answer === undefined ? undefined : unwrap(op.answer, nounOf(place), wantMany, schemas, every));
    }
    return answers.get(op);
  };
  const body = (op: DocOperation): Unwrapped | undefined => {
    if (!bodies.has(op))
      bodies.set(op, op.body === undefined ? undefined : bodyOf(op.body.schema, nounOf(shape(op)), schemas));
    return bodies.get(op);
  };
  const items = new Set<string>();
  const lists = new Set<string>();
  const posts = new Set<string>();
  const ones = new Set<string>();
  const parts = new Set<string>();
  const kept = new Set<string>();
  const shown = new Set<string>();
  for (const op of operations) {
    const { segments, verb } = shape(op);
    segments.forEach((segment, at) => {
      if (segment.param && at > 0 && !segments[at - 1]?.param) items.add(placeOf(segments.slice(0, at)));
    });
    const [first = '', ...rest] = wordsOf(verb ?? segments.at(-1)?.text ?? '');
    if (rest.length > 0 && /^(get|list|fetch|retrieve|show)$/.test(first))
      parts.add(`${placeOf(verb === undefined ? segments.slice(0, -1) : segments)} ${rest.join('_')}`);
    if (verb !== undefined || segments.at(-1)?.param !== false) continue;
    if (op.method === 'post') posts.add(placeOf(segments));
    const many = op.method === 'get' ? answer(op)?.many : undefined;
    if (many === true) lists.add(placeOf(segments));
    if (many === false && isSingleName(segments)) ones.add(placeOf(segments));
    if (many === false && isWord(segments)) shown.add(placeOf(segments));
    const sets = (op.method === 'put' || op.method === 'patch') && body(op);
    if (sets && !sets.many && isObject(sets.item)) kept.add(placeOf(segments));
  }
  // Whatever it is called: what is set there and shown there is kept there.
  for (const place of shown) if (kept.has(place)) ones.add(place);
  return {
    schemas,
    shape,
    answer,
    body,
    hasItems: (place) => items.has(place),
    isListed: (place) => lists.has(place),
    takesPost: (place) => posts.has(place),
    isPartRead: (place, part) => parts.has(`${place} ${part}`),
    partsRead: (place) =>
      [...parts].flatMap((one) => (one.startsWith(`${place} `) ? [one.slice(place.length + 1)] : [])),
    isSingle: (place) => ones.has(place) && !items.has(place) && !lists.has(place),
  };
};
