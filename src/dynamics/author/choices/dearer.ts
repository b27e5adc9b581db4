/** State events: the price of what was chosen goes up, and whoever asked takes a cheaper one then. */
import type { ScenarioEvent } from '../../../artifacts/scenario.js';
import type { Table } from '../../../artifacts/table.js';
import type { Rng } from '../../../kit/rng.js';
import { currencyOf, sayMoney } from '../../../tasks/ground/say.js';
import type { LoadedService } from '../../../world/loaded.js';
import type { Row } from '../../../world/state/types.js';
import { minorDigits } from '../../../world/surface/money.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { firstThatFits } from './other-choice.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { chosenIn, type Slot } from './slots.js';
import { choiceWords, nounOf } from './words.js';

const PRICE = /(^|_)(price|cost|fee|rate)$/;

const priceOf = ({ cols }: Table, row: Row): string | undefined =>
  Object.entries(cols).find(
    ([col, { type }]) => PRICE.test(col) && (type === 'number' || type === 'money') && typeof row[col] === 'number',
  )?.[0];

const candidateOf = (site: Site, slot: Slot, col: string, row: Row, others: readonly Row[]): Candidate | undefined => {
  const { session, stage, when, random, n } = site;
  const { spec, keys } = session.world.services.get(slot.service) as LoadedService;
  const table = spec.tables[slot.table] as Table;
  const old = slot.row[col] as number;
  // Whole cents, and dearer than the one that is taken instead.
  const now = Math.round(old * (1 + random.stream(slot.path).int(15, 40) / 100) * 100) / 100;
  const value = table.cols[col]?.type === 'money' ? Math.round(now) : now;
  const words = choiceWords(session, slot, row, others);
  const key = row[keys[slot.table] as string];
  if (words === undefined || (typeof key !== 'string' && typeof key !== 'number') || Number(row[col]) >= old)
    return undefined;
  const currency = currencyOf(spec, table, slot.row);
  const minor = table.cols[col]?.type === 'money' ? value : Math.round(value * 10 ** minorDigits(currency));
  const effect: ScenarioEvent['effect'] = {
    patch: [
      {
        do: 'update',
        service: slot.service,
        table: slot.table,
        where: { [keys[slot.table] as string]: slot.key },
        set: { [col]: value },
      },
    ],
  };
  if (!isPaid(site, effect)) return undefined;
  return eventByRun(stage, {
    id: `dearer_${slot.table}_${n}${slot.item === undefined ? '' : `_${slot.item}`}`,
    source: 'state',
    when,
    effect,
    notify: {
      to: 'user',
      text: `I see that the price of the ${nounOf(session, slot, slot.row)} I asked for has just gone up to ${sayMoney(minor, currency)}. That is more than I want to pay; please take ${words} instead.`,
    },
    calls: withValue(site, slot.path, slot.key, key),
  });
};

/** Whether the price is what somebody pays: with the old calls, another figure comes out. */
const isPaid = ({ stage, when }: Site, effect: ScenarioEvent['effect']): boolean => {
  const { calls } = stage.task.reference;
  const draft = eventByRun(stage, { id: 'draft', source: 'state', when, effect, notify: { to: 'none' }, calls });
  // Refused: it is paid from something that does not cover it any more.
  return draft === undefined || draft.event.checks.replace.length > 0;
};

/** At each choice that has a price: the nearest cheaper one that can be had. */
export const dearer = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(stage, random, (site) =>
    chosenIn(site.session, site.call).flatMap((slot) => {
      const table = site.session.world.services.get(slot.service)?.spec.tables[slot.table];
      const col = table && priceOf(table, slot.row);
      if (col === undefined) return [];
      return firstThatFits(site, slot, (row, others) => candidateOf(site, slot, col, row, others), true);
    }),
  );
