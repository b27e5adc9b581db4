/** Faults by a plan and a seed, for drills: the same plan and the same hits give the same faults (kit/rng streams, one a rule). */
import { z } from 'zod';
import { TreadleError } from '../../../errors.js';
import { type Rng, rng } from '../../../kit/rng.js';
import { type Clock, processClock } from '../clock.js';
import { type FaultPoint, type FaultPoints, NO_FAULTS, POINTS } from './fault-points.js';

const SYSTEM_CODES = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'] as const;

const Rule = z.strictObject({
  point: z.enum(POINTS),
  /** The share of hits, 0 to 1. */
  rate: z.number().min(0).max(1),
  /** `exit` is kill -9 of this process, `stop` a SIGSTOP of it, which somebody else ends with SIGCONT. */
  what: z.enum(['throw', 'exit', 'delay', 'stop']),
  /** Of a delay; 10. */
  ms: z.int().min(0).max(600_000).optional(),
  /** Fires at most so often in this process. */
  most: z.int().min(1).optional(),
  /** Of a throw: what the system would say; EIO. */
  code: z.enum(SYSTEM_CODES).optional(),
});
export const FaultPlan = z.strictObject({
  seed: z.union([z.string(), z.int()]),
  rules: z.array(Rule).max(100),
});
export type FaultPlan = z.infer<typeof FaultPlan>;

/** The environment variable that holds a plan as JSON. */
export const FAULTS_VARIABLE = 'TREADLE_FAULT_POINTS';

export interface SeededOptions {
  /** Who is drilled: processes under one plan, and one process after another, draw apart where they are named apart. */
  who?: string;
  clock?: Clock;
  /** What ends or stops the process. */
  kill?: (signal: 'SIGKILL' | 'SIGSTOP') => void;
}

type Rule = z.infer<typeof Rule>;

const DELAY_MS = 10;
/** Nobody ever wakes it. */
const never = new Int32Array(new SharedArrayBuffer(4));

const thrown = ({ point, code = 'EIO' }: Rule): Error =>
  Object.assign(new Error(`${code}: a drill's fault at ${point}`), { code });

export const seededFaults = (plan: FaultPlan, options: SeededOptions = {}): FaultPoints => {
  const { who = '', clock = processClock, kill = (signal) => process.kill(process.pid, signal) } = options;
  const byPoint = new Map<FaultPoint, { rule: Rule; stream: Rng; left: number }[]>();
  for (const [i, rule] of plan.rules.entries()) {
    const stream = rng(plan.seed, 'fault-points', who, `${i} ${rule.point}`);
    byPoint.set(rule.point, [...(byPoint.get(rule.point) ?? []), { rule, stream, left: rule.most ?? Infinity }]);
  }
  /** Every rule draws at every hit of its point, so that what one does moves no other. */
  const firing = (point: FaultPoint): Rule[] => {
    const rules: Rule[] = [];
    for (const one of byPoint.get(point) ?? []) {
      if (!one.stream.chance(one.rule.rate) || one.left === 0) continue;
      one.left--;
      rules.push(one.rule);
    }
    return rules;
  };
  const act = (rule: Rule): void => {
    if (rule.what === 'exit') kill('SIGKILL');
    else if (rule.what === 'stop') kill('SIGSTOP');
    else if (rule.what === 'throw') throw thrown(rule);
  };
  return {
    hit(point) {
      for (const rule of firing(point)) {
        if (rule.what === 'delay') Atomics.wait(never, 0, 0, rule.ms ?? DELAY_MS);
        else act(rule);
      }
    },
    async reach(point) {
      for (const rule of firing(point)) {
        if (rule.what === 'delay') await clock.sleep(rule.ms ?? DELAY_MS);
        else act(rule);
      }
    },
  };
};

const badPlan = (message: string, value: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_fault_points',
    message: `${FAULTS_VARIABLE} ${message}`,
    value,
    next: `Unset it, or give it {"seed": 1, "rules": [{"point": "store.tx", "rate": 0.1, "what": "throw"}]}. Points: ${POINTS.join(', ')}.`,
  });

/** Throws `bad_fault_points`, which names the first thing that is wrong. */
export const parseFaultPlan = (text: string): FaultPlan => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw badPlan('is not JSON', text);
  }
  const parsed = FaultPlan.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badPlan(`is no plan of faults: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, text);
};

/** The plan of the environment; without one, no faults. Throws `bad_fault_points`. */
export const faultsOfEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  options: SeededOptions = {},
): FaultPoints => {
  const text = environment[FAULTS_VARIABLE];
  return text ? seededFaults(parseFaultPlan(text), options) : NO_FAULTS;
};
