/** Whom and what a row is about: its person, company, place and article, made once and shared by all columns and child rows. */
import type { Rng } from '../../kit/rng.js';
import { phrasesData } from './data.js';
import { type Article, chainOf, drawArticles, drawFirm, type Firm } from './firms.js';
import { dealsWith } from './narrow.js';
import { drawPerson, fullName, type Person } from './people.js';
import { type Country, makePlace, type Place, tradePartners } from './places.js';
import type { Cell, Handle, World } from './types.js';

/** Rows this one hangs on: what it is about first, then others; colleagues are left out. */
export const parentsOf = (h: Handle): Handle[] => {
  const out: Handle[] = [];
  for (const role of ['self', 'other'] as const)
    for (const ref of h.plan.refs) {
      const parent = ref.role === role ? h.meta.refs.get(ref.id) : undefined;
      if (parent && parent !== h) out.push(parent);
    }
  return out;
};

/** The nearest row, this one included, for which `is` holds; at most three steps up. */
export const nearest = (h: Handle, is: (h: Handle) => boolean, depth = 3): Handle | undefined => {
  let level = [h];
  for (let step = 0; step <= depth; step++) {
    const found = level.find(is);
    if (found) return found;
    level = level.flatMap(parentsOf).slice(0, 40);
  }
  return undefined;
};

/** A row of another table that is the same person or firm: a shared key that is unique here. */
const twin = (h: Handle): Handle | undefined => {
  for (const ref of h.plan.refs) {
    const other = h.meta.refs.get(ref.id);
    if (
      other &&
      other !== h &&
      ref.role === 'self' &&
      other.plan.kind === h.plan.kind &&
      (ref.unique || ref.cols.length > 1)
    )
      return other;
  }
  return undefined;
};

const countryFor = (w: World, r: Rng): Country => (r.chance(0.8) ? w.home : r.pick(tradePartners(w.home)));

/** A new person of the world; one in ten takes the surname of somebody there already (planned near-duplicates). */
export const newPerson = (w: World, country: Country, r: Rng): Person => {
  const like = w.drawn.length > 3 && w.drawn.length % 10 === 7 ? r.pick(w.drawn) : undefined;
  let person = drawPerson(country.names, r, like);
  for (let tries = 0; tries < 30 && w.people.has(fullName(person).toLowerCase()); tries++)
    person = drawPerson(country.names, r, tries < 15 ? like : undefined);
  w.people.add(fullName(person).toLowerCase());
  w.drawn.push(person);
  return person;
};

const SUPPLY = /suppl|vendor|merchant|carrier|manufactur|contractor|seller|payee|dealer/;

/** Firms whose trade the word for them says, whoever speaks of them. */
const SECTOR_OF_FIRM: [RegExp, string][] = [
  [/payer|insurer|bank|lender|underwriter/, '52'],
  [/hotel/, '72'],
  [/carrier|haulier|forwarder|ship agent|airline/, '48'],
  [/workshop|garage|craftsman/, '81'],
  [/hospital|clinic|laborator/, '62'],
  [/school|universit|institution/, '61'],
  [/court|law firm|notary/, '54'],
  [/contractor|builder/, '23'],
  [/landlord/, '53'],
  [/publisher|broadcaster|other operator/, '51'],
];

const newFirm = (w: World, h: Handle, r: Rng, word?: string): Firm => {
  const side = SUPPLY.test(h.plan.noun) ? 'buys' : 'sells';
  const like = w.drawnFirms.length > 3 && w.drawnFirms.length % 9 === 5 ? r.pick(w.drawnFirms) : undefined;
  const sector =
    SECTOR_OF_FIRM.find(([pattern]) => pattern.test(word ?? h.plan.noun))?.[1] ?? r.pick(chainOf(w.sector, side));
  const country = like?.place.country ?? countryFor(w, r);
  const firm = drawFirm(country, sector, r, w.firms, like);
  firm.contact = newPerson(w, country, r);
  w.drawnFirms.push(firm);
  return firm;
};

