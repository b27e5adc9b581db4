/** Whether a test counts as passed, and every reason why it does not. */
import { TreadleError } from '../../errors.js';
import { EXIT } from '../exit.js';
import type { Comparison } from './baseline.js';
import type { TestTotals } from './result.js';

export interface Thresholds {
  passRate?: number;
  /** By k. */
  passHatK: ReadonlyMap<number, number>;
}

export interface TestVerdict {
  pass: boolean;
  status: number;
  reasons: string[];
}

const shown = (share: number): string => share.toFixed(3);

/** `3=0.8`; throws `bad_option`. */
export const hatThreshold = (
  text: string,
  before: ReadonlyMap<number, number> = new Map(),
): ReadonlyMap<number, number> => {
  const [, k = '', least = ''] = /^(\d{1,4})=(\d+(?:\.\d+)?|\.\d+)$/.exec(text.trim()) ?? [];
  if (Number(k) >= 1 && least !== '' && Number(least) <= 1) return new Map([...before, [Number(k), Number(least)]]);
  throw new TreadleError({
    code: 'bad_option',
    message: '--min-pass-hat-k takes a k and a share from 0 to 1',
    value: text,
    next: 'Give for example --min-pass-hat-k 3=0.8.',
  });
};

/** Throws `bad_option` for a k that no task is run often enough for. */
export const checkThresholds = ({ passHatK }: Thresholds, repeat: number): void => {
  const k = [...passHatK.keys()].find((one) => one > repeat);
  if (k === undefined) return;
  throw new TreadleError({
    code: 'bad_option',
    message: `pass^${k} needs ${k} runs of each task`,
    value: `--repeat ${repeat}`,
    next: `Add --repeat ${k}.`,
  });
};

const missed = (totals: TestTotals, { passRate, passHatK }: Thresholds): string[] => [
  ...(passRate !== undefined && totals.passRate < passRate
    ? [`pass rate ${shown(totals.passRate)} is below ${shown(passRate)}`]
    : []),
  ...[...passHatK].flatMap(([k, least]) => {
    const found = totals.estimates.find((estimate) => estimate.k === k);
    if (found && found.tasks > 0 && found.hat >= least) return [];
    const is = found && found.tasks > 0 ? shown(found.hat) : 'not known';
    return [`pass^${k} is ${is}, below ${shown(least)}`];
  }),
];

/**
 * Without thresholds and baseline every run must pass; with thresholds they decide, with a baseline no task may have regressed.
 * Errors are never a pass: 2 where nothing else is amiss, since the surroundings are at fault.
 */
export const verdictOf = (
  totals: TestTotals,
  thresholds: Thresholds,
  comparison: Comparison | undefined,
): TestVerdict => {
  const isAsked = thresholds.passRate !== undefined || thresholds.passHatK.size > 0 || comparison !== undefined;
  const regressions = comparison?.worse.filter(({ isRegression }) => isRegression) ?? [];
  const failed = [
    ...missed(totals, thresholds),
    ...(regressions.length > 0 ? [`${regressions.length} task${regressions.length === 1 ? '' : 's'} regressed`] : []),
    ...(!isAsked && totals.failed > 0 ? [`${totals.failed} of ${totals.runs} runs failed`] : []),
  ];
  const errors = totals.errors > 0 ? [`${totals.errors} of ${totals.runs} runs were errors, not failures`] : [];
  const status = failed.length > 0 ? EXIT.failed : errors.length > 0 ? EXIT.input : EXIT.done;
  return { pass: status === EXIT.done, status, reasons: [...failed, ...errors] };
};
