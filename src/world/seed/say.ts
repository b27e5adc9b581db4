/** Sentences and titles of the phrase grammar, filled with the row's own things. */
import { isoDate, longDate } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { phrasesData } from './data.js';
import { fullName } from './people.js';
import { currencyDigits, homeCity } from './places.js';
import { articleOf, colleague, firmOf, kindIn, nearest, parentsOf, partyOf, personOf, placeOf } from './subjects.js';
import type { Handle, World } from './types.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `1250.00 EUR` */
export const amountText = (minor: number, currency: string): string =>
  `${(minor / 10 ** currencyDigits(currency)).toFixed(currencyDigits(currency))} ${currency}`;

const numberOf = (h: Handle): string | undefined => {
  const col = h.plan.roles.get('document_number') ?? h.plan.cols.find((each) => each.column.auto === 'number')?.name;
  const value = col ? h.row[col] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

const documentFor = (w: World, h: Handle, r: Rng): string | undefined => {
  for (const parent of parentsOf(h)) {
    const number = parent.plan.kind === 'document' ? numberOf(parent) : undefined;
    if (number) return number;
  }
  return spokenOf(w, h, r)?.number;
};

/** A document that somebody would write about now: entered in the weeks before the row. Remembered for the row. */
const spokenOf = (w: World, h: Handle, r: Rng): World['spoken'][number] | undefined => {
  const known = h.meta.extras.get('spoken of') as unknown as World['spoken'][number] | undefined;
  if (known) return known;
  const all = w.spoken;
  if (all.length === 0) return undefined;
  if (h.plan.service.source.kind === 'core' && sorted.get(w) !== all.length) {
    all.sort((a, b) => a.of.meta.created - b.of.meta.created || (a.number < b.number ? -1 : 1));
    sorted.set(w, all.length);
  }
  // The list rises with time for core services, which come last: the share of documents there are by now.
  let [low, high] = [0, all.length];
  while (low < high && sorted.get(w) === all.length) {
    const middle = (low + high) >> 1;
    if ((all[middle] as World['spoken'][number]).of.meta.created < h.meta.created) low = middle + 1;
    else high = middle;
  }
  const there = sorted.get(w) === all.length ? Math.max(1, low) : all.length;
  const found = all[Math.max(0, there - 1 - Math.floor(Math.min(there, 60) * r.unit() ** 1.5))];
  if (found) h.meta.extras.set('spoken of', found as never);
  return found;
};
const sorted = new WeakMap<World, number>();

/** Whose firm, person and article a sentence names: those of the document it speaks of, where the row has none of its own. */
const subjectIn = (template: string, w: World, h: Handle, r: Rng): Handle => {
  if (!template.includes('{doc}') || partyOf(w, h)) return h;
  if (parentsOf(h).some((parent) => parent.plan.kind === 'document' && numberOf(parent))) return h;
  return spokenOf(w, h, r)?.of ?? h;
};
const OF_SUBJECT = new Set(['firm', 'person', 'item', 'unit', 'trade', 'amount']);

const nameOf = (h: Handle): string | undefined => {
  const value = h.plan.table.label ? h.row[h.plan.table.label] : undefined;
  return typeof value === 'string' ? value : numberOf(h);
};

type Slot = (w: World, h: Handle, r: Rng) => string | undefined;
const SLOTS: Record<string, Slot> = {
  doc: documentFor,
  item: (w, h, r) => articleOf(w, h, r).name,
  unit: (w, h, r) => articleOf(w, h, r).unit,
  firm: (w, h, r) => firmOf(w, h, r).name,
  trade: (w, h, r) => firmOf(w, h, r).trade,
  person: (w, h, r) => fullName(personOf(w, h, r)),
  first: (w, h, r) => {
    const other = h.meta.staff.get('to') ?? colleague(w, h, 'addressee', r);
    return other ? personOf(w, other, r).first : personOf(w, h, r).first;
  },
  staff: (w, h, r) => {
    const other =
      h.meta.staff.get('from') ??
      h.meta.staff.get('sender') ??
      h.meta.staff.get('author') ??
      colleague(w, h, 'mentioned', r);
    return other ? fullName(personOf(w, other, r)) : undefined;
  },
  staff2: (w, h, r) => {
    const other = colleague(w, h, 'mentioned too', r);
    return other ? fullName(personOf(w, other, r)) : undefined;
  },
  dept: (w, h, r) => {
    const other = h.meta.staff.get('mentioned');
    const own = other?.row[other.plan.roles.get('department') ?? ''];
    return typeof own === 'string' ? own : r.pick(w.departments)[0];
  },
  city: (w, h, r) => placeOf(w, h, r).city.name,
  home: (w) => homeCity(w.home, w.context.company.city),
  city2: (w, _h, r) => r.pick(w.home.cities).name,
  street: (w, _h, r) => r.pick(w.home.streetNames),
  founder: (w, _h, r) => (w.drawn.length > 0 ? r.pick(w.drawn).last : undefined),
  site: (w, _h, r) => `${r.pick(w.home.cities).name} ${r.pick(['office', 'warehouse', 'branch', 'depot', 'workshop'])}`,
  day: (_w, h, r) => longDate(h.meta.created + r.int(1, 12) * 86_400).replace(/ \d{4}$/, ''),
  month: (_w, h) => MONTHS[Number(isoDate(h.meta.created).slice(5, 7)) - 1],
  year: (_w, h) => isoDate(h.meta.created).slice(0, 4),
  qty: (_w, _h, r) => String(r.int(2, 9)),
  n: (_w, h) => String(h.meta.index),
  amount: (w, h) => (h.meta.gross ? amountText(h.meta.gross, w.context.company.currency) : undefined),
  noun: (_w, h) => h.plan.noun,
  Noun: (_w, h) => capital(h.plan.noun),
  self: (_w, h) => nameOf(h),
};

/** A row speaks of one document, one day and one quantity in its subject and in its text. */
const STABLE = new Set(['doc', 'day', 'qty', 'site', 'city2', 'founder']);
const remembered = (h: Handle, slot: string): string | undefined =>
  h.meta.extras.get(`slot ${slot}`) as unknown as string | undefined;

const fill = (template: string, w: World, h: Handle, r: Rng): string | undefined => {
  let missing = false;
  const about = subjectIn(template, w, h, r);
  const text = template.replace(/\{(\w+)\}/g, (_whole, slot: string) => {
    const of = about !== h && OF_SUBJECT.has(slot) ? about : h;
    // A document without a firm behind it is not spoken of as a firm's.
    const strange = of !== h && slot === 'firm' && !nearest(of, (other) => kindIn(w, other) === 'company');
    const value = strange ? undefined : (remembered(h, slot) ?? SLOTS[slot]?.(w, of, r));
    if (value !== undefined && STABLE.has(slot)) h.meta.extras.set(`slot ${slot}`, value as never);
    if (value === undefined || value === '') missing = true;
    return value ?? '';
  });
  return missing ? undefined : text;
};

type Section = 'names' | 'titles' | 'bodies' | 'notes' | 'descriptions';

/** The list of `section` for a noun: the whole noun, its last word, the kind of table, `any`. */
export const listFor = (section: Section, h: Handle, only?: boolean): string[] | undefined => {
  const lists = phrasesData()[section];
  const last = h.plan.noun.split(' ').at(-1) ?? '';
  // `document` is a noun of its own, and the kind of most tables: only notes speak of it as a kind.
  const kind = h.plan.kind === 'document' && section !== 'notes' ? undefined : lists[h.plan.kind];
  return lists[h.plan.words] ?? lists[h.plan.noun] ?? lists[last] ?? kind ?? (only ? undefined : lists.any);
};

/** A filled sentence of a list; undefined when none could be filled. `at` walks the list instead of drawing. */
export const sayFrom = (list: readonly string[], w: World, h: Handle, r: Rng, at?: number): string | undefined => {
  if (list.length === 0) return undefined;
  for (let tries = 0; tries < 10; tries++) {
    const template = at === undefined ? r.pick(list) : (list[(at + tries) % list.length] as string);
    const text = fill(template, w, h, r);
    if (text !== undefined) return text;
  }
  return undefined;
};
