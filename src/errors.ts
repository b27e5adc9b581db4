/**
 * The one error type, and `boundary()`, which decides whose fault a failure is (architecture.md, decision 6).
 */

/** Whose fault a failure is. `agent` failures are observations, the rest are defects that somebody has to mend. */
export type Fault = 'agent' | 'policy' | 'user' | 'input' | 'world' | 'task' | 'verifier' | 'model' | 'infrastructure';

export interface ErrorDetail {
  /** Stable, lower_snake: what went wrong. */
  code: string;
  message: string;
  /** The offending value, shortened for the reader. */
  value?: unknown;
  /** What the reader should do now. */
  next?: string;
  fault?: Fault;
  isRetryable?: boolean;
  cause?: unknown;
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
};

export class TreadleError extends Error {
  readonly code: string;
  readonly value: unknown;
  readonly next: string | undefined;
  readonly fault: Fault;
  readonly isRetryable: boolean;

  constructor(detail: ErrorDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'TreadleError';
    this.code = detail.code;
    this.value = detail.value;
    this.next = detail.next;
    this.fault = detail.fault ?? 'input';
    this.isRetryable = detail.isRetryable ?? false;
  }

  /** One line for a person: message, offending value, next step. */
  line(): string {
    const value = this.value === undefined ? '' : ` (${shown(this.value)})`;
    return `${this.message}${value}${this.next ? `. ${this.next}` : ''}`.replaceAll('\n', ' ');
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      value: this.value,
      next: this.next,
      fault: this.fault,
      isRetryable: this.isRetryable,
    };
  }
}

/** Turns whatever was thrown into a TreadleError that carries `fault`; a TreadleError keeps its own. */
export const asTreadleError = (thrown: unknown, fault: Fault, code = 'unexpected'): TreadleError => {
  if (thrown instanceof TreadleError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new TreadleError({
    code,
    message,
    fault,
    cause: thrown,
    next: 'This is a defect: please report it with the command you ran.',
  });
};

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: TreadleError };

/** Runs `work`; a failure comes back as data with its fault instead of as an exception. */
export const boundary = async <T>(fault: Fault, work: () => Promise<T> | T): Promise<Outcome<T>> => {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return { ok: false, error: asTreadleError(thrown, fault) };
  }
};
