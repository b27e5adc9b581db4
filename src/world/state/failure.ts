/** Turns SQLite's result codes into errors that say what to do. */
import { TreadleError } from '../../errors.js';

const INTERRUPT = 9;
const CONSTRAINT = 19;
const BUSY = 5;
const IOERR = 10;

/** `code` may be an extended one; `message` is SQLite's own text. */
export const sqlFailure = (code: number, message: string, sql: string): TreadleError => {
  const kind = code & 0xff;
  if (kind === INTERRUPT)
    return new TreadleError({
      code: 'budget_exceeded',
      message: 'The statement needed more steps than its budget',
      value: sql,
      next: 'Narrow the query, or raise the limit.',
      fault: 'world',
    });
  if (kind === CONSTRAINT) return new TreadleError({ code: 'constraint', message, value: sql, fault: 'world' });
  if (kind === BUSY)
    return new TreadleError({
      code: 'state_busy',
      message: 'Another connection is in a transaction on this state',
      value: sql,
      next: 'Commit or roll back there first.',
      fault: 'infrastructure',
    });
  if (kind === IOERR)
    return new TreadleError({
      code: 'state_unreadable',
      message: 'The connection is not bound to a live state',
      value: sql,
      next: 'Bind a state that was not dropped.',
      fault: 'infrastructure',
    });
  return new TreadleError({
    code: 'sql_error',
    message: `SQL error: ${message}`,
    value: sql,
    next: 'Mend the statement.',
    fault: 'world',
  });
};

/** `what` is what the authorizer refused. */
export const deniedFailure = (what: string, sql: string): TreadleError =>
  new TreadleError({
    code: 'sql_denied',
    message: `A statement may not do this: ${what}`,
    value: sql,
    next: 'Use tables of the service only; begin, commit and rollback are methods.',
    fault: 'world',
  });
