/** What a call has to say besides its outcome, which repeats of the call must equal: made only for callers that ask (`CallOptions`). */
import type { ToolOutcome } from '../../world/program/types.js';
import type { Beside } from '../tool-host.js';

export const besideOf = (told: ToolOutcome): Beside => {
  if (!told.ok) {
    const { message, field } = told.error;
    return { failure: { message, field } };
  }
  const { canonical } = told;
  if (canonical.kind !== 'rows') return {};
  const { rows, offset = 0, limit = rows.length, more = false, total } = canonical;
  return { page: { offset, limit, more, total } };
};
