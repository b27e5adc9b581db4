/** Amounts of one row that agree with each other: drawn together once, then handed out column by column in minor units. */

import { snake } from '../../../kit/words.js';
import { medianFor, roundAmount, shelfPrice, someAmount, toMinor } from '../money.js';
import { currencyDigits, goodsLevel, serviceLevel, wageLevel } from '../places.js';
import { articleOf, firmOf, kindIn, nearest, parentsOf, partyOf, sellsGoods } from '../subjects.js';
import type { Cell, Handle, Make, World } from '../types.js';
import { span } from './span.js';

/** ISO code of the row's amounts: its own column, its document's, else the company's. */
export const currencyOf = (w: World, h: Handle, depth = 2): string => {
  const own = h.plan.currencyCol ? h.row[h.plan.currencyCol] : undefined;
  if (typeof own === 'string' && own !== '') return own.toUpperCase();
  if (depth > 0)
    for (const parent of parentsOf(h)) {
      if (parent.plan.currencyCol || parent.plan.lineOf) return currencyOf(w, parent, depth - 1);
    }
  return w.context.company.currency;
};

const asMinor = (h: Handle, col: string | undefined, currency: string): number | undefined => {
  const value = col ? h.row[col] : undefined;
  if (value === null || value === undefined) return undefined;
  const type = h.plan.table.cols[col as string]?.type;
  return type === 'number' || type === 'text' ? toMinor(Number(value), currency) : Number(value);
};

/** An amount of the row in minor units, by the rule that makes its column. */
export const amountOf = (w: World, h: Handle, rule: string): number | undefined =>
  asMinor(h, h.plan.roles.get(rule), currencyOf(w, h));

const SETTLES =
  /payment|receipt|supplier invoice|bill$|refund|credit|chargeback|dispute|repayment|settlement|capture|remittance|instalment|installment|deposit|posting|charge|payout|return/;

/** The document an amount is taken from: an invoice for a payment, a payment for a refund. */
const source = (w: World, h: Handle): { of: Handle; total: number } | undefined => {
  for (const parent of parentsOf(h)) {
    if (parent.plan.kind !== 'document' && parent.plan.kind !== 'line') continue;
    const total =
      amountOf(w, parent, 'total') ??
      amountOf(w, parent, 'line_total') ??
      (/charge|instal|premium|rent/.test(h.plan.noun) ? amountOf(w, parent, 'fee') : undefined);
    if (total !== undefined && total > 0) return { of: parent, total };
  }
  return undefined;
};

/** By the table's noun and its name: a `job` is a building in one table and a shift in another. */
const medianOf = (h: Handle): number => medianFor(`${h.plan.noun} ${h.plan.words}`);

/** US dollars of rates by what they are for. */
const RATES: [RegExp, number][] = [
  [/per_kilo/, 3],
  [/per_mwh|nomination price/, 80],
  [/two_week/, 480],
  [/tariff unit_price/, 1.2],
  [/tariff flat|base_rate/, 14],
  [/bill_rate/, 34],
  [/hour/, 60],
  [/rental item|boarding/, 38],
  [/day_rate|daily/, 220],
  [/night|hotel booking price/, 130],
  [/ticket type price/, 45],
  [/package credit price/, 160],
  [/arrangement price/, 2_900],
  [/memorial/, 900],
  [/care order price/, 18],
  [/subscription price/, 55],
];

/** How dear things are where the company works: its own work as wages there go, goods nearly as anywhere. */
const levelOf = (w: World): number => (sellsGoods(w) ? goodsLevel : serviceLevel)(w.home.code);

/** One price for an article in a world, whoever asks. */
const articlePrice = (w: World, h: Handle, r: Cell['r']): number => {
  const article = articleOf(w, h, r);
  const currency = currencyOf(w, h);
  const known = w.prices.get(`${article.sku} ${currency}`);
  if (known !== undefined) return known;
  const made = shelfPrice(article.price * levelOf(w), currency, r);
  w.prices.set(`${article.sku} ${currency}`, made);
  return made;
};

