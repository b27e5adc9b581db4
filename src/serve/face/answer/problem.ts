/** The form of errors where a document has none: RFC 9457. */
import type { Json } from '../../../kit/hash.js';
import type { FaceError } from '../types.js';

export const PROBLEM = 'application/problem+json';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

export const problemOf = ({ status, code, message, field, faults }: FaceError): Json => ({
  type: 'about:blank',
  title: TITLES[status] ?? 'Error',
  status,
  detail: message,
  code,
  ...(field === undefined ? {} : { field }),
  ...(faults && faults.length > 0
    ? {
        errors: faults
          .slice(0, 100)
          .map(({ in: place, at, keyword, message: detail }) => ({ in: place, at, keyword, detail })),
      }
    : {}),
});
