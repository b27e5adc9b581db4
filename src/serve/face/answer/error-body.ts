/** An error in the form of a document's own schema: its parts go to the properties that are called so. */
import type { Json } from '../../../kit/hash.js';
import { snake } from '../../../kit/words.js';
import type { FaceError } from '../types.js';
import type { Flat } from './flat.js';
import { kindsOf } from './kinds.js';
import type { Shapes } from './scope.js';

const MESSAGE =
  /^(message|detail|details|error_description|description|error_message|msg|title|reason|user_message|error_detail|developer_message|more_info_message|summary|text|fault_string|display_message|localized_message|long_message|short_message)$/;
const CODE =
  /^(code|error_code|error|type|error_type|errorcode|slug|name|kind|id|status_text|key|err|reason_code|app_code|error_name)$/;
const STATUS = /^(status|status_code|statuscode|http_status|http_status_code|http_code|response_code)$/;
const FIELD =
  /^(field|param|parameter|property|source|target|path|pointer|attribute|location|loc|argument|field_name|parameter_name|name)$/;
const LIST =
  /^(errors?|details?|faults|issues|violations|invalid_params|validation_errors|field_errors|sub_?errors|messages|error_messages|causes)$/;
const NEST = /^(errors?|fault|meta|problem|response|data|result|status|exception|body)$/;
const REFUSED = /^(ok|success|succeeded|successful|is_success|result)$/;
const MAX_DEPTH = 4;

interface Part {
  code: string;
  message: string;
  status: number;
  field: string | undefined;
}

const words = (text: string): string[] =>
  snake(text)
    .split('_')
    .filter((word) => word.length > 1 && !/^(not|no|is|the|error|err)$/.test(word));

const ALIKE: Readonly<Record<string, readonly string[]>> = {
  not_found: ['unknown', 'no', 'exist', 'nonexistent'],
  invalid_argument: ['invalid', 'bad', 'request', 'parameter', 'validation', 'arg', 'arguments', 'input', 'malformed'],
  unauthorized: ['auth', 'authentication', 'unauthenticated', 'authed', 'token', 'credentials'],
  forbidden: ['permission', 'denied', 'access', 'authorization', 'restricted'],
  conflict: ['exists', 'duplicate', 'already', 'taken', 'state'],
  rate_limited: ['rate', 'limit', 'ratelimited', 'too', 'many', 'throttled'],
  internal: ['internal', 'server', 'error', 'api', 'unexpected', 'fatal'],
};
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'invalid_argument',
  429: 'rate_limited',
  500: 'internal',
};

/** `channel_not_found`, where the channel that is spoken of is not there. */
const missingCode = (listed: readonly Json[], { code, field }: Part): Json | undefined => {
  const name = snake(field ?? '').replace(/_(id|key)$/, '');
  if (code !== 'invalid_reference' || name === '') return undefined;
  return listed.find((value) => typeof value === 'string' && isMissing(snake(value), name));
};

const isMissing = (said: string, name: string): boolean =>
  [`${name}_not_found`, `unknown_${name}`, `no_such_${name}`, `${name}_does_not_exist`, `invalid_${name}`].includes(
    said,
  );

/** Of the listed codes the one that says most of what ours says. */
const nearestCode = (listed: readonly Json[], part: Part): Json | undefined => {
  const missing = missingCode(listed, part);
  if (missing !== undefined) return missing;
  const general = part.status >= 500 ? 'internal' : 'invalid_argument';
  const said = new Set(part.status === 404 ? words(part.message.slice(0, 200)) : []);
  const group = BY_STATUS[part.status] ?? general;
  return (
    bestOf(listed, new Set(words(part.code)), group, said) ??
    // What lists kinds of errors has none for a missing row: it is a request that is wrong.
    bestOf(listed, new Set(), general)
  );
};

