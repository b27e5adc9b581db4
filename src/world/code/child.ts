/** The process that runs code tools: reads a job from stdin, answers on stdout, asks in between. Started by code-process.ts. */
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten';
import { readFrame, writeFrame } from './frames.js';
import { ASK, broke, type CodeEnd, type CodeJob, END, LAST, READY, TOO_DEEP, TOO_MUCH } from './protocol.js';
import { Realm } from './realm.js';

const IN = 0;
const OUT = 1;
const PAGE = 65_536;
const FIRST_PAGES = 256;
/** Of all realms together: QuickJS's own memory limit does not hold under WebAssembly. */
const MOST_PAGES = 1_024;
/** Beyond this a shared realm would have little room left, and a call's fate would hang on the calls before it. */
const RETIRE_BYTES = 32 * 1_048_576;
const SHARED_CALLS = 5_000;

// The language's own types leave it out.
const { Memory } = (
  globalThis as unknown as { WebAssembly: { Memory: new (pages: object) => { buffer: ArrayBuffer } } }
).WebAssembly;
const memory = new Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory: memory }));

const ask = (request: string): { tag: string; text: string } => {
  writeFrame(OUT, ASK, request);
  return readFrame(IN) ?? process.exit(0);
};

let shared: { realm: Realm; calls: number } | undefined;

const run = (job: CodeJob): CodeEnd => {
  if (!job.fresh) {
    if (!shared || ++shared.calls > SHARED_CALLS) {
      shared?.realm.dispose();
      shared = { realm: new Realm(quickjs, ask, true), calls: 0 };
    }
    return shared.realm.call(job);
  }
  const realm = new Realm(quickjs, ask, false);
  const end = realm.call(job);
  realm.dispose();
  return end;
};

/** Of so little room that an error may have had none to be made in. */
const isFull = (): boolean => memory.buffer.byteLength > (MOST_PAGES * PAGE * 3) / 4;

/** What the engine itself breaks with: its memory is at an end, or its stack ran into ours. */
const broken = (thrown: unknown): CodeEnd => {
  if (isFull()) return broke('code_memory', TOO_MUCH);
  if (thrown instanceof RangeError) return broke('code_stack', TOO_DEEP);
  return broke('code_crashed', `The engine broke: ${String(thrown).slice(0, 200)}`);
};

writeFrame(OUT, READY, '');
for (let frame = readFrame(IN); frame; frame = readFrame(IN)) {
  let end: CodeEnd;
  let spent = false;
  try {
    end = run(JSON.parse(frame.text) as CodeJob);
    if (end.end === 'broke' && end.code === 'code_error' && isFull()) end = broke('code_memory', TOO_MUCH);
  } catch (thrown) {
    end = broken(thrown);
    spent = true;
  }
  const lacks = end.end === 'broke' && (end.code === 'code_memory' || end.code === 'code_stack');
  const isLast = spent || lacks || memory.buffer.byteLength > RETIRE_BYTES;
  writeFrame(OUT, isLast ? LAST : END, JSON.stringify(end));
  if (isLast) process.exit(0);
}
process.exit(0);
