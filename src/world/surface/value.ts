/** What a codec is, and how a value that does not fit is refused. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { SqlValue } from '../state/types.js';

export interface Codec {
  /** Null stays null. `currency` is that of the row, where it has one. */
  encode(value: SqlValue, currency?: string): Json;
  /** Throws `invalid_argument` whose message completes "<name> ..."; never sees null. */
  decode(json: Json, currency?: string): SqlValue;
  /** JSON Schema of the surface form (without null). */
  schema: Record<string, Json>;
  /** How the form is written, where the schema alone does not say it. */
  hint?: string;
  /** The surface form is the canonical one. */
  isPlain?: true;
}

/** Longest text a caller may hand in. */
export const MAX_TEXT = 65_536;

/** What an agent did wrong: an observation for it, never a crash. `field` is the argument at fault as the agent writes it. */
export class AgentError extends TreadleError {
  constructor(
    code: string,
    message: string,
    readonly field?: string,
  ) {
    // Thousands of these are expected observations; nobody looks at where in our code they arose.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super({ code, message, value: field, fault: 'agent' });
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** A value an agent gave that does not fit; `reason` reads after the argument's name. */
export const badValue = (reason: string, value: unknown): TreadleError =>
  new TreadleError({ code: 'invalid_argument', message: reason, value, fault: 'agent' });

const asText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

/** A value as an error message shows it. */
export const shownValue = (value: unknown): string => {
  const text = typeof value === 'string' ? `'${value}'` : asText(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};
