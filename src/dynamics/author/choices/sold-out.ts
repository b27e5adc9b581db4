/** State events: what was chosen is not to be had any more, and whoever asked names their second choice. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Rng } from '../../../kit/rng.js';
import type { Row } from '../../../world/state/types.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { dependsOn } from './conditional.js';
import { firstThatFits } from './other-choice.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { chosenIn, type Slot, slotsOf } from './slots.js';
import { choiceWords, nounOf } from './words.js';

/** A flag that says whether a row can be had: its own name says so, and it is set. */
const FLAG = /(^|_)(available|in_stock|active|enabled|bookable|open)$/;

const flagOf = (site: Site, { service, table, row }: Slot): string | undefined => {
  const cols = site.session.world.services.get(service)?.spec.tables[table]?.cols ?? {};
  return Object.entries(cols).find(([col, { type }]) => type === 'bool' && FLAG.test(col) && row[col] === 1)?.[0];
};

const SAYINGS = [
  (which: string, words: string) =>
    `I just saw in your shop that ${which} can no longer be ordered. Then please take ${words}.`,
  (which: string, words: string) => `Oh, your shop does not offer ${which} any more. My second choice is ${words}.`,
];

const patchOf = (site: Site, { service, table, key }: Slot, col: string): ScenarioEvent['effect'] => {
  const keyCol = site.session.world.services.get(service)?.keys[table] as string;
  return { patch: [{ do: 'update', service, table, where: { [keyCol]: key }, set: { [col]: false } }] };
};

/** Which one is meant: its noun alone, or with its options where the call is about several of them. */
const whichOf = (site: Site, slot: Slot, others: readonly Row[]): string | undefined => {
  const { session, call } = site;
  const noun = nounOf(session, slot, slot.row);
  const alike = slotsOf(session, call).filter(
    ({ table, arg, row }) => table === slot.table && arg === slot.arg && nounOf(session, slot, row) === noun,
  );
  if (alike.length < 2) return `the ${noun} I asked for`;
  const words = choiceWords(session, slot, slot.row, others);
  return words && `the ${noun} ${words.replace(/^the one /, '')}`;
};

const candidateOf = (site: Site, slot: Slot, col: string, row: Row, others: readonly Row[]): Candidate | undefined => {
  const { session, stage, when, random, n } = site;
  const words = choiceWords(session, slot, row, others);
  const which = whichOf(site, slot, others);
  const keyCol = session.world.services.get(slot.service)?.keys[slot.table] as string;
  const other = row[keyCol];
  if (words === undefined || which === undefined || (typeof other !== 'string' && typeof other !== 'number'))
    return undefined;
  return eventByRun(stage, {
    id: `gone_${slot.table}_${n}${slot.item === undefined ? '' : `_${slot.item}`}`,
    source: 'state',
    when,
    effect: patchOf(site, slot, col),
    notify: { to: 'user', text: random.pick(SAYINGS)(which, words) },
    calls: withValue(site, slot.path, slot.key, other),
  });
};

/** Whether the old calls are refused with the flag down. */
const isNeeded = ({ stage, when }: Site, effect: ScenarioEvent['effect']): boolean => {
  const { calls } = stage.task.reference;
  return eventByRun(stage, { id: 'draft', source: 'state', when, effect, notify: { to: 'none' }, calls }) === undefined;
};

/** Who says what to take where the first choice cannot be had has a second choice already. */
const HAD = /\b(available|availability|stock|sold|offered|there is no|not have|n't have|no longer)\b/i;

export const soldOut = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(
    stage,
    random,
    (site) =>
      chosenIn(site.session, site.call).flatMap((slot) => {
        if (dependsOn(stage, HAD)) return [];
        const col = flagOf(site, slot);
        if (col === undefined || !isNeeded(site, patchOf(site, slot, col))) return [];
        return firstThatFits(site, slot, (row, others) => candidateOf(site, slot, col, row, others), true);
      }),
    3,
  );
