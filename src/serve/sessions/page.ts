/** Which of all rows the answer of a list shows: for whoever links to the next page. Beside the outcome, which repeats must equal. */
import type { Canonical } from '../../world/program/types.js';
import type { CallOutcome } from '../tool-host.js';

export interface Page {
  offset: number;
  limit: number;
  more: boolean;
  total?: number | undefined;
}

const pages = new WeakMap<CallOutcome, Page>();

export const notePage = (outcome: CallOutcome, canonical: Canonical): void => {
  if (canonical.kind !== 'rows') return;
  const { rows, offset = 0, limit = rows.length, more = false, total } = canonical;
  pages.set(outcome, { offset, limit, more, total });
};

/** Undefined for what is no list, and for an outcome that was answered again or came from another process. */
export const pageOfOutcome = (outcome: CallOutcome): Page | undefined => pages.get(outcome);
