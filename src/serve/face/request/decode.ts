/** A request to the values its operation takes, checked against the document; all that is wrong with it at once. */
import type { SchemaChecks } from '../../../document/checks.js';
import type { HttpParam } from '../../../document/http.js';
import type { Json } from '../../../kit/hash.js';
import type { DecodedRequest, FaceError, FaceOperation, FaceRequest, RequestFault } from '../types.js';
import { type BodyRead, bodyOf } from './body.js';
import { withoutSent } from './credential.js';
import { isFile } from './files.js';
import { DEFAULT_LIMITS, type Limits } from './limits.js';
import { paramsOf } from './params.js';
import type { Found } from './router.js';

const MOST_FAULTS = 20;

/** `/a/b` to `a.b`, as errors name fields. */
const dotted = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');

const hasValue = (params: Readonly<Record<string, Json>>, key: string): boolean => Object.hasOwn(params, key);

/** Headers that HTTP has for itself; a document may not describe them as parameters (OpenAPI 3.1, 4.8.12.1). */
const OWN_HEADERS = new Set(['accept', 'content-type', 'authorization']);

const isRead = (param: HttpParam): boolean => param.in !== 'header' || !OWN_HEADERS.has(param.name.toLowerCase());

const paramFaults = (
  list: readonly HttpParam[],
  params: Readonly<Record<string, Json>>,
  checks: SchemaChecks,
): RequestFault[] =>
  list.flatMap((param): RequestFault[] => {
    const key = `${param.in} ${param.name}`;
    const place = { in: param.in, at: param.name };
    if (!hasValue(params, key))
      return param.required ? [{ ...place, keyword: 'required', message: `${param.name} is required.` }] : [];
    return checks.check(param.schema, params[key], 'request').map(({ at, keyword, message }) => ({
      ...place,
      keyword,
      message: `${[param.name, ...(at === '' ? [] : [dotted(at)])].join('.')} ${message}.`,
    }));
  });

const bodyFaults = (read: { value: Json; media: { schema: unknown } }, checks: SchemaChecks): RequestFault[] =>
  // Bytes are whatever they are; schemas of bytes are those of a text that stands for them.
  read.media.schema === undefined || isFile(read.value)
    ? []
    : checks
        .check(read.media.schema as Record<string, unknown>, read.value, 'request')
        .map(({ at, keyword, message }) => ({
          in: 'body',
          at,
          keyword,
          message: `${at === '' ? 'The body' : dotted(at)} ${message}.`,
        }));

/** The status that the document has for requests that do not fit: 400 before 422, 404 where only the path is wrong and it has neither. */
const statusOf = (operation: FaceOperation, faults: readonly RequestFault[]): number => {
  const has = (status: string): boolean => operation.http.answers.some((answer) => answer.status === status);
  if (has('400') || has('4XX')) return 400;
  if (has('422')) return 422;
  return has('404') && faults.every((fault) => fault.in === 'path') ? 404 : 400;
};

/** Where the document has a status for callers it does not know. */
const hasUnauthorized = ({ http }: FaceOperation): boolean =>
  http.answers.some(({ status }) => status === '401' || status === '4XX' || status === 'default');

const refused = (operation: FaceOperation, all: readonly RequestFault[], isUnknown: boolean): FaceError => {
  const faults = all.slice(0, MOST_FAULTS);
  const [first] = faults as [RequestFault];
  const unauthorized = isUnknown && hasUnauthorized(operation);
  const status = unauthorized ? 401 : statusOf(operation, faults);
  const code = unauthorized
    ? 'unauthorized'
    : status === 404
      ? 'not_found'
      : first.keyword === 'required'
        ? 'missing_argument'
        : 'invalid_argument';
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return {
    status,
    code,
    message: `${first.message}${more}`,
    field: (first.in === 'body' ? dotted(first.at) : first.at) || undefined,
    faults,
  };
};

const tooMany = (most: number): FaceError => ({
  status: 400,
  code: 'invalid_argument',
  message: `The query has more than ${most} fields.`,
});

export const isFaceError = (value: DecodedRequest | FaceError): value is FaceError => 'status' in value;

/** A promise for multipart bodies only. */
export const decode = (
  operation: FaceOperation,
  found: Found,
  request: FaceRequest,
  checks: SchemaChecks,
  limits: Limits = DEFAULT_LIMITS,
): DecodedRequest | FaceError | Promise<DecodedRequest | FaceError> => {
  const list = operation.http.params.filter(isRead);
  const read = paramsOf(list, found, request, checks.refs, limits.pairs);
  if (!read) return tooMany(limits.pairs);
  const finish = (body: BodyRead): DecodedRequest | FaceError => {
    if ('error' in body && body.error.code !== 'missing_argument') return body.error;
    const all = [
      ...read.faults,
      ...paramFaults(
        list.filter((param) => !read.faults.some((fault) => fault.in === param.in && fault.at === param.name)),
        read.params,
        checks,
      ),
      ...('error' in body ? (body.error.faults ?? []) : body.body ? bodyFaults(body.body, checks) : []),
    ];
    const { faults, missing } = withoutSent(operation, request, all, checks.refs);
    if (faults.length > 0) return refused(operation, faults, missing);
    const { params } = read;
    return 'body' in body && body.body ? { params, body: body.body.value, media: body.body.type } : { params };
  };
  const body = bodyOf(operation.http.body, request, checks.refs, limits);
  return body instanceof Promise ? body.then(finish) : finish(body);
};
