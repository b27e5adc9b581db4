/** Values about companies and places. */

import { snake } from '../../../kit/words.js';
import { fillPattern, ibanOf } from '../check-digits.js';
import { phrasesData } from '../data.js';
import { toMinor } from '../money.js';
import { fullName } from '../people.js';
import { currencyRate, oneLine, pickCity, tradePartners } from '../places.js';
import { colleague, firmFor, firmOf, kindIn, personOf, placeFor, placeOf, subjectOf } from '../subjects.js';
import type { Handle, Make } from '../types.js';

const ALPHA3: Record<string, string> = {
  US: 'USA',
  GB: 'GBR',
  DE: 'DEU',
  FR: 'FRA',
  NL: 'NLD',
  ES: 'ESP',
  IT: 'ITA',
  CA: 'CAN',
  AU: 'AUS',
  IN: 'IND',
  JP: 'JPN',
  BR: 'BRA',
  MX: 'MEX',
  CN: 'CHN',
  PL: 'POL',
  SE: 'SWE',
};

const companyName: Make = (cell) => {
  const { w, h, col } = cell;
  if (/^(my_|our_|own_|internal_)/.test(col.norm)) return w.context.company.name;
  const firm = firmFor(cell);
  if (/^(manufacturer|brand|publisher)$/.test(col.norm) && h.plan.kind === 'product')
    return (w.drawnFirms[h.meta.index % Math.max(1, Math.min(5, w.drawnFirms.length))] ?? firm).name;
  return /legal|registered|statutory/.test(col.norm) ? firm.legalName : firm.name;
};

