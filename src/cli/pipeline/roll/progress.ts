/** The line that a run shows of itself: how many of how many, how fast, how long still, and what became of them. */
import { elapsedMs } from '../../../kit/clock.js';
import type { Sources, Sums } from '../rollout-sums.js';

const SHOW_MS = 200;
/** The rate is that of the last so many milliseconds: a run that slows down says so. */
const WINDOW_MS = 20_000;

const clockOf = (seconds: number): string => {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
};

export const outcomeWords = ({ passed, failed, cut, fault }: Sums['outcomes']): string =>
  [
    `${passed} passed`,
    `${failed} failed`,
    ...(cut > 0 ? [`${cut} cut`] : []),
    ...(fault > 0 ? [`${fault} fault`] : []),
  ].join(', ');

/** `requirement 12 of 37, fault 55 of 77` passed; empty outside scenarios. */
export const sourceWords = (sources: Sources): string =>
  Object.entries(sources)
    .map(([source, { passed, of }]) => `${source} ${passed} of ${of}`)
    .join(', ');

export interface Progress {
  /** `done` of the planned rollouts are kept, `before` of them since an earlier run. */
  show(done: number, before: number, sums: Pick<Sums, 'outcomes' | 'sources'>): void;
}

/** Shows at most five lines a second. */
export const progressOf = (planned: number, print: (line: string) => void): Progress => {
  let shownAt = Number.NEGATIVE_INFINITY;
  const marks: { at: number; made: number }[] = [{ at: elapsedMs(), made: 0 }];
  return {
    show: (done, before, { outcomes, sources }) => {
      const at = elapsedMs();
      if (at - shownAt < SHOW_MS && done < planned) return;
      shownAt = at;
      const made = done - before;
      marks.push({ at, made });
      while (marks.length > 2 && at - (marks[0]?.at ?? at) > WINDOW_MS) marks.shift();
      const first = marks[0] ?? { at, made };
      const rate = ((made - first.made) / Math.max(1, at - first.at)) * 1000;
      const left = rate > 0 ? `, ${clockOf((planned - done) / rate)} left` : '';
      const bySource = sourceWords(sources);
      print(
        `${done} of ${planned} rollouts, ${rate.toFixed(1)}/s${left}: ${outcomeWords(outcomes)}${bySource && `; ${bySource}`}`,
      );
    },
  };
};