/** An amount of the thing that the row is about: the deposit of what is hired, its rate for a day. */
const ofThing = (h: Handle, name: RegExp): number | undefined => {
  if (!/rental|lease|hire|booking/.test(h.plan.noun)) return undefined;
  for (const parent of parentsOf(h)) {
    const col = parent.plan.cols.find((each) => each.column.type === 'money' && name.test(each.norm))?.name;
    const value = parent.row[col ?? ''];
    if (typeof value === 'number' && value > 0) return value;
  }
  return undefined;
};

/** Days times the rate for a day. */
const hirePrice = (cell: Cell): number | undefined => {
  const rate = cell.h.plan.roles.has('starts_at') ? ofThing(cell.h, /^(daily|day)_rate$/) : undefined;
  if (rate === undefined) return undefined;
  const { starts, ends } = span(cell);
  return rate * Math.max(1, Math.round((ends - starts) / 86_400));
};

const priceOf = ({ w, h, r }: Cell): number => {
  const currency = currencyOf(w, h);
  const product = nearest(h, (other) => other !== h && other.plan.kind === 'product', 2);
  // A dish costs what it costs, not what its main ingredient does.
  const isOther = product && h.plan.kind === 'product' && articleOf(w, product, r).name !== articleOf(w, h, r).name;
  const listed = product && !isOther ? (amountOf(w, product, 'unit_price') ?? undefined) : undefined;
  if (listed) return listed;
  if (
    h.plan.kind === 'product' ||
    h.plan.kind === 'line' ||
    product ||
    (h.plan.roles.has('quantity') && /order|requisition/.test(h.plan.noun))
  )
    return articlePrice(w, h, r);
  return shelfPrice(medianOf(h) * levelOf(w) * (0.6 + r.unit()), currency, r);
};

/** Price times quantity of a row that sells one article and has no lines. */
const bought = ({ w, h }: Cell): number | undefined => {
  const quantity = h.row[h.plan.roles.get('quantity') ?? ''];
  const own = typeof quantity === 'number' ? amountOf(w, h, 'unit_price') : undefined;
  if (own !== undefined) return own * (quantity as number);
  const product =
    typeof quantity === 'number'
      ? nearest(h, (other) => other !== h && other.plan.roles.has('unit_price'), 2)
      : undefined;
  const price = product ? amountOf(w, product, 'unit_price') : undefined;
  return price === undefined ? undefined : price * (quantity as number);
};

/** What an invoice asks for the articles that its text names: `3 x Urn` is three times the price of an urn. */
const billed = ({ w, h, r }: Cell): number | undefined => {
  if (!/^(invoice|bill|estimate|quote)$/.test(h.plan.noun) || !h.plan.roles.has('description')) return undefined;
  const price = articlePrice(w, h, r);
  const most = Math.max(1, Math.min(9, Math.round((medianOf(h) * 3) / Math.max(1, articleOf(w, h, r).price))));
  const quantity = most === 1 ? 1 : r.int(2, Math.max(2, most));
  h.meta.extras.set('billed quantity', quantity as never);
  h.meta.extras.set('slot qty', String(quantity) as never);
  return price * quantity;
};

const gross = (cell: Cell): number => {
  const { w, h, r } = cell;
  if (h.meta.gross !== undefined) return h.meta.gross;
  const currency = currencyOf(w, h);
  const from = SETTLES.test(h.plan.noun) ? source(w, h) : undefined;
  let value: number;
  if (from) {
    const refunded = /refund/.test(h.plan.noun) ? amountOf(w, from.of, 'paid_amount') : undefined;
    const part = /refund|credit|dispute|return/.test(h.plan.noun) ? 0.35 : 0.15;
    const whole = !/refund/.test(h.plan.noun) && !r.chance(part);
    value = refunded || (!whole ? Math.max(1, Math.round((from.total * r.int(2, 8)) / 10)) : from.total);
  } else if (bought(cell) !== undefined) value = bought(cell) as number;
  else {
    value = billed(cell) ?? someAmount(medianOf(h) * levelOf(w), currency, r);
    // The large customers buy for more.
    const party = partyOf(w, h);
    if (party && kindIn(w, party) === 'company' && firmOf(w, party, r).headcount > 40) value = Math.round(value * 1.7);
  }
  h.meta.gross = value;
  return value;
};

