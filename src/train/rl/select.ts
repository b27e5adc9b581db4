/** Which tasks become rows: by kind, by what reviewers said, and by how often pilots or careless agents met them. */
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';

/** Rollouts of a task that a policy made before training. */
export interface Pilots {
  /** Those that finished: a broken one says nothing of the task. */
  rollouts: number;
  passed: number;
  /** Of their rewards, as the run or the export reckons them. */
  rewards: readonly number[];
}

/** Seeded careless runs at one rate of slips (`treadle difficulty`). */
export interface Careless {
  runs: number;
  passed: number;
}

export interface Window {
  least: number;
  most: number;
}

export interface Selection {
  kinds?: readonly Task['kind'][];
  profiles?: readonly string[];
  /** Share of pilots that pass, both ends included. */
  pilotPassRate?: Window;
  /** Pilots that a task needs at least, where pilots are asked about. */
  pilotRollouts: number;
  /** Pilots must differ in reward (standard deviation above 1e-6): a group of equals teaches GRPO nothing. */
  pilotSpread: boolean;
  carelessPassRate?: Window;
}

export const LEFT_OUT = [
  'other_kind',
  'other_profile',
  'other_source',
  'rejected',
  'changed_since_review',
  'not_reviewed',
  'too_few_pilots',
  'pilot_pass_rate',
  'pilots_alike',
  'difficulty_not_measured',
  'careless_pass_rate',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export const WHY_LEFT_OUT: Record<LeftOut, string> = {
  other_kind: 'are of another kind',
  other_profile: 'are of another profile',
  other_source: 'have no event of such a source',
  rejected: 'were rejected in review',
  changed_since_review: 'changed since they were reviewed',
  not_reviewed: 'were not reviewed',
  too_few_pilots: 'have too few pilot rollouts',
  pilot_pass_rate: 'are passed by too few or too many pilots',
  pilots_alike: 'earn all their pilots the same reward',
  difficulty_not_measured: 'have no measured difficulty (treadle difficulty)',
  careless_pass_rate: 'are met by careless agents too seldom or too often',
};

/** `0.1..0.9`. Throws `bad_option`. */
export const windowIn =
  (option: string) =>
  (text: string): Window => {
    const found = /^(\d*\.?\d+)\.\.(\d*\.?\d+)$/.exec(text.trim());
    const [least, most] = [Number(found?.[1]), Number(found?.[2])];
    if (found && least >= 0 && least <= most && most <= 1) return { least, most };
    throw new TreadleError({
      code: 'bad_option',
      message: `${option} takes two shares from 0 to 1, the smaller first`,
      value: text.slice(0, 40),
      next: `Give for example ${option} 0.1..0.9.`,
    });
  };

const spreadOf = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length));
};

const isWithin = (passed: number, of: number, { least, most }: Window): boolean =>
  passed >= least * of - 1e-9 && passed <= most * of + 1e-9;

/** Whether any pilot is asked about. */
export const asksPilots = ({ pilotPassRate, pilotSpread }: Selection): boolean =>
  pilotPassRate !== undefined || pilotSpread;

/** Why a task is left out; undefined: it is taken. */
export const leftOutOf = (
  task: Pick<Task, 'kind' | 'profile'>,
  selection: Selection,
  pilots: Pilots | undefined,
  careless: Careless | undefined,
): LeftOut | undefined => {
  const { kinds, profiles, pilotPassRate, pilotRollouts, pilotSpread, carelessPassRate } = selection;
  if (kinds && !kinds.includes(task.kind)) return 'other_kind';
  if (profiles && !profiles.includes(task.profile ?? '')) return 'other_profile';
  if (asksPilots(selection)) {
    if (!pilots || pilots.rollouts < Math.max(1, pilotRollouts)) return 'too_few_pilots';
    if (pilotPassRate && !isWithin(pilots.passed, pilots.rollouts, pilotPassRate)) return 'pilot_pass_rate';
    if (pilotSpread && !(spreadOf(pilots.rewards) > 1e-6)) return 'pilots_alike';
  }
  if (carelessPassRate) {
    if (!careless || careless.runs === 0) return 'difficulty_not_measured';
    if (!isWithin(careless.passed, careless.runs, carelessPassRate)) return 'careless_pass_rate';
  }
  return undefined;
};
