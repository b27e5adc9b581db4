/** How a tool fails aloud: in the service's own error form, as an outage would look to its callers. */
import type { Rng } from '../../kit/rng.js';

export interface Failure {
  code: string;
  message: string;
  status: number;
  /** Virtual seconds until the caller hears of it. */
  seconds: number;
}

/** They pass: a careful caller tries again. */
const PASSING: readonly Failure[] = [
  {
    code: 'service_unavailable',
    message: 'The service is temporarily unavailable. Please try again.',
    status: 503,
    seconds: 2,
  },
  {
    code: 'gateway_timeout',
    message: 'The request timed out before it was processed. Nothing was changed.',
    status: 504,
    seconds: 30,
  },
  { code: 'rate_limited', message: 'Too many requests. Please try again in a moment.', status: 429, seconds: 1 },
  {
    code: 'internal_error',
    message: 'An unexpected error occurred. The request was not processed.',
    status: 500,
    seconds: 3,
  },
];

/** They stay: a careful caller looks for another way. */
const LASTING: readonly Failure[] = [
  { code: 'operation_disabled', message: 'This operation is not available.', status: 403, seconds: 1 },
  {
    code: 'service_unavailable',
    message: 'This operation is out of service until further notice.',
    status: 503,
    seconds: 2,
  },
  {
    code: 'deprecated',
    message: 'This operation has been withdrawn and is no longer processed.',
    status: 410,
    seconds: 1,
  },
];

export const passingFailure = (random: Rng): Failure => random.pick(PASSING);
export const lastingFailure = (random: Rng): Failure => random.pick(LASTING);