interface Parts {
  subtotal: number;
  discount: number;
  tax: number;
  fee: number;
  total: number;
}

const rateOf = (h: Handle, w: World): number => {
  const stored = h.row[h.plan.roles.get('tax_rate') ?? ''];
  if (typeof stored !== 'number') return w.home.vat;
  return stored > 0 && stored < 1 ? stored * 100 : stored > 100 ? stored / 100 : stored;
};

/** Parts of a document that add up, from its subtotal. */
export const partsOf = (w: World, h: Handle, subtotal: number, share: number, fee: number): Parts => {
  const discount = h.plan.roles.has('discount') ? Math.round(subtotal * share) : 0;
  const tax = h.plan.roles.has('tax_amount') ? Math.round(((subtotal - discount) * rateOf(h, w)) / 100) : 0;
  const cost = h.plan.roles.has('fee') ? fee : 0;
  return { subtotal, discount, tax, fee: cost, total: subtotal - discount + tax + cost };
};

const parts = (cell: Cell): Parts => {
  const { w, h } = cell;
  const known = h.meta.extras.get('parts') as unknown as Parts | undefined;
  if (known) return known;
  const r = cell.r;
  const line = h.plan.kind === 'line';
  const quantity = Number(h.row[h.plan.roles.get('quantity') ?? ''] ?? 1) || 1;
  const each = line ? (amountOf(w, h, 'unit_price') ?? priceOf(cell)) : 0;
  const share = r.chance(0.72) ? 0 : r.pick([0.05, 0.1, 0.15, 0.2]);
  const fee = r.chance(0.4) ? 0 : shelfPrice(r.pick([5, 8, 12, 20]), currencyOf(w, h), r);
  const made = partsOf(w, h, line ? Math.round(quantity * each) : gross(cell), share, fee);
  h.meta.extras.set('parts', made as never);
  if (!line) h.meta.gross = made.total;
  return made;
};

const NOTHING =
  /draft|new|open|pending|requested|planned|cancel|void|reject|fail|declin|expired|quote|created|scheduled/;

/** How much of `total` has been paid (or refunded, used), by the state of the row. */
export const paidShare = (h: Handle, col: string, total: number, r: Cell['r']): number => {
  const state = snake(h.meta.status ?? '');
  const some = (): number => Math.max(1, Math.round((total * r.int(2, 7)) / 10));
  if (/refund/.test(col)) {
    if (/partial/.test(state)) return some();
    if (/refunded/.test(state)) return total;
    return /captured|paid|completed|succeeded|settled/.test(state) && r.chance(0.12) ? some() : 0;
  }
  if (/used|spent|committed|redeemed|allocated/.test(col)) return Math.round((total * r.int(0, 8)) / 10);
  if (/partial|part_paid/.test(state)) return some();
  if (
    /^(paid|settled|captured|completed|closed|refunded|reimbursed|paid_out|succeeded|disbursed|received|repaid)$/.test(
      state,
    )
  )
    return total;
  if (NOTHING.test(state)) return 0;
  if (state === '') return r.chance(0.6) ? total : r.chance(0.5) ? 0 : some();
  return r.chance(0.16) ? some() : 0;
};

const paid: Make = (cell) => {
  const total = amountOf(cell.w, cell.h, 'total') ?? gross(cell);
  return paidShare(cell.h, cell.col.norm, total, cell.r);
};

