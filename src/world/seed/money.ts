/** Amounts: log-normal in US dollars, carried over to a currency and rounded as prices are. Minor units throughout. */
import type { Rng } from '../../kit/rng.js';
import { currencyDigits, currencyRate } from './places.js';

/** Minor units of a plain number of major units. */
export const toMinor = (major: number, currency: string): number => Math.round(major * 10 ** currencyDigits(currency));

const twoDigits = (value: number): number => {
  if (value < 10) return Math.max(1, Math.round(value));
  const scale = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Math.round(value / scale) * scale;
};

/** A shelf price near `usd`: ends in .00, .50, .90 or .99; in currencies of large numbers two or three significant digits. */
export const shelfPrice = (usd: number, currency: string, r: Rng): number => {
  const rate = currencyRate(currency);
  const major = Math.max(usd * rate, rate >= 20 ? 10 : 0.4);
  if (rate >= 20) {
    const step = 10 ** Math.max(0, Math.floor(Math.log10(major)) - 1);
    return toMinor(Math.max(1, Math.round(major / step) * step), currency);
  }
  const whole = Math.max(0, Math.floor(major));
  if (major >= 200) return toMinor(r.chance(0.7) ? Math.round(major / 5) * 5 : Math.round(major), currency);
  return toMinor(
    whole + r.weighted([[0.5, 3] as const, [0.9, 3] as const, [0.99, 2] as const, [whole > 0 ? 0 : 0.75, 3] as const]),
    currency,
  );
};

/** A free amount around `usd` (median), log-normal; whole cents for invoices, no shelf endings. */
export const someAmount = (usd: number, currency: string, r: Rng, spread = 0.9): number => {
  const major = usd * currencyRate(currency) * Math.exp(Math.max(-2, Math.min(2.4, r.normal())) * spread);
  const rounded = currencyRate(currency) >= 20 ? Math.round(major / 10) * 10 || Math.round(major) : major;
  const minor = toMinor(rounded, currency);
  return Math.max(1, r.chance(0.35) ? toMinor(Math.max(1, Math.round(rounded)), currency) : minor);
};

/** A round number (two significant digits) near `usd`. */
export const roundAmount = (usd: number, currency: string, r: Rng, spread = 0.6): number =>
  toMinor(twoDigits(usd * currencyRate(currency) * Math.exp(r.normal() * spread)), currency);

/** Median amount in US dollars by the noun of the table, and what follows for nouns that are not listed. */
const MEDIANS: [RegExp, number][] = [
  [/folio charge|gift card|loyalty|fuel|lesson/, 55],
  [/appointment|treatment|patient statement|permit fee|parking/, 110],
  [/medical claim|maintenance|work order|repair order|care/, 280],
  [/tuition|landlord rent|royalty|duty|adjuster/, 850],
  [/remittance|payout|journal|standing order|till/, 1_400],
  [/settlement batch|change order|sponsor|trust|bank statement|withdrawal/, 5_500],
  [/vehicle unit|trade in|finance deal|collateral|milestone/, 9_500],
  [/subcontract|grant|trade order|pay run|invoice batch/, 21_000],
  [/job site|portfolio|mandate/, 160_000],
  [/loan|mortgage|credit facility/, 18_000],
  [/opportunit|deal|tender|bid|award/, 24_000],
  [/contract|policy|budget|grant|project/, 30_000],
  [/salary|payslip|pay run|payroll/, 3_400],
  [/purchase order|purchase_order|\bpo\b/, 2_600],
  [/invoice|bill|statement|credit note|quote|estimate/, 1_250],
  [/sales order|order|sale|checkout|cart/, 420],
  [/claim|dispute|chargeback|settlement|payout/, 950],
  [/payment|transfer|refund|receipt|repayment|charge|transaction|posting|entry/, 480],
  [/expense|fuel|travel|per diem/, 75],
  [/donation|gift|pledge|voucher/, 60],
  [/booking|reservation|stay|ticket|rental/, 240],
  [/rent|lease/, 1_100],
  [/subscription|plan|membership|premium|fee/, 55],
  [/asset|vehicle|machine|equipment/, 6_500],
];

/** Median amount for the words of a table's noun and name. */
export const medianFor = (noun: string): number => MEDIANS.find(([pattern]) => pattern.test(noun))?.[1] ?? 320;
