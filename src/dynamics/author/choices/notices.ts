/** Information events: the shop announces something that decides how the task is to be done from now on. */

import { valueAt } from '../../../kit/json-path.js';
import type { Rng } from '../../../kit/rng.js';
import { spaced, wordsOf } from '../../../kit/words.js';
import type { Session } from '../../../serve/sessions/session.js';
import type { Row } from '../../../world/state/types.js';
import { argColumn } from '../../../world/surface/args.js';
import type { Candidate } from '../accept.js';
import type { Stage } from '../trial.js';
import { dependsOn } from './conditional.js';
import { type Notice, noticeWords, published } from './notice-board.js';
import { firstThatFits } from './other-choice.js';
import { eventByRun } from './rerun.js';
import { atWrites, type Site, withValue } from './sites.js';
import { argumentsOfTool, chosenIn, type Slot } from './slots.js';
import { choiceWords, nounOf, optionsOf } from './words.js';

const announced = (site: Site, id: string, notice: Notice, calls: Parameters<typeof eventByRun>[1]['calls']) => {
  const effect = published(site.stage, id, notice);
  return (
    effect &&
    eventByRun(site.stage, {
      id,
      source: 'information',
      when: site.when,
      effect,
      notify: { to: 'environment', text: noticeWords(notice) },
      calls,
    })
  );
};

/** `my gift card` as the shop says it. */
const theirs = (words: string): string => words.replace(/^my /, 'the customer’s ').replace(/ ending in \d+$/, '');

const kindOf = (row: Row): string | undefined => {
  const words = typeof row.source === 'string' ? wordsOf(row.source).join(' ') : undefined;
  return words === 'paypal' ? 'PayPal' : words && `${words}s`;
};

/** One way to pay is closed for a while, and another takes its place. */
const closed = (site: Site, slot: Slot, row: Row, others: readonly Row[]): Candidate | undefined => {
  const keyCol = site.session.world.services.get(slot.service)?.keys[slot.table] as string;
  const key = row[keyCol];
  const [kind, words] = [kindOf(slot.row), choiceWords(site.session, slot, row, others)];
  const isOneOfItsKind = others.filter(({ source }) => source === row.source).length === 1;
  if (kind === undefined || words === undefined || row.source === slot.row.source || !isOneOfItsKind) return undefined;
  if (typeof key !== 'string' && typeof key !== 'number') return undefined;
  const notice: Notice = {
    title: `no bookings through ${kind} for now`,
    text: `Until further notice neither payments nor refunds can be booked through ${kind}. Book them to ${theirs(words)} instead where there is one; customers have been told.`,
    authoritative: true,
  };
  return announced(site, `closed_${slot.table}_${site.n}`, notice, withValue(site, slot.path, slot.key, key));
};

const TASTE = /colou?r|material|style|design|theme|scent|finish|pattern/;

/** A shop gives somebody another colour; another size, strength or make it does not. */
const isMatterOfTaste = (session: Session, { service, table, row }: Slot, other: Row): boolean => {
  const spec = session.world.services.get(service)?.spec.tables[table];
  const [had, has] = spec ? [optionsOf(spec, row) ?? {}, optionsOf(spec, other) ?? {}] : [{}, {}];
  return Object.entries(has).every(([name, value]) => had[name] === value || TASTE.test(name));
};

/** What was chosen is held back, and what is given in its place is said. */
const heldBack = (site: Site, slot: Slot, row: Row, others: readonly Row[]): Candidate | undefined => {
  const { session } = site;
  const keyCol = session.world.services.get(slot.service)?.keys[slot.table] as string;
  const key = row[keyCol];
  const [old, words] = [choiceWords(session, slot, slot.row, others), choiceWords(session, slot, row, others)];
  if (old === undefined || words === undefined || (typeof key !== 'string' && typeof key !== 'number'))
    return undefined;
  const noun = nounOf(session, slot, slot.row);
  if (!isMatterOfTaste(session, slot, row)) return undefined;
  const notice: Notice = {
    title: `quality hold, ${noun}`,
    text: `Not to be promised to anybody until it was checked: the ${noun} ${old.replace(/^the one /, '')}. Give ${words} in its place; customers who asked for it have been told and agree.`,
    authoritative: true,
  };
  return announced(
    site,
    `held_${slot.table}_${site.n}_${slot.item ?? 0}`,
    notice,
    withValue(site, slot.path, slot.key, key),
  );
};

const PAYING = /pay|refund|gift|card/i;
const CHOOSING = /available|options?\b|multiple|several|prefer/i;

const ofChoices = (site: Site): Candidate[] =>
  chosenIn(site.session, site.call).flatMap((slot) => {
    const spec = site.session.world.services.get(slot.service)?.spec.tables[slot.table];
    if (!spec) return [];
    if (typeof slot.row.source === 'string') {
      if (dependsOn(site.stage, PAYING)) return [];
      return firstThatFits(site, slot, (row, others) => closed(site, slot, row, others));
    }
    return optionsOf(spec, slot.row) && !dependsOn(site.stage, CHOOSING)
      ? firstThatFits(site, slot, (row, others) => heldBack(site, slot, row, others), true)
      : [];
  });

/** Of the fixed choices of an argument only one is still used. */
const ofTerms = (site: Site): Candidate[] => {
  const { stage, call, n, random } = site;
  const found = stage.world.tools.get(call.tool);
  if (!found) return [];
  return argumentsOfTool(stage.world, call.tool).flatMap((spec) => {
    const path = spec.path.join('.');
    const old = valueAt(call.args, path);
    const choices = spec.arg.enum ?? argColumn(found.service.spec, found.tool.tool, spec.name)?.enum ?? [];
    const others = choices.filter((one) => one !== old);
    if (typeof old !== 'string' || !choices.includes(old) || others.length === 0) return [];
    const other = random.stream(`notice ${path}`).pick(others);
    const [was, is] = [old, other].map((one) => wordsOf(one).join(' '));
    const notice: Notice = {
      title: `${spaced(spec.name)} “${was}” is not used any more`,
      text: `The reports have no line for the ${spaced(spec.name)} “${was}” any more. Enter “${is}” as of now, whichever of them the customer gives.`,
      authoritative: true,
    };
    return announced(site, `only_${spec.name}_${n}`, notice, withValue(site, path, old, other)) ?? [];
  });
};

/** What the shop announces before a write that it bears on. */
export const notices = (stage: Stage, random: Rng): Candidate[] =>
  atWrites(stage, random, (site) => site.random.stream('notices').shuffle([...ofTerms(site), ...ofChoices(site)]));
