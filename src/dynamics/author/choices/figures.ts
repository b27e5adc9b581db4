/**
 * Figures of an answer after a change. What has to be said is a list of texts, some of them amounts that stand in the records the
 * task leaves: where such a record comes out otherwise, the figure is another one. A figure of unknown origin cannot be told.
 */
import type { AnswerSpec, Check } from '../../../artifacts/check.js';

const FIGURE = /^-?\d+(\.\d+)?$/;

export const numbersIn = (check: Check): number[] => {
  const values = check.kind === 'equals' ? [check.value] : check.kind === 'count' ? Object.values(check.where) : [];
  return values.filter((value): value is number => typeof value === 'number');
};

const shown = (value: number): string => String(Math.abs(Math.round(value * 100) / 100));

export interface Revised {
  old: Check;
  by: Check;
}

/** By what is said now: what was to be said, figure by figure. Undefined where one of them cannot be told. */
export const figuresAfter = (
  { expected }: AnswerSpec,
  kept: readonly Check[],
  revised: readonly Revised[],
): ReadonlyMap<string, string> | undefined => {
  const out = new Map<string, string>();
  const facts = (Array.isArray(expected) ? expected : [expected]).map(String);
  for (const fact of facts) {
    if (
      !FIGURE.test(fact) ||
      kept.some((check) => numbersIn(check).some((value) => shown(value) === shown(Number(fact))))
    )
      continue;
    const homes = revised.flatMap(({ old, by }) => {
      const at = numbersIn(old).findIndex((value) => shown(value) === shown(Number(fact)));
      const now = numbersIn(by)[at];
      return at < 0 || now === undefined ? [] : [shown(now)];
    });
    const [now] = homes;
    if (now === undefined || homes.some((one) => one !== now)) return undefined;
    out.set(fact, now);
  }
  return out;
};

/** The answer with other figures; the same object where none is another. */
export const withFigures = (answer: AnswerSpec, figures: ReadonlyMap<string, string>): AnswerSpec => {
  if ([...figures].every(([old, now]) => old === now)) return answer;
  const put = (value: string | number): string | number => figures.get(String(value)) ?? value;
  const { expected } = answer;
  if (Array.isArray(expected)) return { ...answer, expected: expected.map(put) };
  return typeof expected === 'string' || typeof expected === 'number' ? { ...answer, expected: put(expected) } : answer;
};

/** The closing words with other figures. */
export const saidWith = (words: string, figures: ReadonlyMap<string, string>): string =>
  [...figures].reduce((text, [old, now]) => text.replaceAll(old, now), words);