const PRIVATE_SECTORS = new Set(['44', '45', '61', '62', '71', '72', '81', '92']);
/** Industries of other sectors that serve people: vets, wedding photographers, travel agents, storage, hire for holidays. */
const SERVES_PEOPLE = /^(54194|54192|5615|53113|5322|4853|5221)/;
/** Industries of those sectors that serve firms: laboratories, repair of machines, staff training. */
const SERVES_FIRMS = /^(6215|8113|6114|8123|7113|7114)/;
/** Whether customers are people in this trade: those of a shop, a clinic, a hotel. */
export const sellsToPeople = (w: World): boolean => {
  const { naics } = w.context.company.industry;
  return SERVES_PEOPLE.test(naics) || (PRIVATE_SECTORS.has(w.sector) && !SERVES_FIRMS.test(naics));
};

const GOODS_SECTORS = new Set(['11', '21', '31', '32', '33', '42', '44', '45']);
/** Whether the company sells things that are sent and kept, not work or stays. */
export const sellsGoods = (w: World): boolean => GOODS_SECTORS.has(w.sector);

const isClient = (h: Handle): boolean => (phrasesData().nouns.person_client ?? []).includes(h.plan.noun);

/** What the row is, seen from the world: a customer of a shop is a person, of a wholesaler a firm. */
export const kindIn = (w: World, h: Handle): Handle['plan']['kind'] =>
  h.plan.kind === 'company' && isClient(h) && sellsToPeople(w) ? 'person' : h.plan.kind;

const isParty =
  (w: World) =>
  (h: Handle): boolean => {
    const kind = kindIn(w, h);
    return (kind === 'person' && !h.plan.staff) || kind === 'company';
  };

/** The row's customer, supplier or person, if it or a row above is one. */
export const partyOf = (w: World, h: Handle): Handle | undefined => nearest(h, isParty(w));

export const firmOf = (w: World, h: Handle, r: Rng): Firm => {
  if (h.meta.firm) return h.meta.firm;
  const same = twin(h);
  let firm: Firm;
  if (same && kindIn(w, same) === 'company') firm = firmOf(w, same, r);
  else if (h.plan.kind === 'company') firm = newFirm(w, h, r);
  else {
    const party = nearest(h, (other) => other !== h && kindIn(w, other) === 'company');
    firm = party
      ? firmOf(w, party, r)
      : w.drawnFirms.length > 4 && !(h.plan.kind === 'person' && h.plan.roles.has('company_name'))
        ? r.pick(w.drawnFirms)
        : newFirm(w, h, r);
  }
  h.meta.firm = firm;
  return firm;
};

export const personOf = (w: World, h: Handle, r: Rng): Person => {
  if (h.meta.person) return h.meta.person;
  let person: Person | undefined;
  const same = twin(h);
  const kind = kindIn(w, h);
  if (same && (kindIn(w, same) === 'person' || same.plan.kind === kind)) person = personOf(w, same, r);
  else if (kind === 'company') person = firmOf(w, h, r).contact;
  else if (kind === 'person') {
    const owner = nearest(h, (other) => other !== h && kindIn(w, other) === 'company');
    const firm = owner ? firmOf(w, owner, r) : undefined;
    // The first contact at a firm is the one its papers name.
    if (firm && owner && !owner.meta.extras.has('first contact')) {
      owner.meta.extras.set('first contact', firm.contact);
      person = firm.contact;
    } else person = newPerson(w, firm?.place.country ?? w.home, r);
  } else {
    const party = partyOf(w, h);
    person = party ? personOf(w, party, r) : newPerson(w, w.home, r);
  }
  h.meta.person = person;
  return person;
};

/** A relative of the row's person under a word (`guardian`, `deceased`): three in four share the surname. */
export const relativeOf = (w: World, h: Handle, word: string, r: Rng): Person => {
  const key = `person ${word}`;
  const known = h.meta.extras.get(key) as Person | undefined;
  if (known) return known;
  const own = personOf(w, h, r);
  const drawn = newPerson(w, w.home, r);
  const person = r.chance(0.75) && own.gender === drawn.gender ? { ...drawn, last: own.last } : drawn;
  w.people.add(fullName(person).toLowerCase());
  h.meta.extras.set(key, person);
  return person;
};

/** How much of what a company has lies in its own town: nearly all of a small one's. */
const atHome = (w: World): number => (w.context.company.employees < 60 ? 0.85 : 0.33);

