/** State events: what was to be drawn on runs short (a gift card, a budget), and whoever asked names another one. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Rng } from '../../../kit/rng.js';
import type { Row } from '../../../world/state/types.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { firstThatFits } from './other-choice.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { type Slot, slotsOf } from './slots.js';
import { choiceWords } from './words.js';

const STORE = /(^|_)(balance|credit|budget|remaining|allowance)$/;

const storeOf = (site: Site, { service, table, row }: Slot): string | undefined => {
  const cols = site.session.world.services.get(service)?.spec.tables[table]?.cols ?? {};
  return Object.keys(cols).find((col) => STORE.test(col) && typeof row[col] === 'number' && row[col] > 0);
};

const patchOf = (site: Site, { service, table, key, row }: Slot, col: string): ScenarioEvent['effect'] => {
  const keyCol = site.session.world.services.get(service)?.keys[table] as string;
  // Not quite empty: what is left does not look like a defect.
  const left = Math.min(2, Math.round(Number(row[col]) * 10) / 100);
  return { patch: [{ do: 'update', service, table, where: { [keyCol]: key }, set: { [col]: left } }] };
};

const candidateOf = (site: Site, slot: Slot, col: string, row: Row, others: readonly Row[]): Candidate | undefined => {
  const { session, stage, when, random, n } = site;
  const words = choiceWords(session, slot, row, others);
  const old = choiceWords(session, slot, slot.row, others);
  const keyCol = session.world.services.get(slot.service)?.keys[slot.table] as string;
  const key = row[keyCol];
  if (words === undefined || old === undefined || (typeof key !== 'string' && typeof key !== 'number'))
    return undefined;
  return eventByRun(stage, {
    id: `short_${slot.table}_${n}`,
    source: 'state',
    when,
    effect: patchOf(site, slot, col),
    notify: {
      to: 'user',
      text: random.pick([
        `My partner has just paid for something with ${old}, there is hardly anything left on it. Please use ${words} then.`,
        `I forgot that another purchase was still going to ${old}; it has just been charged. Use ${words} instead, please.`,
      ]),
    },
    calls: withValue(site, slot.path, slot.key, key),
  });
};

const isNeeded = ({ stage, when }: Site, effect: ScenarioEvent['effect']): boolean => {
  const { calls } = stage.task.reference;
  return eventByRun(stage, { id: 'draft', source: 'state', when, effect, notify: { to: 'none' }, calls }) === undefined;
};

export const runsShort = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(stage, random, (site) =>
    slotsOf(site.session, site.call).flatMap((slot) => {
      const col = storeOf(site, slot);
      if (slot.isSubject || col === undefined || !isNeeded(site, patchOf(site, slot, col))) return [];
      return firstThatFits(site, slot, (row, others) => candidateOf(site, slot, col, row, others));
    }),
  );
