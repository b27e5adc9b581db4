/** The admin token of a running server, as commands that ask one get it. */
import { TreadleError } from '../../errors.js';

/** Throws `no_token`. */
export const adminToken = (given: string | undefined): string => {
  const found = given ?? process.env.TREADLE_ADMIN_TOKEN;
  if (found) return found;
  throw new TreadleError({
    code: 'no_token',
    message: 'A server is asked with its admin token',
    next: 'Give --token, or set TREADLE_ADMIN_TOKEN; treadle serve prints it at its start.',
  });
};
