/** Requirement events: whoever asked would rather have another one of what was chosen for them, or pay in another way. */
import type { Table } from '../../../artifacts/table.js';
import type { Rng } from '../../../kit/rng.js';
import type { LoadedService } from '../../../world/loaded.js';
import type { Row } from '../../../world/state/types.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { chosenIn, type Slot, siblingsOf, slotsOf } from './slots.js';
import { choiceWords, nounOf, optionsApart, optionsOf } from './words.js';

const SAYINGS = [
  (noun: string, words: string) => `I have changed my mind about the ${noun}: please take ${words} instead.`,
  (noun: string, words: string) => `Sorry, one thing about the ${noun}: I would rather have ${words}.`,
  (noun: string, words: string) => `Before you go on: for the ${noun} I now want ${words}. Nothing else changes.`,
];

/** A way to pay is used, not had. */
const USING = [
  (noun: string, words: string) => `I have changed my mind about the ${noun}: please use ${words} instead.`,
  (noun: string, words: string) => `One more thing, the ${noun}: it should be ${words} after all.`,
];

const candidateOf = (site: Site, slot: Slot, row: Row, others: readonly Row[]): Candidate | undefined => {
  const { session, stage, when, random, n } = site;
  const { service, table, key, path } = slot;
  const keyCol = session.world.services.get(service)?.keys[table] as string;
  const words = choiceWords(session, slot, row, others);
  const other = row[keyCol];
  if (words === undefined || (typeof other !== 'string' && typeof other !== 'number')) return undefined;
  const say = random.pick(words.startsWith('my ') ? USING : SAYINGS)(nounOf(session, slot, row), words);
  return eventByRun(stage, {
    id: `other_${table}_${n}${slot.item === undefined ? '' : `_${slot.item}`}`,
    source: 'requirement',
    when,
    effect: { say },
    notify: { to: 'user', text: say },
    calls: withValue(site, path, key, other),
  });
};

/** The first of some rows with which the calls succeed: those most like the old choice first, in drawn order. */
export const firstThatFits = (
  site: Site,
  slot: Slot,
  make: (row: Row, others: readonly Row[]) => Candidate | undefined,
  isStrict = false,
): Candidate[] => {
  const slots = slotsOf(site.session, site.call);
  const siblings = siblingsOf(site.session, slot);
  const taken = new Set(slots.map(({ key }) => key));
  const { spec, keys } = site.session.world.services.get(slot.service) as LoadedService;
  const table = spec.tables[slot.table] as Table;
  const free = siblings.filter((row) => !taken.has(row[keys[slot.table] as string] as string | number));
  const former = formerOf(slots, slot);
  const wish = former ? wishIn(table, former.row, slot.row) : [];
  const meets = (row: Row): number => wish.filter(([name, value]) => optionsOf(table, row)?.[name] === value).length;
  const near = site.random
    .stream(slot.path)
    .shuffle(free)
    .filter((row) => isSameMake(table, slot.row, row))
    .filter((row) => !isStrict || wish.length === 0 || meets(row) > 0 || isOtherTaste(table, row, former, wish))
    .sort((a, b) => meets(b) - meets(a) || optionsApart(table, slot.row, a) - optionsApart(table, slot.row, b));
  for (const row of near.slice(0, 6)) {
    const candidate = make(row, [...siblings, slot.row]);
    if (candidate) return [candidate];
  }
  return [];
};

/** What the new choice takes the place of: the row at the same place of the other list. */
const formerOf = (slots: readonly Slot[], { table, arg, item }: Slot): Slot | undefined =>
  item === undefined ? undefined : slots.find((one) => one.table === table && one.item === item && one.arg !== arg);

/** What nobody changes their mind about: it has to fit the person, or what they have. */
const FIT = /^(size|gender|skin tone)$|compatib/i;

const isSameMake = (table: Table, chosen: Row, other: Row): boolean => {
  const [had, has] = [optionsOf(table, chosen) ?? {}, optionsOf(table, other) ?? {}];
  return Object.keys(has).every((name) => !FIT.test(name) || had[name] === has[name]);
};

/** Whether a row meets the wish in another way: another colour will do, another size or strength would not. */
const isOtherTaste = (table: Table, row: Row, former: Slot | undefined, wish: readonly [string, string][]): boolean => {
  const [options, had] = [optionsOf(table, row) ?? {}, former ? (optionsOf(table, former.row) ?? {}) : {}];
  return wish.every(([name, value]) => !/\d/.test(value) && options[name] !== undefined && options[name] !== had[name]);
};

/** The options for which the old one is given up: a second choice has them too, or it would be none. */
const wishIn = (table: Table, former: Row, chosen: Row): [string, string][] => {
  const had = optionsOf(table, former);
  return Object.entries(optionsOf(table, chosen) ?? {}).filter(([name, value]) => had?.[name] !== value);
};

/** One of a call's choices, put to the question at each write. */
export const otherChoices = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(
    stage,
    random,
    (site) =>
      site.random
        .stream('slots')
        .shuffle(chosenIn(site.session, site.call))
        .flatMap((slot) => firstThatFits(site, slot, (row, others) => candidateOf(site, slot, row, others)))
        .slice(0, 2),
    3,
  );
