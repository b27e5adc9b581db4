/** The part of the report on difficulty: what tasks take, and how often a careless agent meets them. */
import type { TaskDifficulty } from '../../corpus/difficulty.js';
import { type DifficultyFigures, figuresOf } from '../pipeline/difficulty.js';
import { escapeHtml as esc, table } from './html.js';
import { standingBars } from './plots.js';

export interface MeasuredTask {
  /** Family of an atomic task; profile of a composed one. */
  kind: string;
  measured: TaskDifficulty;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Of the runs at the rate nearest to the middle of those measured. */
const middleRate = (rates: readonly number[]): number | undefined => rates[Math.floor((rates.length - 1) / 2)];

const shareAt = ({ success }: TaskDifficulty, rate: number): number | undefined => {
  const own = success.find((one) => one.rate === rate);
  return own && own.runs > 0 ? own.passed / own.runs : undefined;
};

const BINS = 10;

const spreadOf = (all: readonly MeasuredTask[], rate: number): string => {
  const counts = new Array<number>(BINS + 1).fill(0);
  for (const { measured } of all) {
    const share = shareAt(measured, rate);
    if (share !== undefined) counts[Math.round(share * BINS)] = (counts[Math.round(share * BINS)] ?? 0) + 1;
  }
  const bars = counts.map((n, bin) => [percent(bin / BINS), n] as const);
  return standingBars(`Tasks by the share of runs that pass when each step slips with chance ${rate}`, bars);
};

const row = (name: string, { tasks, calls, lookups, services, distractors, success }: DifficultyFigures): string[] => [
  name,
  tasks.toLocaleString('en'),
  calls.toFixed(1),
  lookups.toFixed(1),
  services.toFixed(1),
  distractors.toFixed(1),
  ...success.map(({ share }) => percent(share)),
];

/** HTML of what was measured; nothing where nothing was. */
export const difficultySection = (all: readonly MeasuredTask[]): string => {
  const whole = figuresOf(all.map(({ measured }) => measured));
  if (!whole) return '';
  const rates = whole.success.map(({ rate }) => rate);
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  const head = ['', 'tasks', 'calls', 'look-ups', 'services', 'distractors', ...rates.map((rate) => `slips ${rate}`)];
  const rows = kinds.flatMap((kind) => {
    const figures = figuresOf(all.filter((one) => one.kind === kind).map(({ measured }) => measured));
    return figures ? [row(esc(kind.replaceAll('_', ' ')), figures)] : [];
  });
  const middle = middleRate(rates);
  const plot = middle === undefined ? '' : spreadOf(all, middle);
  return `<div class="card"><h3>Difficulty</h3>${table(head, [...rows, row('<b>all</b>', whole)])}<p class="soft">Means a task; the last columns are shares of seeded runs of the reference that pass when each step slips with that chance (<code>treadle difficulty</code>). Distractors are rows that miss the brief’s description by one part.</p>${plot}</div>`;
};

/** One task's difficulty in a line. */
export const difficultyLine = ({ calls, lookups, services, distractors, success }: TaskDifficulty): string => {
  const runs = success.map(({ rate, runs: n, passed }) => `${passed} of ${n} at ${rate}`);
  return `${calls} calls, ${lookups} of them look-ups, ${services} service${services === 1 ? '' : 's'}, ${distractors} distractor${distractors === 1 ? '' : 's'}; passes with slips: ${runs.join(', ')}`;
};