export const placeOf = (w: World, h: Handle, r: Rng): Place => {
  if (h.meta.place) return h.meta.place;
  const kind = kindIn(w, h);
  const same = twin(h);
  let place: Place;
  if (same) place = placeOf(w, same, r);
  else if (h.plan.staff || kind === 'place') place = makePlace(w.home, r, w.context.company.city, atHome(w));
  else if (kind === 'company') place = firmOf(w, h, r).place;
  else if (kind === 'person') {
    const owner = nearest(h, (other) => other !== h && kindIn(w, other) === 'company');
    place = owner ? firmOf(w, owner, r).place : makePlace(w.home, r, w.context.company.city, atHome(w));
  } else {
    const party = nearest(h, (other) => other !== h && (isParty(w)(other) || other.plan.kind === 'place'));
    place = party ? placeOf(w, party, r) : makePlace(w.home, r, w.context.company.city, atHome(w));
  }
  h.meta.place = place;
  return place;
};

/** The row's article: its own, that of the product it points to, or one of the company's. */
const SECTOR_OF_NOUN: [RegExp, string][] = [
  [/menu|dish|meal/, '72'],
  [/drug|medic|pharm/, '62'],
  [/crop|produce|seed|livestock/, '11'],
  [/building material/, '23'],
];

/** Services in which a company of services keeps what it buys. */
const BOUGHT = /^(procurement|inventory|warehouse|facilities|it_service|quality_mgmt)$/;

/** The company's own articles, or those of the trade that a noun belongs to whoever sells it. */
const articlesFor = (w: World, h: Handle): Article[] => {
  if (!sellsGoods(w) && BOUGHT.test(h.plan.service.source.archetype ?? '')) {
    const own =
      w.otherArticles.get('supplies') ??
      drawArticles(
        w.sector,
        30,
        w.rng.stream('supplies'),
        dealsWith(w.context.company),
        true,
        w.context.company.industry.naics,
      );
    w.otherArticles.set('supplies', own);
    return own;
  }
  const sector = SECTOR_OF_NOUN.find(([pattern]) => pattern.test(h.plan.noun))?.[1];
  // A hotel sells rooms; what its kitchen serves is another list.
  if (/menu|dish|meal/.test(h.plan.noun) && !/^722/.test(w.context.company.industry.naics)) {
    const dishes =
      w.otherArticles.get('dishes') ??
      drawArticles('72', 30, w.rng.stream('articles dishes'), 'Full-Service Restaurants');
    w.otherArticles.set('dishes', dishes);
    return dishes;
  }
  if (!sector || sector === w.sector) return w.articles;
  const known = w.otherArticles.get(sector) ?? drawArticles(sector, 30, w.rng.stream(`articles ${sector}`));
  w.otherArticles.set(sector, known);
  return known;
};

export const articleOf = (w: World, h: Handle, r: Rng): Article => {
  if (h.meta.article) return h.meta.article;
  const product = nearest(h, (other) => other !== h && other.plan.kind === 'product', 2);
  const own = h.plan.kind === 'product';
  const same = own ? twin(h) : product;
  const article = same
    ? articleOf(w, same, r)
    : own
      ? (articlesFor(w, h)[(h.meta.index - 1) % 30] as Article)
      : r.pick(articlesFor(w, h));
  h.meta.article = article;
  return article;
};

/** A colleague who is there now, the same for every column of the role; nobody stands twice in one row. */
export const colleague = (w: World, h: Handle, role: string, r: Rng): Handle | undefined => {
  const found = h.meta.staff.get(role);
  if (found) return found;
  if (w.active.length === 0) return undefined;
  const taken = new Set([...h.meta.staff.values(), ...h.meta.refs.values()]);
  let pick = w.active[0] as Handle;
  for (let tries = 0; tries < 12; tries++) {
    pick = w.active[Math.floor(w.active.length * r.unit() ** 1.5)] as Handle;
    if (!taken.has(pick)) break;
  }
  h.meta.staff.set(role, pick);
  return pick;
};

const STAFF =
  /^(owner|assignee|assigned|agent|manager|handler|approver|approved|requester|requested|reviewer|reviewed|decided|author|created|updated|modified|uploaded|submitted|closed|resolved|cancelled|issued|verified|changed|entered|posted|opened|reported|completed|rejected|supervisor|responsible|operator|technician|engineer|inspector|buyer|keeper|prepared|signed|received|performed|last_modified|instructor|teacher|account_manager|hiring_manager|rep|sales_rep)(_|$)/;

export interface Subject {
  /** The row whose values are shown. */
  of: Handle;
  /** Said by a colleague in this role. */
  staff?: string;
  /** Somebody or something else, named by this word (`recipient`, `emergency`). */
  extra?: string;
}

