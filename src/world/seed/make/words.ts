/** Titles, names of things, notes and longer texts. */
import { snake } from '../../../kit/words.js';
import { phrasesData } from '../data.js';
import { narrowNames } from '../narrow.js';
import { fullName } from '../people.js';
import { pickCity } from '../places.js';
import { listFor, sayFrom } from '../say.js';
import { articleOf, firmFor, kindIn, parentsOf, personOf, relativeOf, sellsGoods, subjectOf } from '../subjects.js';
import type { Handle, Make } from '../types.js';
import { ownName } from './firms.js';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The subject and text that belong together, drawn once a row. */
const threadOf = ({ w, h, r }: Parameters<Make>[0]): { subject: string; text: string } | undefined => {
  if (!h.plan.roles.has('title') || !h.plan.roles.has('body_text')) return undefined;
  const { threads } = phrasesData();
  const noun = h.plan.noun.split(' ').at(-1) ?? '';
  const always = threads[noun];
  if (!always) return undefined;
  const pairs = [...always, ...(threads[`${noun} ${sellsGoods(w) ? 'goods' : 'services'}`] ?? [])];
  const known = h.meta.extras.get('thread') as unknown as { subject: string; text: string } | undefined;
  if (known) return known;
  for (let tries = 0; tries < 12; tries++) {
    const [head, body] = r.pick(pairs);
    const subject = sayFrom([head], w, h, r);
    const text = subject === undefined ? undefined : sayFrom([body], w, h, r);
    if (subject === undefined || text === undefined) continue;
    h.meta.extras.set('thread', { subject, text } as never);
    return { subject, text };
  }
  return undefined;
};

const title: Make = (cell) => {
  const { w, h, r } = cell;
  const thread = threadOf(cell);
  if (thread) return thread.subject;
  if (['product', 'person', 'company', 'place'].includes(kindIn(w, h))) {
    const own = WORDS.name?.(cell);
    if (own) return own;
  }
  const posts = w.departments.find(([department]) => department === h.row.department)?.[1];
  if (posts && /position|requisition|vacancy/.test(h.plan.noun)) return r.pick(posts);
  const narrower = narrowNames(w.context.company, [h.plan.words, h.plan.noun]);
  const special = narrower && sayFrom(narrower, w, h, r);
  if (special !== undefined) return special;
  const list = listFor('titles', h, true) ?? listFor('names', h, true) ?? phrasesData().titles.any ?? [];
  return sayFrom(list, w, h, r) ?? `${capital(h.plan.noun)} ${h.meta.index}`;
};

/** Sentences for a row in a place that has a name of its own: posts of a channel. */
const placedList = (section: 'bodies' | 'descriptions', h: Handle): string[] | undefined => {
  const lists = phrasesData()[section];
  const own = lists[`${h.plan.noun} ${String(h.row.name ?? '')}`];
  if (own) return own;
  for (const parent of parentsOf(h)) {
    const list = lists[`${h.plan.noun} ${String(parent.row[parent.plan.table.label ?? 'name'] ?? '')}`];
    if (list) return list;
  }
  return undefined;
};

const description: Make = ({ w, h, r }) =>
  sayFrom(placedList('descriptions', h) ?? [], w, h, r) ??
  sayFrom(listFor('descriptions', h) ?? [], w, h, r) ??
  `${capital(h.plan.noun)} ${h.meta.index}`;

const body: Make = ({ w, h, col, r }) =>
  threadOf({ w, h, col, r })?.text ??
  (r.chance(0.7) ? sayFrom(placedList('bodies', h) ?? [], w, h, r) : undefined) ??
  sayFrom(listFor('bodies', h) ?? [], w, h, r) ??
  description({ w, h, r } as never);

const note: Make = ({ w, h, col, r }) => {
  if (!col.column.required && !col.managed && r.chance(0.1)) return null;
  return sayFrom(listFor('notes', h) ?? [], w, h, r) ?? null;
};

/** The name of a thing of this noun that has no table here; undefined where the nouns' names are not known. */
export const namedBy = ({ w, h, r }: Parameters<Make>[0], noun: string): string | undefined =>
  sayFrom(phrasesData().names[noun] ?? [], w, h, r);

