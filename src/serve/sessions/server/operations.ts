/** Calls by the name their caller gave them, so that a call sent again is answered again and not run again. */
import type { Notice } from '../../../artifacts/firing.js';
import { TreadleError } from '../../../errors.js';
import { canonicalJson, sha256 } from '../../../kit/hash.js';
import type { CallOutcome } from '../../tool-host.js';
import type { ServedBook } from './served-book.js';

/** A caller that retries does so soon; what is older is forgotten. */
const KEPT = 128;

export interface Known {
  digest: string;
  index: number;
  status?: number;
  /** What was told with the answer. */
  notices?: readonly Notice[];
}

export class Operations {
  /** Made when first needed: few sessions name their calls. */
  #known: Map<string, Known> | undefined;

  /** The earlier call of that name. Throws `operation_conflict` when the name was given to another call. */
  find(name: string, tool: string, args: unknown): Known | undefined {
    const known = this.#known?.get(name);
    if (!known) return undefined;
    if (known.digest === digestOf(tool, args)) return known;
    throw new TreadleError({
      code: 'operation_conflict',
      message: 'This name was given to another call of the session',
      value: name,
      fault: 'agent',
      next: 'Give every call a name of its own, and repeat it only to send the same call again.',
    });
  }

  /** By a front's name, which it gives one request and so says nothing of the call. */
  of(forwarded: string): Known | undefined {
    return this.#known?.get(forwarded);
  }

  /** `call`: what the name stands for, where its caller could give it to another. */
  keep(name: string, call: { tool: string; args: unknown } | undefined, outcome: CallOutcome): Known {
    const known: Known = { digest: call ? digestOf(call.tool, call.args) : '', index: outcome.entry.index };
    if (outcome.error?.status !== undefined) known.status = outcome.error.status;
    if (outcome.notices !== undefined) known.notices = outcome.notices;
    this.put(name, known);
    return known;
  }

  /** As it was kept by another process. */
  put(name: string, known: Known): void {
    this.#known ??= new Map();
    this.#known.set(name, known);
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value as string);
  }

  all(): [string, Known][] {
    return [...(this.#known ?? [])];
  }

  /** After going back: calls from `length` on were undone, and their names are free again. */
  cutTo(length: number): void {
    for (const [name, { index }] of this.#known ?? []) if (index >= length) this.#known?.delete(name);
  }
}

const digestOf = (tool: string, args: unknown): string => sha256(`${tool}\n${canonicalJson(args ?? {})}`);

/** What the call was answered when it ran. Throws `ledger_lost`. */
export const answerAgain = (book: ServedBook, { index, status, notices }: Known): CallOutcome => {
  const entry = book.at(index);
  if (!entry)
    throw new TreadleError({
      code: 'ledger_lost',
      message: 'The call’s record is gone',
      value: index,
      fault: 'infrastructure',
    });
  const { ms: _, ...plain } = entry;
  const error = entry.error && { ...entry.error, status: status ?? 500 };
  const told = notices ? { notices } : {};
  return { ok: entry.ok, result: entry.result, ...(error ? { error } : {}), entry: plain, ...told };
};
