/** How fast a kind of process goes, and which of its states say that what was planned takes place or is over. */
import { DAY, HOUR } from '../../kit/calendar.js';
import { snake } from '../../kit/words.js';
import { pacesData } from './data.js';
import { isBadEnd, type Life } from './effects.js';
import type { TablePlan } from './types.js';

const STEP: Record<string, number> = { minutes: 14 * 60, hours: 5 * HOUR, weeks: 16 * DAY };
const USUAL = 3 * DAY;

const byNoun = new Map<string, number>();
const known = (): Map<string, number> => {
  if (byNoun.size === 0)
    for (const [pace, nouns] of Object.entries(pacesData()))
      for (const noun of nouns) byNoun.set(noun, STEP[pace] ?? USUAL);
  return byNoun;
};

/** Seconds a step of the table's process takes at the median: by its name, its noun, the noun's last word, else three days. */
export const stepOf = ({ words, noun }: { words: string; noun: string }): number =>
  known().get(words) ?? known().get(noun) ?? known().get(noun.split(' ').at(-1) ?? '') ?? USUAL;

const BEGUN =
  /^(checked_in|seated|started|arrived|boarding|departed|dispatched|running|underway|called|in_progress|inside|out|fired|visiting)$/;
const OVER =
  /^(checked_out|complete|completed|finished|held|ended|done|passed|failed|carried_out|returned|missed|attended|served|delivered|received|implemented|left|conducted|picked|accepted|administered|given|administered|put_away|no_show|fired|graded)$/;
/** Initial states of what runs from the day it is entered. */
const LIVE =
  /^(active|open|running|in_force|valid|live|enabled|current|connected|in_use|in_service|available|held|free)$/;
/** Initial states of what had happened when it was entered. */
const PAST =
  /^(received|recorded|taken|reported|registered|logged|raised|posted|checked|cited|seen|stored|submitted_late|ok)$/;

export const isBegun = (state: string): boolean => BEGUN.test(snake(state));
export const isOver = (state: string): boolean => OVER.test(snake(state));
export const isLiveStart = (state: string): boolean => LIVE.test(snake(state));
export const isPastStart = (state: string): boolean => PAST.test(snake(state));

/** Whether some state of the life says that the planned thing takes place. */
export const takesPlace = (life: Life): boolean => life.states.some((state) => isBegun(state) || isOver(state));

/** Whether rows in this state still wait for their next step: no end, good or bad. */
export const isUnfinished = (plan: TablePlan, state: string): boolean => {
  const { life } = plan;
  if (!life || isBadEnd(state) || isOver(state)) return false;
  return life.open.has(state);
};
