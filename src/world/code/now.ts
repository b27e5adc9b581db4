/** Runs a code tool as if it were steps: on the connection as it is bound, while this thread waits. */
import type { StepFn } from '../program/run.js';
import { type CodeTool, jobOf, settle } from './code-tool.js';
import type { CodeCall } from './operations.js';
import type { CodeEnd } from './protocol.js';
import { codeBridge, dropCodeBridge } from './running.js';

export const runCodeNow =
  (code: CodeTool): StepFn =>
  (run) => {
    const call: CodeCall = { run, asks: 0 };
    let end: CodeEnd;
    try {
      end = codeBridge().run(jobOf(code, run), (ask) => code.operations.answer(call, ask));
    } catch (thrown) {
      // Whatever it was in the middle of must not answer the next call.
      dropCodeBridge();
      throw thrown;
    }
    settle(code, call, end);
  };
