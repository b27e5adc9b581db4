/** What running code asks of its world: rows by the same steps that declared tools have, and files. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { Bound, Run, StepFn } from '../program/run.js';
import type { Site } from '../program/scope.js';
import { GRANTED, LONGEST_FRAME, REFUSED } from './protocol.js';
import { type Ask, type FileAsk, isFileAsk, misused, type Shape, shapeOf } from './shapes.js';

/** Questions that one call may ask. */
const MOST_ASKS = 5_000;
/** Bytes, roughly: a character may take three. */
const LONGEST_ANSWER = LONGEST_FRAME / 4;
const MOST_SHAPES = 256;
const LONGEST_SHAPE = 4_096;

/** One call while its code runs. */
export interface CodeCall {
  run: Run;
  asks: number;
  /** Set by the first thing that went wrong; the call then ends with it, whatever the code does. */
  failure?: { thrown: unknown };
  /** Writes in their order, to be done again elsewhere; absent where they are done in place. */
  writes?: StepFn[];
  /** Points the connection at the state to be read or written, where it may have been pointed elsewhere meanwhile. */
  turnTo?(use: 'read' | 'write'): void;
}

export class Operations {
  readonly #shapes = new Map<string, Shape>();

  constructor(
    readonly site: Site,
    readonly usesFiles: boolean,
  ) {}

  /** Answers a question of running code. Never throws: what goes wrong is kept in the call. */
  answer(call: CodeCall, text: string): string {
    if (call.failure) return `${REFUSED}The call has failed`;
    try {
      if (++call.asks > MOST_ASKS) throw misused(this.site, `it asks more than ${MOST_ASKS} times`);
      const found = JSON.stringify(this.#perform(call, JSON.parse(text) as Ask) ?? null);
      if (found.length > LONGEST_ANSWER) throw misused(this.site, 'it asks for too much at once');
      return GRANTED + found;
    } catch (thrown) {
      call.failure = { thrown: this.#asDefect(thrown) };
      return REFUSED + (thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #perform(call: CodeCall, ask: Ask): Bound | Json {
    const { run } = call;
    if (isFileAsk(ask)) return this.#file(run, ask);
    const { key, make, input } = shapeOf(this.site, ask);
    call.turnTo?.(ask.do === 'get' || ask.do === 'find' || ask.do === 'query' ? 'read' : 'write');
    const shape = this.#shapes.get(key) ?? this.#kept(key, make(run.conn));
    let out: Bound = null;
    const work: StepFn = ({ conn, ctx, args }) => {
      const own: Run = { conn, ctx, args, slots: [input, null], turns: 1 };
      shape.run(own);
      out = own.slots[1] ?? null;
    };
    work(run);
    if (shape.writes) call.writes?.push(work);
    return out;
  }

  /** What the declared steps call a defect of the spec is one of the code here. */
  #asDefect(thrown: unknown): unknown {
    if (!(thrown instanceof TreadleError) || thrown.fault !== 'world') return thrown;
    if (thrown.code === 'constraint' || thrown.code === 'budget_exceeded' || thrown.code.startsWith('code_'))
      return thrown;
    return misused(this.site, thrown.message.replace(`${this.site.spec.id}: ${this.site.toolName} `, ''));
  }

  #kept(key: string, shape: Shape): Shape {
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear();
    if (key.length <= LONGEST_SHAPE) this.#shapes.set(key, shape);
    return shape;
  }

  #file({ ctx: { workspace } }: Run, ask: FileAsk): Json {
    // What the source does not show could not be undone.
    if (!this.usesFiles) throw misused(this.site, 'it uses files, which its source does not name');
    const text = (value: unknown, what: string): string => {
      if (typeof value === 'string') return value;
      throw misused(this.site, `files.${ask.do} wants a text as ${what}`);
    };
    switch (ask.do) {
      case 'read':
        return workspace.read(text(ask.path, 'path'));
      case 'list':
        return workspace.list(text(ask.path ?? '', 'path'));
      case 'write':
        workspace.write(text(ask.path, 'path'), text(ask.content, 'content'));
        return null;
      case 'move':
        workspace.move(text(ask.path, 'path'), text(ask.to, 'new path'));
        return null;
      case 'remove':
        workspace.delete(text(ask.path, 'path'));
        return null;
    }
  }
}