/** `about`: what the message speaks of, where two say the same otherwise (`user_not_found`, `team_not_found`). */
const bestOf = (
  listed: readonly Json[],
  own: ReadonlySet<string>,
  group: string,
  about: ReadonlySet<string> = new Set(),
): Json | undefined => {
  const like = new Set([...words(group), ...(ALIKE[group] ?? [])]);
  let best: Json | undefined;
  let most = 0;
  for (const value of listed.slice(0, 1_000)) {
    if (typeof value !== 'string') continue;
    const said = words(value);
    const alike = said.reduce((sum, word) => sum + (own.has(word) ? 3 : like.has(word) ? 2 : 0), 0);
    const isAbout = alike > 0 && said.some((word) => about.has(word));
    const points = alike / (said.length + 1) + (isAbout ? 0.1 : 0);
    if (points > most) [best, most] = [value, points];
  }
  return best;
};

/** What the property says of the error; undefined where it says something else. */
const partIn = (plain: string, flat: Flat, part: Part): Json | undefined => {
  const kinds = kindsOf(flat);
  const text = kinds.length === 0 || kinds.includes('string');
  const numeric = kinds.includes('integer') || kinds.includes('number');
  if (REFUSED.test(plain) && kinds.includes('boolean')) return false;
  if (plain === 'error' && kinds.includes('boolean')) return true;
  if (STATUS.test(plain)) {
    if (numeric) return part.status;
    return (flat.listed ? nearestCode(flat.listed, part) : undefined) ?? String(part.status);
  }
  if (FIELD.test(plain) && part.field !== undefined && text && !(CODE.test(plain) && flat.listed)) return part.field;
  if (CODE.test(plain)) {
    if (flat.listed) return nearestCode(flat.listed, part);
    if (numeric) return part.status;
    return text ? part.code : undefined;
  }
  return MESSAGE.test(plain) && text ? part.message : undefined;
};

const partsOf = (error: FaceError): Part[] =>
  (error.faults ?? []).slice(0, 50).map(({ at, keyword, message }) => ({
    code: keyword === 'required' ? 'required' : error.code,
    message,
    status: error.status,
    field: at,
  }));

/** A body for `error` as far as the schema's names tell; what it requires besides is made by its shape. */
export const errorBody = (flat: Flat, shapes: Shapes, error: FaceError): Json => {
  const whole: Part = { code: error.code, message: error.message, status: error.status, field: error.field };
  const parts = partsOf(error);
  const build = (at: Flat, part: Part, depth: number): Json => {
    const kinds = kindsOf(at);
    if (kinds.includes('string') && !kinds.includes('object')) return part.message;
    const out: { [key: string]: Json } = {};
    const properties = new Map(at.properties);
    for (const choice of at.choices) {
      const [first] = choice.branches;
      if (depth < MAX_DEPTH)
        for (const [name, schema] of shapes.flats.of(first).properties)
          if (!properties.has(name)) properties.set(name, schema);
    }
    for (const [name, schema] of properties) {
      if (name === '__proto__') continue;
      const property = shapes.flats.of(schema);
      const plain = snake(name);
      const inside = kindsOf(property);
      if (inside.includes('array') && LIST.test(plain) && depth < MAX_DEPTH) {
        const item = shapes.flats.of(property.items);
        const listed = parts.length > 0 ? parts : [part];
        if (depth === 0 || parts.length > 0 || at.required.has(name))
          out[name] = listed.map((one) => build(item, one, depth + 1));
      } else if (inside.includes('object') && NEST.test(plain) && depth < MAX_DEPTH)
        out[name] = build(property, part, depth + 1);
      else if (!inside.includes('object') && !inside.includes('array')) {
        const value = partIn(plain, property, part);
        if (value !== undefined) out[name] = value;
      }
    }
    return out;
  };
  if (kindsOf(flat)[0] === 'array') {
    const item = shapes.flats.of(flat.items);
    return (parts.length > 0 ? parts : [whole]).map((part) => build(item, part, 1));
  }
  return build(flat, whole, 0);
};
