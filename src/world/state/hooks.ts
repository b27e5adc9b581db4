/** The three functions that SQLite calls back, made once an instance: each is a wasm module of its own, too dear for every handle. */
import type { Authorizer } from './authorizer.js';
import type { Footprint } from './footprint.js';
import type { Wasm } from './wasm.js';

/** Whose handle calls. */
export interface Hooked {
  readonly authorizer: Authorizer;
  readonly footprint: Footprint;
}

export class Hooks {
  /** Addresses in the table of functions; the first two are told the number that `add` answered as their argument. */
  readonly authorizer: number;
  readonly preupdate: number;
  /** Stops the statement. */
  readonly progress: number;
  readonly #hooked: (Hooked | undefined)[] = [];
  readonly #free: number[] = [];

  constructor(wasm: Wasm) {
    const at = (context: number): Hooked => this.#hooked[context] as Hooked;
    this.authorizer = wasm.callback(
      'i(pipppp)',
      (context: number, action: number, first: number, second: number, db: number) =>
        at(context).authorizer.decide(action, first, second, db),
    );
    this.preupdate = wasm.callback(
      'v(ppippjj)',
      (context: number, _db: number, op: number, _name: number, table: number, one: bigint, two: bigint) =>
        at(context).footprint.note(op, table, one, two),
    );
    this.progress = wasm.callback('i(p)', () => 1);
  }

  /** The number under which calls reach `hooked`, until it is removed. */
  add(hooked: Hooked): number {
    const context = this.#free.pop() ?? this.#hooked.length;
    this.#hooked[context] = hooked;
    return context;
  }

  remove(context: number): void {
    this.#hooked[context] = undefined;
    this.#free.push(context);
  }
}
