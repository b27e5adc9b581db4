/** A drill's client: one session's only one, with a name for every call, who writes down what was sent and heard. */

import { TreadleError } from '../../src/errors.js';
import { canonicalJson, type Json } from '../../src/kit/hash.js';
import type { ClientEvent, Recorded } from './history.js';

export interface Call {
  operation: string;
  tool: string;
  args: Json;
}

interface Said {
  result: Json;
  entry: { index: number };
}

export const nameOfCall = (tool: string, args: unknown): string => canonicalJson({ tool, args: args ?? {} });

export const recorded = (entries: readonly { tool: string; args: unknown; result: unknown }[]): Recorded[] =>
  entries.map(({ tool, args, result }) => ({ call: nameOfCall(tool, args), result: canonicalJson(result) }));

/** Said before anything runs. Whatever else is said, the call may have run: at a worker that ended, or without being kept. */
const SURELY_NOT = new Set(['rolled_back', 'wrong_seq', 'disk_low', 'log_full', 'unknown_session']);

export class DrillClient {
  readonly events: ClientEvent[] = [];
  #made = 0;
  /** What is not known to have run or not, and is asked again before anything else. */
  #open: Call | undefined;

  /** `make`: what a session is asked as its n-th call. */
  constructor(
    readonly session: string,
    readonly make: (n: number) => Omit<Call, 'operation'>,
  ) {}

  get #fresh(): Call {
    const n = this.#made++;
    return { operation: `op-${n}`, ...this.make(n) };
  }

  #sent(call: Call): void {
    this.events.push({ is: 'sent', operation: call.operation, call: nameOfCall(call.tool, call.args) });
  }

  get hasOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Asks once. `ask` gives undefined where nobody will ever hear the answer. True where it was answered. */
  async ask(ask: (call: Call) => Promise<Said | undefined>): Promise<boolean> {
    const call = this.#open ?? this.#fresh;
    const { operation } = call;
    this.#open = call;
    this.#sent(call);
    try {
      const said = await ask(call);
      if (said === undefined) {
        this.events.push({ is: 'unknown', operation, why: 'no answer' });
        return false;
      }
      this.#open = undefined;
      this.events.push({
        is: 'answered',
        operation,
        index: said.entry.index,
        result: canonicalJson(said.result),
      });
      return true;
    } catch (thrown) {
      this.#failed(operation, thrown);
      return false;
    }
  }

  #failed(operation: string, thrown: unknown): void {
    if (!(thrown instanceof TreadleError)) throw thrown;
    const { code, value } = thrown;
    if (!SURELY_NOT.has(code)) {
      this.events.push({ is: 'unknown', operation, why: code });
      return;
    }
    if (code === 'rolled_back') {
      const { seq, lost } = value as { seq: number; lost: number };
      this.events.push({ is: 'rolled_back', seq, lost });
    }
    this.events.push({ is: 'refused', operation, why: code });
  }

  /** Asks a call again that was asked before, by its name. */
  async repeat(n: number, ask: (call: Call) => Promise<Said | undefined>): Promise<void> {
    if (this.#open || n >= this.#made) return;
    const before = this.#open;
    this.#open = { operation: `op-${n}`, ...this.make(n) };
    await this.ask(ask);
    this.#open = before;
  }

  get made(): number {
    return this.#made;
  }

  /** Sent to somebody whose answer nobody hears. */
  async inVain(ask: (call: Call) => Promise<unknown>): Promise<void> {
    const call = this.#fresh;
    this.#sent(call);
    await ask(call).catch(() => undefined);
    this.events.push({ is: 'unknown', operation: call.operation, why: 'nobody heard' });
  }
}