/** Things whose name says what they are. */
const KIND_NAMED =
  /(^| )(asset|equipment|machine|device|instrument|vehicle|rental item|config item|animal group|tool|unit|sensor)$/;
const kindColumn = (h: Handle): string | undefined =>
  h.plan.cols.find((col) => col.column.enum && col.rule?.id === 'kind')?.name;

/** `hirer_name` is somebody's, whatever the row. */
const PEOPLE_NAMED =
  /^(buyer|deceased|talent|performer|hirer|renter|bidder|seller|applicant|skipper|child|bearer|requester|passenger|next of kin|owner)$/;

/** Somebody of the family of the person whom the row, or the row it hangs on, is about. */
const RELATED = /^(deceased|child|guardian|next of kin|emergency contact|parent|spouse)$/;

const name: Make = (cell) => {
  const { w, h, col, r } = cell;
  const subject = subjectOf(w, h, col.norm);
  const target = subject.of;
  if (target !== h) {
    const label = target.plan.table.label ?? target.plan.roles.get('name');
    const value = label ? target.row[label] : undefined;
    if (typeof value === 'string') return value;
  }
  const nouns = [h.plan.words, h.plan.noun, h.plan.noun.split(' ').at(-1) ?? ''];
  // What is lent is called what it is.
  const lent = target === h && /(^| )rental item$/.test(h.plan.noun) ? h.row.category : undefined;
  if (typeof lent === 'string' && !/^(vehicle|tool|furniture)$/.test(lent))
    return `${capital(lent.replaceAll('_', ' '))} ${h.meta.index}`;
  const narrower = target === h ? narrowNames(w.context.company, nouns) : undefined;
  const special = narrower && sayFrom(narrower, w, h, r, h.meta.index - 1);
  if (narrower && special !== undefined)
    return h.meta.index > narrower.length && !narrower.some((text) => text.includes('{n}'))
      ? `${special} ${Math.ceil(h.meta.index / narrower.length)}`
      : special;
  if (typeof lent === 'string') return `${capital(lent.replaceAll('_', ' '))} ${h.meta.index}`;
  const own = ownName({ ...cell, h: target });
  if (own !== undefined) return own;
  if (target.plan.kind === 'product' && col.norm !== 'display_name_short') return articleOf(w, target, r).name;
  const kind = target === h && KIND_NAMED.test(h.plan.noun) ? h.row[kindColumn(h) ?? ''] : undefined;
  if (typeof kind === 'string') return `${capital(kind.replaceAll('_', ' '))} ${h.meta.index}`;
  // `queue_name` on a ticket names a queue.
  const stem = col.norm.replace(/_?name$/, '').replaceAll('_', ' ');
  const { names } = phrasesData();
  if (/^(to|payee|carrier|shop|to account)$/.test(stem) && h.plan.kind === 'document')
    return firmFor({ ...cell, col: { ...col, norm: `supplier_${col.norm}` } }).name;
  if (RELATED.test(stem)) return fullName(relativeOf(w, h, stem, r));
  if (PEOPLE_NAMED.test(stem)) return fullName(personOf(w, h, r));
  const foreign = stem !== '' && stem !== h.plan.noun ? names[stem] : undefined;
  const list =
    foreign ??
    names[h.plan.words] ??
    names[h.plan.noun] ??
    names[h.plan.noun.split(' ').at(-1) ?? ''] ??
    (h.plan.kind === 'document' ? undefined : names[h.plan.kind]) ??
    phrasesData().titles[h.plan.noun] ??
    names.any ??
    [];
  return sayFrom(list, w, h, r, foreign ? undefined : h.meta.index - 1) ?? `${capital(h.plan.noun)} ${h.meta.index}`;
};

