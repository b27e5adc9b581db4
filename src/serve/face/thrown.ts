/** Errors of sessions and of ours, as statuses. */
import type { TreadleError } from '../../errors.js';
import type { FaceError } from './types.js';

/** What a request hears of an error of ours or of its session. */
export const ofThrown = (error: TreadleError): FaceError => {
  const status: Record<string, number> = {
    bad_session_name: 400,
    unknown_session: 401,
    session_closed: 401,
    token_needed: 401,
    session_exists: 409,
    session_paused: 409,
    session_forked: 409,
    session_recovering: 503,
    operation_conflict: 409,
    rolled_back: 409,
    at_capacity: 503,
  };
  const known = status[error.code] ?? (error.fault === 'agent' ? 400 : 500);
  return {
    status: known,
    code: error.code,
    message: error.line(),
    ...(known === 503 ? { headers: { 'retry-after': '5' } } : {}),
  };
};