const SALARY: [RegExp, number][] = [
  [/managing director|chief executive|^owner/i, 13_500],
  [/director|chief|head of|managing/i, 9_500],
  [/manager|lead|controller|partner/i, 5_600],
  [/engineer|developer|analyst|specialist|consultant|physician/i, 4_700],
];

const salary: Make = (cell) => {
  const { w, h, r, col } = cell;
  const currency = currencyOf(w, h);
  const who = nearest(h, (other) => other.plan.staff);
  const title = String(
    who?.row[who.plan.roles.get('job_title') ?? ''] ?? h.row[h.plan.roles.get('job_title') ?? ''] ?? h.row.title ?? '',
  );
  const monthly = (SALARY.find(([pattern]) => pattern.test(title))?.[1] ?? 3_200) * (0.85 + 0.35 * r.unit());
  const usd = /hour|_rate$/.test(col.norm)
    ? monthly / 165
    : /annual|salary|income|compensation/.test(col.norm) && !/month/.test(col.norm)
      ? monthly * 12
      : monthly;
  const level = wageLevel(w.home.code);
  const factor = /max/.test(col.norm) ? 1.25 : /min/.test(col.norm) ? 0.9 : 1;
  return roundAmount(usd * level * factor, currency, r, 0.02);
};

const limit: Make = (cell) => {
  const { w, h, r, col } = cell;
  const usd = /daily|transaction|withdraw/.test(col.norm)
    ? 800
    : /opening|float/.test(col.norm)
      ? 180
      : /budget|coverage|insured|face/.test(col.norm)
        ? 40_000
        : /deductible/.test(col.norm)
          ? 500
          : 6_000;
  const never = /budget|insured|coverage|face|cash|reserve/.test(col.norm) || (col.column.min ?? 0) > 0;
  return r.chance(0.12) && !never ? 0 : roundAmount(usd, currencyOf(w, h), r, 0.7);
};

const total: Make = (cell) => {
  if (/_(min|max)$|^(min|max)_/.test(cell.col.norm)) return roundAmount(3_000, currencyOf(cell.w, cell.h), cell.r);
  const first = cell.h.plan.roles.get('total') === cell.col.name;
  if (!first && /change|extra|damage|kept|penalt/.test(cell.col.norm))
    return cell.r.chance(0.4) ? 0 : Math.round(gross(cell) * 0.12 * cell.r.unit());
  if (!first && /cost|estimated|expected|actual/.test(cell.col.norm))
    return Math.max(1, Math.round(gross(cell) * (0.8 + 0.3 * cell.r.unit())));
  return parts(cell).total;
};

/** Two significant digits: nobody asks for a deposit of 44.45. */
const roundTo = (minor: number, currency: string): number => {
  const digits = 10 ** currencyDigits(currency);
  const major = minor / digits;
  const scale = major >= 10 ? 10 ** Math.max(0, Math.floor(Math.log10(major)) - 1) : 1;
  return Math.round(Math.floor(major / scale) * scale * digits);
};