/** 0-4 words of the table's own set. */
export const tags: Make = ({ col, r, h }) => {
  const { values } = phrasesData();
  const key =
    ['skills', 'features', 'amenities', 'languages', 'scopes', 'roles'].find((each) =>
      col.norm.includes(each.slice(0, -1)),
    ) ?? (/permission/.test(col.norm) ? 'scopes' : 'tags');
  const all = values[key] ?? [];
  const list = r.sample(all.slice(0, 8 + (h.plan.name.length % 6)), r.pick([0, 1, 1, 2, 2, 3, 4]));
  return col.column.type === 'json'
    ? JSON.stringify(list)
    : list.join(', ') || (col.column.required ? (all[0] ?? 'other') : null);
};

const PAIRS: Record<string, string[]> = {
  region: ['north', 'south', 'east', 'west'],
  source: ['web', 'phone', 'partner'],
  contract: ['framework', 'single'],
  priority: ['low', 'normal', 'high'],
  cost_centre: ['4100', '4200', '4300'],
  warehouse: ['main', 'cold store'],
  language: ['en', 'de', 'fr'],
};

const json: Make = ({ h, col, r }) => {
  const text = col.column.type === 'text';
  if (r.chance(0.55)) return text ? '{}' : '{}';
  const keys = r.sample(Object.keys(PAIRS), r.int(1, 2)).sort();
  return JSON.stringify(
    Object.fromEntries(keys.map((key) => [key, r.pick(PAIRS[key] as string[])])),
    undefined,
    h.plan.kind === 'lookup' ? 0 : 0,
  );
};

const pair: Make = ({ h, col, r }) => {
  const key = Object.keys(PAIRS)[(h.meta.index - 1) % 7] as string;
  const value = /key/.test(col.norm) ? key : r.pick(PAIRS[key] as string[]);
  return col.column.type === 'int' || col.column.type === 'number'
    ? r.int(1, 100)
    : col.column.type === 'json'
      ? JSON.stringify(value)
      : value;
};

const PLACES =
  /(^|_)(destination|origin|place|depot|station|port|base|centre|center|district|locality|stop|terminal|hub|home_base)$/;
const FIRMS =
  /(^|_)(merchant|workshop|craftsman|landlord|bank|lender|licensor|counterparty|debtor|insurer|issuer|carrier|producer|hotel|court|other_party|contractor|garage)$/;
const SITES = /(^|_)(shop|location|branch|premises|club)$/;
const PERSONS = /(^|_)(referrer|visitor|claimant|learner|rider|receiver|bearer|caller|speaker|mentor|witness|heir)$/;

/** What the last word of an uncommon name is: a place, a firm, somebody. */
const guess = (cell: Parameters<Make>[0]): string | undefined => {
  const { w, h, col, r } = cell;
  if (SITES.test(col.norm))
    return sayFrom(phrasesData().names[w.sector === '44' || w.sector === '45' ? 'store' : 'location'] ?? [], w, h, r);
  if (PLACES.test(col.norm)) return pickCity(w.home, r).name;
  if (FIRMS.test(col.norm)) return firmFor({ ...cell, col: { ...col, norm: `supplier_${col.norm}` } }).name;
  return PERSONS.test(col.norm) ? fullName(personOf(w, h, r)) : undefined;
};

/** Two words for a text that no rule knows. */
export const anyText: Make = (cell) => {
  const { h, col, w, r } = cell;
  const parts = col.norm.split('_').filter((part) => !['id', 'the', 'of'].includes(part));
  const { kinds, values } = phrasesData();
  const guessed = guess(cell);
  if (guessed !== undefined) return guessed;
  const known = kinds[col.norm] ?? values[col.norm] ?? kinds[parts.at(-1) ?? ''];
  if (known) return r.pick(known);
  if (/outcome|evidence|response|solution|finding|conclusion|result/.test(col.norm))
    return sayFrom(listFor('notes', h) ?? [], w, h, r) ?? 'Done.';
  return `${capital(snake(parts.join('_') || h.plan.noun).replaceAll('_', ' '))} ${r.pick(['A', 'B', 'C', 'D', 'E'])}${r.int(1, 9)}`;
};

export const WORDS: Record<string, Make> = {
  title,
  description,
  body_text: body,
  note,
  name,
  product_name: (cell) => articleOf(cell.w, cell.h, cell.r).name,
  json_blob: json,
  pair,
};
