/** One valid request of an operation, from its schemas and examples and from ids that the lists show. */
import { isNode } from '../../src/document/node.js';
import { rng } from '../../src/kit/rng.js';
import type { FaceOperation } from '../../src/serve/face/types.js';
import { type Clerk, otherIds, pathIds, placesOf } from './ids.js';
import { type Drawing, valueFor } from './values.js';
import { mediaFor, requestOf, type Values, type WrittenBody } from './wire.js';

export interface Asked {
  request: Request;
  values: Values;
  body: WrittenBody | undefined;
}

/** Values of these steer paging: only the fake knows which are valid. */
const isCursor = (clerk: Clerk, operation: FaceOperation, name: string): boolean =>
  placesOf(clerk, operation).some(
    ({ arg, origin }) =>
      origin.name === name && (arg.role === 'cursor' || arg.role === 'offset' || arg.role === 'page'),
  ) || /cursor|token|after|before/i.test(name);

/** A text where no valid request can be made, saying why. */
export const askOf = async (
  clerk: Clerk,
  operation: FaceOperation,
  session: string,
  turn = 0,
): Promise<Asked | string> => {
  const { http } = operation;
  const { checks } = clerk.fake.rest;
  const draw = rng('rest', http.label, String(turn));
  const ids = await pathIds(clerk, operation, turn);
  const others = await otherIds(clerk, operation, turn);
  const values: Values = new Map();
  for (const param of http.params) {
    // A condition on an ETag that nobody has asks for 412.
    if (param.in === 'header' && /^if-/i.test(param.name)) {
      if (param.required) values.set(param, '*');
      continue;
    }
    const own = param.in === 'path' ? ids.get(param.name) : others.get(`${param.in} ${param.name}`);
    if (own === undefined && !param.required && (isCursor(clerk, operation, param.name) || !draw.chance(0.25)))
      continue;
    if (own !== undefined && param.in !== 'path' && !param.required && !draw.chance(0.5)) continue;
    const drawing: Drawing = { checks, draw: draw.stream(param.name) };
    const drawn = (): unknown =>
      param.example !== undefined && checks.check(param.schema, param.example, 'request').length === 0
        ? param.example
        : valueFor(param.schema, drawing);
    let value = own ?? drawn();
    const isText = checks.refs.resolve(param.schema).node.type === 'string';
    if (isText && typeof value === 'number') value = String(value);
    const [fault] = checks.check(param.schema, value, 'request');
    if (fault === undefined && value !== undefined && value !== '') values.set(param, value);
    else if (param.required) return `no value for ${param.in} parameter: ${param.name} ${fault?.message ?? ''}`;
  }
  let body: WrittenBody | undefined;
  // No client of Fetch can give a GET a body.
  const media = http.method === 'get' || http.method === 'head' ? undefined : mediaFor(http);
  if (media && /xml/i.test(media.type)) return 'the document takes only XML';
  if (media) {
    const given = (at: readonly string[]): unknown => others.get(`body ${at.join('/')}`);
    const drawing: Drawing = { checks, draw: draw.stream('body'), given };
    const isExample =
      isNode(media.example) &&
      others.size === 0 &&
      turn === 0 &&
      draw.chance(0.3) &&
      media.schema !== undefined &&
      checks.check(media.schema, media.example, 'request').length === 0;
    let value = isExample ? media.example : valueFor(media.schema ?? { type: 'object' }, drawing);
    let [fault] = media.schema ? checks.check(media.schema, value, 'request') : [];
    if (fault && media.schema) {
      value = valueFor(media.schema, { checks, draw: draw.stream('body again') });
      [fault] = checks.check(media.schema, value, 'request');
    }
    if (fault) {
      if (http.body?.required) return `no body that fits: ${fault.keyword} at ${fault.at}: ${fault.message}`;
    } else body = { media, value };
  }
  return { request: requestOf(http, values, body, session), values, body };
};