export const MONEY: Record<string, Make> = {
  // What is left of pay after tax and contributions.
  subtotal: (cell) => (/pay/.test(cell.h.plan.noun) ? Math.round(parts(cell).total * 0.72) : parts(cell).subtotal),
  discount: (cell) => parts(cell).discount,
  tax_amount: (cell) => parts(cell).tax,
  fee: (cell) => {
    const { w, h, col, r } = cell;
    const first = h.plan.roles.get('fee') === col.name;
    if (first && h.plan.roles.has('total')) return parts(cell).fee;
    const held = /deposit/.test(col.norm) ? ofThing(h, /^deposit$/) : undefined;
    if (held !== undefined) return held;
    const rent = first ? undefined : amountOf(w, h, 'fee');
    if (/deposit/.test(col.norm) && rent) return rent * 2;
    const price = /deposit/.test(col.norm) ? amountOf(w, h, 'unit_price') : undefined;
    if (price && h.plan.kind !== 'product' && !/daily|day_rate/.test(h.plan.roles.get('unit_price') ?? ''))
      return roundTo(price * r.pick([0.2, 0.25, 0.3, 0.5]), currencyOf(w, h));
    const visits = /visit|appointment|treatment|consultation/.test(h.plan.noun);
    const usd = /rent|premium|deposit/.test(col.norm)
      ? medianFor(col.norm) * (0.6 + 0.9 * r.unit())
      : visits
        ? r.pick([60, 75, 90, 120, 150])
        : r.pick([5, 10, 15, 25]);
    return shelfPrice(usd * serviceLevel(w.home.code), currencyOf(w, h), r);
  },
  total,
  unit_price: (cell) => {
    const hired = cell.col.norm === 'price' ? hirePrice(cell) : undefined;
    if (hired !== undefined) return hired;
    const price = priceOf(cell);
    const listed = cell.h.plan.roles.get('unit_price');
    if (/cost|purchase/.test(cell.col.norm) && listed !== cell.col.name) {
      const base = amountOf(cell.w, cell.h, 'unit_price') ?? price;
      return Math.max(1, Math.round(base * (0.4 + 0.35 * cell.r.unit())));
    }
    const usd = RATES.find(([pattern]) => pattern.test(`${cell.h.plan.noun} ${cell.col.norm}`))?.[1];
    if (usd !== undefined && cell.h.plan.kind !== 'line')
      return shelfPrice(
        usd * serviceLevel(cell.w.home.code) * (0.6 + 0.9 * cell.r.unit()),
        currencyOf(cell.w, cell.h),
        cell.r,
      );
    return price;
  },
  line_total: (cell) => parts(cell).total,
  paid_amount: paid,
  due_amount: (cell) => {
    const sum = amountOf(cell.w, cell.h, 'total') ?? gross(cell);
    const done = amountOf(cell.w, cell.h, 'paid_amount') ?? paidShare(cell.h, 'paid', sum, cell.r);
    return Math.max(0, sum - done);
  },
  balance: ({ w, h, r }) => someAmount(900, currencyOf(w, h), r),
  limit_amount: limit,
  salary,
  currency: ({ w, h, r }) => {
    for (const parent of parentsOf(h)) {
      const known = parent.plan.currencyCol ? parent.row[parent.plan.currencyCol] : undefined;
      if (typeof known === 'string') return known;
    }
    const home = w.context.company.currency;
    const party = partyOf(w, h);
    if (!party || kindIn(w, party) !== 'company') return home;
    const abroad = firmOf(w, party, r).place.country.currency;
    return abroad !== home && r.chance(0.5) ? abroad : home;
  },
  exchange_rate: ({ w, h, r }) =>
    currencyOf(w, h) === w.context.company.currency ? 1 : Math.round((0.6 + r.unit()) * 1e4) / 1e4,
  tax_rate: ({ w, r, col }) => {
    const rate = r.weighted([[w.home.vat, 8] as const, [w.home.reduced, 1.5] as const, [0, 0.5] as const]);
    const { max } = col.column;
    return max !== undefined && max <= 1
      ? rate / 100
      : col.column.type === 'int' && !Number.isInteger(rate)
        ? Math.round(rate)
        : rate;
  },
  payment_terms: ({ r, col }) => {
    const days = r.weighted([
      [30, 50] as const,
      [14, 20] as const,
      [45, 8] as const,
      [60, 8] as const,
      [7, 8] as const,
      [0, 6] as const,
    ]);
    return col.column.type === 'text' ? (days === 0 ? 'due on receipt' : `net ${days}`) : days;
  },
};

/** Minor units as the column stores them: money and int as they are, number and text in major units. */
export const storeAmount = (minor: number, type: string, currency: string): number | string => {
  if (type === 'money' || type === 'int') return Math.round(minor);
  const digits = currencyDigits(currency);
  return type === 'text' ? (minor / 10 ** digits).toFixed(digits) : Math.round(minor) / 10 ** digits;
};
