/** A compiled tool with what the interpreter needs of it. */
import type { CodeTool } from '../code/code-tool.js';
import type { ArgSpec } from '../surface/args.js';
import type { Validate } from '../surface/validate.js';
import type { Answering } from './returns.js';
import type { Planned, StepFn } from './run.js';
import type { CompiledTool } from './types.js';

export interface Runnable extends CompiledTool {
  args: ReadonlyMap<string, ArgSpec>;
  validate: Validate;
  run: StepFn;
  plans: readonly Planned[];
  /** It has statements that must happen together. */
  isTransaction: boolean;
  /** Of a code tool. */
  code?: CodeTool | undefined;
  answer: Answering;
  writesFiles: boolean;
  slots: number;
}