const street: Make = (cell) => {
  const { h, col } = cell;
  const place = placeFor(cell);
  const alone = !h.plan.roles.has('city') && !h.plan.roles.has('postal_code');
  if (/_name$|^road$|street_name/.test(col.norm))
    return place.street.replace(/^\d+,? |,? (No: |No\. |nr\. |# )?\d+\.?$/g, '');
  return alone && /addr/.test(col.norm) ? oneLine(place) : place.street;
};

/** The floor that the row's own room number begins with. */
const floorOf = (h: Handle): number | undefined => {
  const number = h.plan.cols.find((col) => /room_?(no|nr|number)$/.test(snake(col.name)))?.name;
  const digits = /^(\d+)\d\d$/.exec(String(h.row[number ?? ''] ?? ''))?.[1];
  return digits === undefined ? undefined : Number(digits);
};

const siteDetail: Make = (cell) => {
  const { w, h, col, r } = cell;
  // `room_no` of a room is left as `no`: the whole name says what is numbered.
  const name = /^(no|nr|number|code|name)$/.test(col.norm) ? snake(col.name) : col.norm;
  const own = h.plan.noun.endsWith('room') && /_(no|nr|number|code)$/.test(snake(col.name));
  if (/floor|level_no/.test(name)) return floorOf(h) ?? r.int(0, 6);
  if (own) {
    const text = `${1 + Math.floor((h.meta.index - 1) / 8)}${String(1 + ((h.meta.index - 1) % 8)).padStart(2, '0')}`;
    return col.column.type === 'int' ? Number(text) : text;
  }
  if (/room/.test(name))
    return col.column.type === 'int'
      ? r.int(100, 420)
      : /name/.test(name)
        ? `Room ${r.int(1, 4)}.${String(r.int(1, 24)).padStart(2, '0')}`
        : `${r.int(1, 4)}.${String(r.int(1, 24)).padStart(2, '0')}`;
  if (/(house|building|street)_?(no|nr|number)/.test(name)) return r.int(1, 180);
  if (/bin|shelf|rack|aisle|bay/.test(name))
    return col.column.type === 'int'
      ? r.int(1, 40)
      : `${r.pick(['A', 'B', 'C', 'D', 'E'])}-${String(r.int(1, 24)).padStart(2, '0')}-${String(r.int(1, 16)).padStart(2, '0')}`;
  if (/gate|dock|desk|seat|locker|table|zone/.test(name))
    return col.column.type === 'int' ? r.int(1, 40) : `${r.pick(['A', 'B', 'C'])}${r.int(1, 30)}`;
  if (/wing|building/.test(name)) return r.pick(['North', 'South', 'East', 'West', 'Main']);
  return `${placeOf(w, h, r).city.name} ${r.pick(/store|branch/.test(name) ? ['High Street', 'Station', 'Market Hall'] : ['Central', 'North', 'Harbour', 'East'])}`;
};

const industry: Make = (cell) => {
  const { sector } = firmFor(cell);
  if (/naics|sic|mcc|code/.test(cell.col.norm) || cell.col.column.type === 'int')
    return `${sector}${cell.r.int(10, 99)}${cell.r.int(10, 99)}`;
  const words: Record<string, string> = {
    '11': 'Agriculture',
    '21': 'Mining',
    '22': 'Utilities',
    '23': 'Construction',
    '31': 'Food and textiles',
    '32': 'Materials',
    '33': 'Manufacturing',
    '42': 'Wholesale',
    '44': 'Retail',
    '45': 'Retail',
    '48': 'Transport',
    '49': 'Logistics',
    '51': 'Information',
    '52': 'Finance',
    '53': 'Real estate',
    '54': 'Professional services',
    '56': 'Support services',
    '61': 'Education',
    '62': 'Healthcare',
    '71': 'Arts and recreation',
    '72': 'Hospitality',
    '81': 'Repair and personal services',
    '92': 'Public administration',
  };
  return words[sector] ?? 'Trade';
};

const department: Make = (cell) => {
  const { w, h, col, r } = cell;
  const subject = subjectOf(w, h, col.norm);
  const someone = subject.staff ? colleague(w, h, subject.staff, r) : undefined;
  const own = someone?.row[someone.plan.roles.get('department') ?? ''];
  const at = Math.floor(w.departments.length * r.unit() ** 1.3);
  if (/cost_cent/.test(col.norm)) return String(4000 + at * 100);
  return typeof own === 'string' ? own : (w.departments[at] as [string, string[]])[0];
};

const firmSize: Make = (cell) => {
  const { headcount, sector } = firmFor(cell);
  const people = /employee|headcount|staff|workforce|size/.test(cell.col.norm);
  if (people)
    return cell.col.column.type === 'text'
      ? `${Math.max(1, Math.floor(headcount / 10) * 10)}-${Math.floor(headcount / 10) * 10 + 49}`
      : headcount;
  const perHead = sector === '52' || sector === '42' ? 320_000 : 130_000;
  const { currency } = cell.w.context.company;
  const revenue = Number((headcount * perHead * currencyRate(currency)).toPrecision(2));
  return cell.col.column.type === 'money' ? toMinor(revenue, currency) : revenue;
};

const country: Make = (cell) => {
  const { w, col, r } = cell;
  const place = placeFor(cell).country;
  const where =
    /birth|nationality|citizenship|origin/.test(col.norm) && r.chance(0.12) ? r.pick(tradePartners(w.home)) : place;
  const { maxLength, min } = col.column;
  if (/alpha_?3|iso3/.test(col.norm) || (maxLength === 3 && min === undefined))
    return ALPHA3[where.code] ?? `${where.code}X`;
  return /code|iso|alpha/.test(col.norm) || maxLength === 2 || /\[A-Z\]\{2\}/.test(col.column.pattern ?? '')
    ? where.code
    : where.name;
};

const bankAccount: Make = (cell) => {
  const { col, r } = cell;
  const { country: where } = placeFor(cell);
  if (/routing|aba/.test(col.norm)) return fillPattern('0000#####', r);
  if (/sort_code/.test(col.norm)) return fillPattern('00-##-##', r);
  if (/bic|swift|bank_identifier/.test(col.norm)) return `TRDL${where.code}2X`;
  if (/bsb|ifsc|clabe|bank_code/.test(col.norm))
    return fillPattern(/ifsc/.test(col.norm) ? 'TRDL0######' : '000###', r);
  return where.iban ? ibanOf(where.code, fillPattern(where.iban, r)) : fillPattern('00########', r);
};

export const FIRMS: Record<string, Make> = {
  company_name: companyName,
  tax_id: (cell) => {
    const { country: where } = placeFor(cell);
    if (/duns/.test(cell.col.norm)) return fillPattern('00#######', cell.r);
    if (/lei/.test(cell.col.norm)) return fillPattern('0000@@@@@@##########', cell.r);
    return fillPattern(where.tax[1], cell.r);
  },
  industry,
  department,
  firm_size: firmSize,
  address_line2: ({ r, col }) =>
    r.chance(0.7) && !col.column.required
      ? null
      : r.pick([
          `Floor ${r.int(1, 6)}`,
          `Unit ${r.int(1, 20)}`,
          `Suite ${r.int(100, 420)}`,
          `Building ${r.pick(['A', 'B', 'C'])}`,
        ]),
  street,
  city: (cell) => (/birth/.test(cell.col.norm) ? pickCity(cell.w.home, cell.r).name : placeFor(cell).city.name),
  country,
  region: (cell) => placeFor(cell).city.region,
  postal_code: (cell) => placeFor(cell).postcode,
  geo: (cell) => {
    const place = placeFor(cell);
    if (/lat/.test(cell.col.norm)) return place.latitude;
    if (/lng|lon/.test(cell.col.norm)) return place.longitude;
    return cell.col.column.type === 'json'
      ? JSON.stringify({ lat: place.latitude, lng: place.longitude })
      : `${place.latitude},${place.longitude}`;
  },
  site_detail: siteDetail,
  bank_account: bankAccount,
};

/** The name a row of this table bears, by what kind of thing it is; undefined for documents. */
export const ownName: Make = (cell) => {
  const { w, h, r } = cell;
  const kind = kindIn(w, h);
  if (kind === 'company') return firmOf(w, h, r).name;
  if (kind === 'person') return fullName(personOf(w, h, r));
  return undefined;
};

export const unitWords = (): string[] => phrasesData().values.unit ?? ['each'];