const QUALIFIERS: [string, RegExp][] = [
  ['customer', /^(customer|client|buyer|purchaser|bill_to|sold_to|billing)(_|$)/],
  ['recipient', /^(recipient|ship_to|shipping|delivery|receiver|consignee|destination)(_|$)/],
  ['sender', /^(sender|ship_from|origin|return|remit_to|pickup)(_|$)/],
  ['supplier', /^(supplier|vendor|seller|merchant|payee|carrier|manufacturer)(_|$)/],
  ['professional', /^(prescriber|referrer|referring|attending|physician|doctor|gp)(_|$)/],
  ['emergency', /^(emergency|next_of_kin|guardian|parent|beneficiary|nominee|spouse)(_|$)/],
];
const CLASS: Record<string, RegExp> = {
  customer: /customer|client|account|member|patient|tenant|guest|buyer|payer|subscriber|debtor|shopper|requester/,
  recipient: /customer|client|account|member|patient|tenant|guest|buyer|shopper|contact|requester/,
  supplier: /supplier|vendor|merchant|seller|carrier|payee|manufacturer/,
};

/** Whose value a column holds: `customer_email` follows the customer behind the row, `assignee_name` a colleague. */
export const subjectOf = (w: World, h: Handle, col: string): Subject => {
  for (const ref of h.plan.refs) {
    const target = h.meta.refs.get(ref.id);
    if (
      target &&
      target !== h &&
      ref.role !== 'staff' &&
      ref.word !== '' &&
      (col.startsWith(`${ref.word}_`) || col.startsWith(`${target.plan.name}_`))
    )
      return { of: target };
  }
  if (STAFF.test(col)) return { of: h, staff: col.replace(/_(name|email|id|phone|no|title|department)$/, '') };
  const own = kindIn(w, h);
  for (const [word, pattern] of QUALIFIERS) {
    if (!pattern.test(col)) continue;
    const seek = CLASS[word];
    const found = seek
      ? nearest(
          h,
          (other) => seek.test(other.plan.noun) && (other.plan.kind === 'company' || other.plan.kind === 'person'),
        )
      : undefined;
    if (found) return { of: found };
    if (word === 'customer' && (own === 'company' || own === 'person')) return { of: h };

    return { of: h, extra: word };
  }
  return { of: h };
};

/** The person a column speaks of. */
export const personFor = ({ w, h, col, r }: Cell): { person: Person; of: Handle } => {
  const subject = subjectOf(w, h, col.norm);
  if (subject.staff) {
    const someone = colleague(w, h, subject.staff, r);
    if (someone) return { person: personOf(w, someone, r), of: someone };
  }
  if (subject.extra) {
    const known = h.meta.extras.get(`person ${subject.extra}`);
    const person = (known as Person | undefined) ?? newPerson(w, w.home, r);
    h.meta.extras.set(`person ${subject.extra}`, person);
    return { person, of: h };
  }
  return { person: personOf(w, subject.of, r), of: subject.of };
};

/** A hotel and a bank of one row are two firms. */
const firmKey = (extra: string, norm: string): string => {
  const word = norm.replace(/^supplier_/, '');
  return SECTOR_OF_FIRM.some(([pattern]) => pattern.test(word)) ? `firm ${word}` : `firm ${extra}`;
};

export const firmFor = ({ w, h, col, r }: Cell): Firm => {
  const subject = subjectOf(w, h, col.norm);
  if (subject.extra) {
    const known = h.meta.extras.get(firmKey(subject.extra, col.norm)) as Firm | undefined;
    const firm = known ?? newFirm(w, h, r, col.norm.replace(/^supplier_/, ''));
    h.meta.extras.set(firmKey(subject.extra, col.norm), firm);
    return firm;
  }
  return firmOf(w, subject.of, r);
};

export const placeFor = ({ w, h, col, r }: Cell): Place => {
  const subject = subjectOf(w, h, col.norm);
  if (subject.extra) {
    const known = h.meta.extras.get(`place ${subject.extra}`) as Place | undefined;
    const place = known ?? makePlace(w.home, r, subject.extra === 'sender' ? w.context.company.city : undefined);
    h.meta.extras.set(`place ${subject.extra}`, place);
    return place;
  }
  return placeOf(w, subject.of, r);
};
