/**
 * Rules of injected faults (dynamics.md, "fault"): `TOOL=P1@5%`. P1 fails aloud and passes, P2 fails aloud for good, P3 lies once,
 * P4 lies for good. The numbers are ToolMaze's as we read them.
 */
import { TreadleError } from '../../errors.js';

export const PROFILES = ['P1', 'P2', 'P3', 'P4'] as const;
export type FaultProfile = (typeof PROFILES)[number];

export interface FaultRule {
  /** As it was written: what the ledger names. */
  text: string;
  /** A tool's name as agents call it; `*` stands for any characters. */
  tool: string;
  profile: FaultProfile;
  /** Probability that a call begins a fault; absent: the first call does, and no other. */
  rate?: number;
  /** Calls of one tool that a passing fault lasts. */
  times: number;
  /** Decides what the failure or the lie is, in place of the plan's. */
  seed?: string | undefined;
  /** Dotted path of the value that a lie is about, where a result has it. */
  about?: string | undefined;
}

export const FAULT_FORM = 'TOOL=P1|P2|P3|P4[xTIMES][@RATE], for example get_*=P1@5% or list_orders=P3x2@0.1';

const bad = (message: string, value: string): TreadleError =>
  new TreadleError({ code: 'bad_fault', message, value: value.slice(0, 120), next: `Write ${FAULT_FORM}.` });

const FORM = /^([^=\s]{1,160})=(P[1-4])(?:x(\d{1,4}))?(?:@(\d{1,3}(?:\.\d{1,6})?)(%?))?$/;

/** Profiles that pass by themselves. */
export const passes = (profile: FaultProfile): boolean => profile === 'P1' || profile === 'P3';
/** Profiles that answer wrongly instead of failing. */
export const lies = (profile: FaultProfile): boolean => profile === 'P3' || profile === 'P4';

/** Throws `bad_fault`. */
export const faultRule = (text: string): FaultRule => {
  const parts = FORM.exec(text.trim());
  if (!parts) throw bad('A fault names a tool and a profile', text);
  const [, tool = '', profile, times, rate, percent] = parts;
  const share = rate === undefined ? undefined : Number(rate) / (percent ? 100 : 1);
  if (share !== undefined && !(share > 0 && share <= 1))
    throw bad('The rate of a fault lies above 0 and up to 100 %', text);
  const kind = profile as FaultProfile;
  if (times !== undefined && !passes(kind)) throw bad(`${kind} never passes, so it has no number of times`, text);
  if (times !== undefined && Number(times) < 1) throw bad('A fault lasts at least one call', text);
  if (share === 1 && passes(kind))
    throw bad(`At 100 % ${kind} would never pass: that is ${kind === 'P1' ? 'P2' : 'P4'}`, text);
  return {
    text: text.trim(),
    tool,
    profile: kind,
    times: Number(times ?? 1),
    ...(share === undefined ? {} : { rate: share }),
  };
};

/** Whether a rule speaks of a tool. Time grows with the product of the lengths at worst, both bounded. */
export const matches = ({ tool: pattern }: Pick<FaultRule, 'tool'>, name: string): boolean => {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === name;
  const [head = '', ...rest] = parts;
  const tail = rest.pop() ?? '';
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
  const end = name.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
};
