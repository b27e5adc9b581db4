/** An answer where no operation of the document speaks: RFC 9457 problem details. */
import type { FaceError, FaceResponse } from './types.js';

export const plainProblem = ({ status, code, message, faults, headers }: FaceError): FaceResponse => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({
    type: 'about:blank',
    title: code.replaceAll('_', ' '),
    status,
    detail: message,
    code,
    ...(faults && faults.length > 0
      ? { errors: faults.map(({ in: place, at, message: detail }) => ({ in: place, at, detail })) }
      : {}),
  }),
});
