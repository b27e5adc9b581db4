/** What a review comes to, as lines. */
import type { Bound, Bounds } from '../../corpus/review/bounds.js';
import { STRATA } from '../../corpus/review/sample.js';

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;

/** `at most 4.95 % are defective (0 of 59 read were rejected)` */
export const boundWords = ({ tasks, sampled, decided, rejected, bound, isCensus }: Bound): string => {
  if (bound === null)
    return `nothing is known: ${sampled === 0 ? 'not sampled' : `none of ${sampled} sampled is decided`}`;
  if (isCensus) return `${percent(bound)} are defective: all ${tasks} were read, ${rejected} rejected`;
  return `at most ${percent(bound)} are defective (${rejected} of ${decided} read were rejected)`;
};

/** Strata told of one by one; a corpus has thousands of worlds. */
const MOST_TOLD = 24;

/** The bounds in lines: over all, the worst case, and by stratum, those first of which least is known. */
export const boundLines = (bounds: Bounds): string[] => {
  const { overall, ifOpenAreDefects, by, confidence } = bounds;
  const open = overall.sampled - overall.decided;
  const worst =
    open > 0 && ifOpenAreDefects !== null && overall.decided > 0
      ? [`  ${open} of the sample are still open: were they all defects, at most ${percent(ifOpenAreDefects)}`]
      : [];
  const strata = STRATA.flatMap((stratum) => {
    const own = Object.entries(by[stratum]);
    if (own.length < 2) return [];
    const unread = own.filter(([, { decided }]) => decided === 0);
    const told = own.filter(([, { decided }]) => decided > 0).sort(([, a], [, b]) => (b.bound ?? 1) - (a.bound ?? 1));
    return [
      `By ${stratum}: ${told.length} of ${own.length} read`,
      ...told.slice(0, MOST_TOLD).map(([name, bound]) => `  ${name} (${bound.tasks} tasks): ${boundWords(bound)}`),
      ...(told.length > MOST_TOLD ? [`  and ${told.length - MOST_TOLD} more`] : []),
      ...(unread.length > 0
        ? [
            `  nothing is known of ${unread
              .slice(0, MOST_TOLD)
              .map(([name]) => name)
              .join(
                ', ',
              )}${unread.length > MOST_TOLD ? ` and ${unread.length - MOST_TOLD} more` : ''} by ${unread.length === 1 ? 'itself' : 'themselves'}`,
          ]
        : []),
    ];
  });
  return [
    `Of all ${overall.tasks} tasks, at ${confidence * 100} % confidence: ${boundWords(overall)}`,
    ...worst,
    ...strata,
  ];
};
