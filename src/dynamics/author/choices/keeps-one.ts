/** Requirement events: one of several things is left as it is after all. */
import type { Rng } from '../../../kit/rng.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { placesIn, withoutPlace } from './lists.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withCall } from './sites.js';
import { type Slot, slotsOf } from './slots.js';
import { choiceWords, nounOf } from './words.js';

const SAYINGS = [
  (what: string) => `I have thought about it: please leave ${what} out, I keep it as it is. The rest stays as I said.`,
  (what: string) => `Wait, not ${what}, that one stays with me as it is. Everything else as I asked.`,
];

/** The noun alone where no other place has it, else with what tells it from them. */
const wordsOfPlace = (site: Site, place: readonly Slot[], places: readonly Slot[][]): string | undefined => {
  const [own] = place;
  if (!own) return undefined;
  const noun = nounOf(site.session, own, own.row);
  const alike = places.flatMap(([one]) => (one && nounOf(site.session, one, one.row) === noun ? [one.row] : []));
  if (alike.length < 2) return `the ${noun}`;
  const words = choiceWords(site.session, own, own.row, alike);
  return words && `the ${noun} ${words.replace(/^the one /, '')}`;
};

const candidateOf = (site: Site, place: readonly Slot[], what: string): Candidate | undefined => {
  const say = site.random.pick(SAYINGS)(what);
  return eventByRun(site.stage, {
    id: `keeps_${place[0]?.table}_${site.n}_${place[0]?.item}`,
    source: 'requirement',
    when: site.when,
    effect: { say },
    notify: { to: 'user', text: say },
    calls: withCall(site, withoutPlace(site.call, place)),
  });
};

export const keepsOne = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(stage, random, (site) => {
    const places = placesIn(slotsOf(site.session, site.call));
    if (places.length < 2) return [];
    return site.random.shuffle(places).flatMap((place) => {
      const what = wordsOfPlace(site, place, places);
      return (what === undefined ? undefined : candidateOf(site, place, what)) ?? [];
    });
  });
