/** Chooses the row another one points to: there already, skewed, in step with its status and with the row's other parents. */

import { HOUR } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { couldBeMadeFor } from './declared.js';
import { isBadEnd } from './effects.js';
import { type Occasion, writesRef } from './life.js';
import { amountOf } from './make/money.js';
import { isBegun, isOver } from './pace.js';
import type { Handle, RefGroup, TablePlan, World } from './types.js';

/** Draws targets of one reference; remembers which are used up. */
export interface Picker {
  target: TablePlan;
  order: Handle[];
  used: Set<Handle>;
  /** How strongly few parents get most children. */
  skew: number;
  r: Rng;
}

const DOCUMENTS = new Set(['document', 'line']);

export const pickerFor = (w: World, ref: RefGroup, r: Rng): Picker => {
  const target = w.byKey.get(ref.target) as TablePlan;
  const pool = target.staff && ref.role === 'staff' ? w.active : target.handles;
  return {
    target,
    order: r.shuffle(pool),
    used: new Set(),
    skew: DOCUMENTS.has(target.kind) ? 1.15 : ref.role === 'staff' ? 1.6 : 3.2,
    r,
  };
};

const ancestors = (h: Handle, plan: TablePlan, depth = 3): Handle | undefined => {
  if (h.plan === plan) return h;
  if (depth === 0) return undefined;
  for (const ref of h.plan.refs) {
    if (ref.role === 'staff') continue;
    const parent = h.meta.refs.get(ref.id);
    const found = parent && parent !== h ? ancestors(parent, plan, depth - 1) : undefined;
    if (found) return found;
  }
  return undefined;
};

/** The row that the parents chosen so far imply: the customer of the order that an invoice bills. */
const implied = (h: Handle, ref: RefGroup, target: TablePlan): Handle | undefined => {
  if (ref.role !== 'self') return undefined;
  for (const other of h.plan.refs) {
    const parent = other.role === 'staff' || other.id === ref.id ? undefined : h.meta.refs.get(other.id);
    const found = parent ? ancestors(parent, target) : undefined;
    if (found) return found;
  }
  return undefined;
};

const agrees = (h: Handle, ref: RefGroup, candidate: Handle): boolean => {
  if (ref.cols[0] && !couldBeMadeFor(h, ref.cols[0].col, candidate)) return false;
  for (const other of h.plan.refs) {
    if (other.role === 'staff' || other.id === ref.id) continue;
    const chosen = h.meta.refs.get(other.id);
    if (!chosen) continue;
    if (chosen === candidate) return false; // from and to differ
    const theirs = ancestors(candidate, chosen.plan, 2);
    if (theirs && theirs !== chosen && other.role === 'self') return false;
  }
  return true;
};

/** The state the parent must be in, by what the row's last verbs did to it. */
const neededStatus = (h: Handle, ref: RefGroup): string | undefined => {
  for (const step of [...h.meta.path].reverse()) {
    const effect = h.plan.verbs.get(step.verb)?.parents.find(({ col }) => col === ref.cols[0]?.col);
    if (effect) return effect.status;
  }
  return undefined;
};

const PAYS = /payment|receipt|repayment|refund|remittance|settlement/;
const CAME_IN = /captured|paid|completed|succeeded|settled|posted|received|refunded|cleared|confirmed|approved|^$/;

/** A payment that came in belongs to a document that has been paid, one that did not to a document that is still open. */
const fitsMoney = (w: World, h: Handle, candidate: Handle): boolean => {
  if (!PAYS.test(h.plan.noun) || !candidate.plan.roles.has('paid_amount')) return true;
  // Money goes back only where it had come in.
  if (/refund/.test(h.plan.noun))
    return /captured|paid|completed|succeeded|settled|refunded/.test(candidate.meta.status ?? '');
  const paid = amountOf(w, candidate, 'paid_amount') ?? 0;
  const total = amountOf(w, candidate, 'total') ?? 0;
  return CAME_IN.test(h.meta.status ?? '') ? paid > 0 : paid < total;
};

const OCCASION = /slot|session|^event$|departure|flight|lesson|class|shoot|screening|sailing|tour date|viewing/;

