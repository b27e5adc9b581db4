/** What a process that runs code tools is told, what it asks for, and how a call ends. Frames of tag and text over pipes. */
import type { Json } from '../../kit/hash.js';
import type { Caller } from '../program/types.js';

/** One call of a code tool. */
export interface CodeJob {
  /** An expression: a function without parameters that makes the tool's function (screen.ts). */
  source: string;
  /** Needs a realm of its own, thrown away afterwards. */
  fresh: boolean;
  /** Decoded, in canonical form. */
  args: { [name: string]: Json };
  /** Virtual time and its midnight, unix seconds. */
  now: number;
  today: number;
  me: Caller;
  /** Four 32-bit words that the tool's random numbers come from. */
  seed: number[];
}

/** A defect of the tool or of the process that ran it; never the agent's fault. */
export type CodeFault = 'code_error' | 'code_timeout' | 'code_memory' | 'code_stack' | 'code_result' | 'code_crashed';

export type CodeEnd =
  /** `value` is JSON, empty for undefined. */
  | { end: 'returned'; value: string }
  /** The tool called `fail`. */
  | { end: 'failed'; code: string; message: string; field?: string }
  /** Something it asked for was refused; the asked side knows why. */
  | { end: 'refused' }
  | { end: 'broke'; code: CodeFault; message: string };

/** To the process: a job, or the answer to what was asked: granted or refused. */
export const JOB = 'J';
export const GRANTED = 'O';
export const REFUSED = 'N';
/** From the process: it is ready, it asks, the call has ended, the call has ended and the process with it. */
export const READY = 'R';
export const ASK = 'A';
export const END = 'E';
export const LAST = 'L';

/** Answers a question of running code: `GRANTED` and JSON, or `REFUSED` and a reason. Never throws. */
export type Answerer = (ask: string) => string | Promise<string>;

export const TOO_LONG = 'The tool ran too long and was stopped; nothing was changed';
export const TOO_MUCH = 'The tool needs more memory than it may have';
export const TOO_DEEP = 'The tool calls itself too deeply';

/** Longest text that a tool may return or ask with, in UTF-16 units. */
export const LONGEST_TEXT = 1_048_576;
/** Longest frame, in bytes: a page of long rows fits. */
export const LONGEST_FRAME = 33_554_432;

export const broke = (code: CodeFault, message: string): CodeEnd => ({ end: 'broke', code, message });
