/**
 * What an in-process caller may know of a call besides its outcome: which of all rows a list shows, and the bare message of a failure.
 * Kept beside the outcome, which repeats of the call must equal.
 */
import type { ToolOutcome } from '../../world/program/types.js';
import type { CallOutcome } from '../tool-host.js';

export interface Page {
  offset: number;
  limit: number;
  more: boolean;
  total?: number | undefined;
}

export interface Beside {
  page?: Page;
  failure?: { message: string; field?: string | undefined };
}

const known = new WeakMap<CallOutcome, Beside>();

export const noteBeside = (outcome: CallOutcome, told: ToolOutcome): void => {
  if (!told.ok) {
    const { message, field } = told.error;
    known.set(outcome, { failure: { message, field } });
    return;
  }
  const { canonical } = told;
  if (canonical.kind !== 'rows') return;
  const { rows, offset = 0, limit = rows.length, more = false, total } = canonical;
  known.set(outcome, { page: { offset, limit, more, total } });
};

/** Nothing for an outcome that was answered again, was changed by what is woven in, or came from another process. */
export const besideOf = (outcome: CallOutcome): Beside => known.get(outcome) ?? {};
