/** Calls by the name their caller gave them, so that a call sent again is answered again and not run again. */
import type { Notice } from '../../../artifacts/firing.js';
import { TreadleError } from '../../../errors.js';
import { canonicalJson, sha256 } from '../../../kit/hash.js';
import type { CallOutcome } from '../../tool-host.js';

/** A caller that retries does so soon; what is older is forgotten. */
const KEPT = 128;

export interface Known {
  digest: string;
  index: number;
  status: number | undefined;
  /** What was told with the answer. */
  notices: readonly Notice[] | undefined;
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

  keep(name: string, tool: string, args: unknown, outcome: CallOutcome): void {
    this.#known ??= new Map();
    this.#known.set(name, {
      digest: digestOf(tool, args),
      index: outcome.entry.index,
      status: outcome.error?.status,
      notices: outcome.notices,
    });
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value as string);
  }

  /** After going back: calls from `length` on were undone, and their names are free again. */
  cutTo(length: number): void {
    for (const [name, { index }] of this.#known ?? []) if (index >= length) this.#known?.delete(name);
  }
}

const digestOf = (tool: string, args: unknown): string => sha256(`${tool}\n${canonicalJson(args ?? {})}`);