/** When the thing the row is booked into takes place; undefined where it is booked into none. */
export const occasionOf = (h: Handle, depth = 2): Occasion | undefined => {
  for (const ref of h.plan.refs) {
    const parent = ref.role === 'staff' ? undefined : h.meta.refs.get(ref.id);
    if (!parent || parent === h) continue;
    const { starts, ends } = parent.meta;
    if (starts !== undefined && ends !== undefined && OCCASION.test(parent.plan.noun)) return { starts, ends };
    const above = depth > 1 ? occasionOf(parent, depth - 1) : undefined;
    if (above) return above;
  }
  return undefined;
};

/** Who has come came to something that is over; who is booked is booked for something to come. */
const fitsOccasion = (w: World, h: Handle, candidate: Handle): boolean => {
  const { starts } = OCCASION.test(candidate.plan.noun) ? candidate.meta : (occasionOf(candidate, 1) ?? {});
  const status = h.meta.status;
  if (starts === undefined || status === undefined || (isBadEnd(status) && !isOver(status))) return true;
  const came = h.meta.path.some(({ to }) => isBegun(to) || isOver(to));
  return came ? starts < w.context.clock - HOUR : starts > w.context.clock;
};

const staffTarget = (h: Handle, picker: Picker): Handle | undefined => {
  const taken = new Set(h.meta.refs.values());
  for (let tries = 0; tries < 15; tries++) {
    const pick = picker.order[Math.floor(picker.order.length * picker.r.unit() ** picker.skew)];
    if (pick && !taken.has(pick)) return pick;
  }
  return picker.order.find((each) => !taken.has(each)) ?? picker.order[0];
};

const uniqueTarget = (h: Handle, ref: RefGroup, picker: Picker): Handle | undefined => {
  const there = implied(h, ref, picker.target);
  if (there && !picker.used.has(there)) {
    picker.used.add(there);
    return there;
  }
  const free =
    picker.order.find((each) => !picker.used.has(each) && agrees(h, ref, each)) ??
    (ref.optional ? undefined : picker.order.find((each) => !picker.used.has(each)));
  if (free) picker.used.add(free);
  return free;
};

/** The chosen target; undefined leaves an optional reference empty, and drops a row that cannot do without. */
export const chooseTarget = (w: World, h: Handle, ref: RefGroup, picker: Picker): Handle | undefined => {
  const { r, order, target } = picker;
  if (order.length === 0) return undefined;
  const maybe = ref.optional && !writesRef(h, ref);
  if (ref.role === 'staff') {
    if (maybe && r.chance(0.15)) return undefined;
    const pick = staffTarget(h, picker);
    if (pick) h.meta.staff.set(ref.word, pick);
    return pick;
  }
  if (ref.unique) return maybe && r.chance(0.12) ? undefined : uniqueTarget(h, ref, picker);
  const from = implied(h, ref, target);
  if (from && (agrees(h, ref, from) || !ref.optional)) return from;
  if (maybe && r.chance(0.2)) return undefined;
  const status = neededStatus(h, ref);
  const pays = PAYS.test(h.plan.noun);
  let second: Handle | undefined;
  let third: Handle | undefined;
  for (let tries = 0; tries < 60; tries++) {
    const candidate = order[Math.floor(order.length * r.unit() ** (tries < 20 ? picker.skew : 1))] as Handle;
    if (!agrees(h, ref, candidate)) continue;
    const old = candidate.meta.created <= h.meta.created || h.meta.spare;
    const fits =
      (status === undefined || candidate.meta.status === status) &&
      fitsMoney(w, h, candidate) &&
      fitsOccasion(w, h, candidate);
    const free = !pays || !picker.used.has(candidate);
    if (old && fits && free) {
      picker.used.add(candidate);
      return candidate;
    }
    // A parent that is too young can be had: the row is then made later.
    if (fits && free && second === undefined) second = candidate;
    else if (old || third === undefined) third = candidate;
  }
  // One refund a payment: rows without one are left out.
  if (second === undefined && /refund/.test(h.plan.noun) && picker.used.size >= 6) return undefined;
  second ??= pays && ref.optional ? undefined : third;

  if (second && pays) picker.used.add(second);
  return second ?? (ref.optional ? undefined : order[0]);
};
