/** What a scenario's events have to tell after a call, beside the document's own answer: in a header, which no schema speaks of. */
import type { Notice } from '../../artifacts/firing.js';
import type { FaceResponse } from './types.js';

export const NOTICES_HEADER = 'x-treadle-notices';

/** JSON of characters that a header may hold. */
const ascii = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const withNotices = (response: FaceResponse, notices: readonly Notice[] | undefined): FaceResponse => {
  if (notices && notices.length > 0)
    response.headers[NOTICES_HEADER] = ascii(notices.map(({ to, text }) => ({ from: to, text })));
  return response;
};
