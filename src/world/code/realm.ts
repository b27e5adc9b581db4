/** A QuickJS realm that runs code tools: the prelude, then call after call. Lives in the process of child.ts. */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten';
import { PRELUDE } from './prelude.js';
import {
  broke,
  type CodeEnd,
  type CodeFault,
  type CodeJob,
  GRANTED,
  LONGEST_TEXT,
  TOO_DEEP,
  TOO_LONG,
  TOO_MUCH,
} from './protocol.js';

/**
 * Interrupts a call may see: QuickJS asks every 10,000 branches and calls, so this is about 5 million. Counted, not timed, so that
 * the same call always ends alike; the wall clock of the other side is for what QuickJS does not count.
 */
const MOST_INTERRUPTS = 500;
/** Of QuickJS's own stack, in bytes; the process's is larger by what its frames take on it. */
const STACK = 262_144;
/** Functions made from sources that a shared realm keeps. */
const MOST_KEPT = 64;
const FILE = 'tool.js';

/** Sends a question and waits for the answer, tag and text. */
export type AskOutside = (request: string) => { tag: string; text: string };

const placeOf = (stack: string): string => {
  const line = /tool\.js:(\d+)/.exec(stack)?.[1];
  return line === undefined ? '' : ` (line ${line})`;
};

/** Engine errors that are about room, by the words QuickJS has for them. */
const faultOf = (name: string, message: string): CodeFault => {
  if (/^(InternalError|SyntaxError)$/.test(name) && message === 'stack overflow') return 'code_stack';
  if (name === 'InternalError' && /^(out of memory|string too long)$/.test(message)) return 'code_memory';
  if (name === 'RangeError' && /^(invalid (string|array|array buffer) length|BigInt is too large)/.test(message))
    return 'code_memory';
  return 'code_error';
};

const WORDS: Partial<Record<CodeFault, string>> = {
  code_memory: TOO_MUCH,
  code_stack: TOO_DEEP,
};

export class Realm {
  /** How the call has ended already, whatever the tool does after. */
  #ended: CodeEnd | undefined;
  #interrupts = 0;
  readonly #context: QuickJSContext;
  readonly #start: QuickJSHandle;
  readonly #kept = new Map<string, QuickJSHandle>();

  constructor(
    quickjs: QuickJSWASMModule,
    readonly ask: AskOutside,
    readonly frozen: boolean,
  ) {
    const runtime = quickjs.newRuntime();
    runtime.setMaxStackSize(STACK);
    this.#context = runtime.newContext();
    const context = this.#context;
    const outside = context.newFunction('ask', (request) => context.newString(this.#asked(context.getString(request))));
    const failed = context.newFunction('fail', (request) => this.#failed(context.getString(request)));
    const longest = context.newNumber(LONGEST_TEXT);
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
    const isFrozen = frozen ? context.true : context.false;
    this.#start = context.unwrapResult(
      context.callFunction(prelude, context.undefined, outside, failed, isFrozen, longest),
    );
    for (const handle of [outside, failed, longest, prelude]) handle.dispose();
    runtime.setInterruptHandler(() => this.#ended !== undefined || ++this.#interrupts > MOST_INTERRUPTS);
  }

  /** Runs one call to its end. Throws what the engine itself breaks with; the realm is then of no more use. */
  call(job: CodeJob): CodeEnd {
    this.#ended = undefined;
    this.#interrupts = 0;
    const made = this.#factory(job.source);
    if ('end' in made) return made;
    const { source: _, fresh: __, ...opening } = job;
    const text = this.#context.newString(JSON.stringify(opening));
    const result = this.#context.callFunction(this.#start, this.#context.undefined, made, text);
    text.dispose();
    const end = result.error ? this.#stopped(result.error) : this.#told(result.value);
    return this.#ended ?? end;
  }

  dispose(): void {
    for (const factory of this.#kept.values()) factory.dispose();
    this.#start.dispose();
    const { runtime } = this.#context;
    this.#context.dispose();
    runtime.dispose();
  }

  #factory(source: string): QuickJSHandle | CodeEnd {
    const known = this.#kept.get(source);
    if (known) return known;
    const result = this.#context.evalCode(source, FILE);
    if (result.error) return this.#stopped(result.error);
    if (this.#kept.size >= MOST_KEPT) {
      const [oldest, handle] = this.#kept.entries().next().value as [string, QuickJSHandle];
      handle.dispose();
      this.#kept.delete(oldest);
    }
    this.#kept.set(source, result.value);
    return result.value;
  }

  #asked(request: string): string {
    if (this.#ended) return 'NThe call has ended';
    const { tag, text } = this.ask(request);
    if (tag !== GRANTED) this.#ended = { end: 'refused' };
    return tag + text;
  }

  #failed(request: string): void {
    if (this.#ended) return;
    const [code, message, field] = JSON.parse(request) as [string, string, string | null];
    this.#ended = { end: 'failed', code, message, ...(field !== null && { field }) };
  }

  /** The call was cut off, or the source does not compile. */
  #stopped(error: QuickJSHandle): CodeEnd {
    const { name, message } = this.#context.dump(error) as { name?: unknown; message?: unknown };
    error.dispose();
    if (this.#interrupts > MOST_INTERRUPTS) return broke('code_timeout', TOO_LONG);
    const fault = faultOf(String(name), String(message));
    return broke(fault, WORDS[fault] ?? `${name}: ${message}`);
  }

  #told(value: QuickJSHandle): CodeEnd {
    const text = this.#context.getString(value);
    value.dispose();
    if (text.startsWith('R')) return { end: 'returned', value: text.slice(1) };
    const [name = '', message = '', stack = ''] = JSON.parse(text.slice(1)) as string[];
    const fault = faultOf(name, message);
    if (text.startsWith('Y') && fault === 'code_error')
      return broke('code_result', `The tool's result cannot be used: ${message}`);
    return broke(fault, WORDS[fault] ?? `The tool threw ${name}: ${message}${placeOf(stack)}`);
  }
}
