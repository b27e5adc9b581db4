/** Distractors: hearsay that somebody posts where notices stand. Nothing is different by it, and who believes it goes astray. */
import type { Rng } from '../../../kit/rng.js';
import { plural, wordsOf } from '../../../kit/words.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { type Notice, noticeWords, published } from './notice-board.js';
import { eventByRun } from './rerun.js';
import { atWrites } from './sites.js';

const VERBS = /^(cancel|return|exchange|modify|refund|update|change|book|create|close)/;

const rumoursOf = (deed: string, nouns: string): Omit<Notice, 'authoritative'>[] => [
  {
    title: 'Seen in a forum for bargain hunters',
    text: `Somebody writes that from today on it costs a fee to ${deed} ${nouns}. No source is given.`,
  },
  {
    title: 'Overheard in the canteen',
    text: `It is said that the system loses every second request to ${deed} ${nouns}, so that it is better not to do it today.`,
  },
  {
    title: 'Forwarded message, sender unknown',
    text: `Do not ${deed} any ${nouns} this week. Pass this on to all of your colleagues!`,
  },
];

/** One at most: a task with three rumours would be about rumours. */
export const rumours = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(
    stage,
    random,
    ({ n, call, when, random: own }) => {
      const tool = stage.world.tools.get(call.tool)?.tool.tool;
      const spec = tool && stage.world.services.get(call.service)?.spec.tables[tool.table];
      const deed = wordsOf(tool?.id ?? '').find((word) => VERBS.test(word));
      if (!spec || deed === undefined) return [];
      const nouns = spec.noun === 'user' ? 'customer records' : (spec.plural ?? plural(spec.noun));
      const notice: Notice = { ...own.pick(rumoursOf(deed, nouns)), authoritative: false };
      const id = `rumour_${n}`;
      const effect = published(stage, id, notice);
      const candidate =
        effect &&
        eventByRun(stage, {
          id,
          source: 'information',
          when,
          effect,
          notify: { to: 'environment', text: noticeWords(notice) },
          calls: stage.task.reference.calls,
        });
      // Who believes it leaves the deed undone.
      return candidate
        ? [{ ...candidate, event: { ...candidate.event, misled: { insert: [], from: n, drop: 1 } } }]
        : [];
    },
    1,
  );
