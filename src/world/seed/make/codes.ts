/** Numbers, codes and technical values. */

import { isoDate } from '../../../kit/calendar.js';
import { sha256 } from '../../../kit/hash.js';
import { ean13, fillPattern, imei, luhn, vin } from '../check-digits.js';
import { phrasesData } from '../data.js';
import { asciiOf } from '../people.js';
import { normalName } from '../rules.js';
import { sayFrom } from '../say.js';
import { articleOf, firmOf, kindIn, parentsOf, subjectOf } from '../subjects.js';
import type { Cell, Handle, Make } from '../types.js';

const hex = (cell: Cell, length: number): string =>
  sha256(`${cell.w.context.seed}/${cell.h.plan.key}/${cell.col.name}/${cell.h.meta.index}/${cell.r.int(0, 1e9)}`).slice(
    0,
    length,
  );

export const uuid = (cell: Cell): string => {
  const text = hex(cell, 32);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20, 32)}`;
};

const externalId: Make = (cell) => {
  const { col, r, h } = cell;
  if (/idempotency|request|correlation|trace|nonce|client_token/.test(col.norm) && !col.column.required) return null;
  if (col.column.format === 'uuid' || col.column.format === 'guid') return uuid(cell);
  if (col.column.type === 'int') return 70_000 + h.meta.index * 13 + r.int(0, 9);
  if (!col.column.required && r.chance(0.4)) return null;
  return fillPattern(/erp|legacy/.test(col.norm) ? '00######' : 'X-#@##@###', r);
};

const CONFIRM = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** Letters and digits of test-network wallet addresses. */
const WALLET = 'acdefghjklmnpqrstuvwxyz023456789';
const reference: Make = ({ w, h, col, r }) => {
  if (/^hs_/.test(col.norm)) return fillPattern('!###.##', r);
  if (/address|wallet/.test(col.norm))
    return `tb1q${Array.from({ length: 30 }, () => WALLET[r.int(0, WALLET.length - 1)]).join('')}`;
  if (/_no$|licen[sc]e|permit/.test(col.norm) && h.plan.table.cols[col.name]?.unique) return fillPattern('@@-#####', r);
  if (/code$|confirm|booking|reservation|pnr|locator|pickup|redemption|voucher|gift/.test(col.norm))
    return Array.from({ length: 6 }, () => CONFIRM[r.int(0, CONFIRM.length - 1)]).join('');
  for (const parent of parentsOf(h)) {
    const number = parent.row[parent.plan.roles.get('document_number') ?? ''];
    if (typeof number === 'string' && r.chance(0.8)) return number;
  }
  if (w.documents.length > 0 && r.chance(0.6)) return w.documents[Math.floor(w.documents.length * r.unit())] as string;
  return `${firmOf(w, h, r)
    .name.slice(0, 3)
    .toUpperCase()
    .replace(/[^A-Z]/g, 'X')}-${r.int(1000, 9999)}`;
};

const PREFIX: Record<string, string> = {
  invoice: 'INV',
  order: 'ORD',
  ticket: 'TCK',
  case: 'CS',
  customer: 'C',
  employee: 'E',
  asset: 'AST',
  quote: 'QUO',
  receipt: 'RC',
  project: 'PRJ',
  contract: 'CT',
  policy: 'POL',
  claim: 'CLM',
  shipment: 'SHP',
  batch: 'B',
  lot: 'LOT',
  job: 'JOB',
  permit: 'PMT',
  patient: 'P',
  student: 'ST',
  po: 'PO',
  payslip: 'PS',
  loan: 'LN',
  account: '',
  bill: 'BILL',
  booking: 'BK',
  reservation: 'RES',
};

/** What a discount code takes off, where the row says it. */
const percentOf = (h: Handle): number | undefined => {
  const value = h.row[h.plan.roles.get('percent') ?? ''];
  return typeof value === 'number' ? value : undefined;
};

const documentNumber: Make = ({ w, h, col, r }) => {
  const subject = subjectOf(w, h, `${col.norm}_`);
  const known = subject.of !== h ? subject.of.row[subject.of.plan.roles.get('document_number') ?? ''] : undefined;
  if (known !== undefined && known !== null) return known;
  const named =
    col.norm
      .replace(/_?(no|nr|num|number)$/, '')
      .split('_')
      .at(-1) ?? '';
  const other = w.plans.find(
    (plan) => plan !== h.plan && plan.handles.length > 0 && plan.service === h.plan.service && plan.name === named,
  );
  if (other) {
    const number = r.pick(other.handles).row[other.cols.find((each) => each.column.auto === 'number')?.name ?? ''];
    if (number !== undefined && number !== null) return number;
  }
  const stem = col.norm.replace(/_?(no|nr|num|number)$/, '') || h.plan.noun.split(' ').at(-1) || 'doc';
  const own = h.plan.noun.endsWith(stem.replaceAll('_', ' ')) || /^(number|no|nr|num)$/.test(col.norm);
  const number = own ? 10_000 + h.meta.index : 10_000 + r.int(1, 900);
  if (col.column.type === 'int') return own ? h.meta.index + 1000 : number;
  const prefix = PREFIX[stem] ?? stem.slice(0, 3).toUpperCase();
  return prefix ? `${prefix}-${number}` : String(number);
};

const sku: Make = (cell) => {
  const { w, h, col, r } = cell;
  if (/ean|upc|gtin|bar_?code/.test(col.norm)) return ean13(r);
  if (/isbn/.test(col.norm)) return `979-0-${r.int(100, 999)}-${r.int(10_000, 99_999)}-${r.int(0, 9)}`;
  if (/substitute|alternative|replacement/.test(col.norm))
    return (w.articles[r.int(0, w.articles.length - 1)] as { sku: string }).sku;
  return articleOf(w, h, r).sku;
};

const serial: Make = ({ h, col, r }) => {
  if (/vin|chassis/.test(col.norm)) return vin(r);
  if (/imei/.test(col.norm)) return imei(r);
  if (/iccid/.test(col.norm)) return luhn(`8900000${fillPattern('###########', r)}`);
  if (/plate|registration/.test(col.norm)) return fillPattern('@@ ### @@', r);
  if (/asset_tag/.test(col.norm)) return `AST-${String(1000 + h.meta.index)}`;
  return fillPattern(
    `@@${isoDate(h.meta.created - r.int(30, 900) * 86_400).slice(2, 4)}${String(r.int(1, 52)).padStart(2, '0')}#####`,
    r,
  );
};

const slug: Make = ({ w, h, r }) => {
  const title = ['title', 'name', 'product_name', 'company_name']
    .map((rule) => h.row[h.plan.roles.get(rule) ?? ''])
    .find((value) => typeof value === 'string');
  const names = phrasesData().names[h.plan.noun];
  const listed = names ? sayFrom(names, w, h, r, h.meta.index - 1) : undefined;
  const text = typeof title === 'string' ? title : (listed ?? `${h.plan.noun} ${r.int(100, 999)}`);
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || `item-${h.meta.index}`
  );
};

/** Places that bear a number and no name. */
const PLACED = /(^| )(bed|locker|storage unit|box|bay|berth|stall|pitch|bin|cabin|chair|lane|court|desk|gate|dock)$/;

const code: Make = (cell) => {
  const { w, h, col, r } = cell;
  if (/^hs_|tariff|commodity/.test(col.norm)) return fillPattern('####.##', r).replace(/^0/, '3');
  if (/(_no|_nr|_number)$/.test(col.norm) && !(PLACED.test(h.plan.noun) && normalName(col.name, h.plan.noun) === 'no'))
    return cell.col.column.type === 'int' ? 1000 + h.meta.index : documentNumber(cell);
  if (/iata/.test(col.norm)) return fillPattern('@@@', r);
  const name = h.row[h.plan.table.label ?? h.plan.roles.get('name') ?? ''];
  const own = !/_/.test(col.norm) || h.plan.noun.endsWith(col.norm.replace(/_code$/, ''));
  if (own && /promo|discount|coupon|voucher/.test(h.plan.noun))
    return `${r.pick(['SAVE', 'WELCOME', 'SPRING', 'TRADE', 'VIP', 'NEW'])}${percentOf(h) ?? r.int(5, 40)}${r.chance(0.5) ? fillPattern('@', r) : ''}`;
  if (own && PLACED.test(h.plan.noun) && h.plan.kind !== 'company')
    return `${(h.plan.noun.split(' ').at(-1) ?? 'x').charAt(0).toUpperCase()}-${String(h.meta.index).padStart(2, '0')}`;
  const words = asciiOf(typeof name === 'string' ? name.replace(/ .*$/, '') : w.context.company.name) || 'x';
  const head = words.slice(0, 3).toUpperCase();
  if (!own) return `${col.norm.split('_')[0]?.slice(0, 3).toUpperCase()}-${r.int(1, 20)}`;
  return `${head}-${String(h.meta.index).padStart(2, '0')}`;
};

const ADDRESSES = ['192.0.2.', '198.51.100.', '203.0.113.'];
const network: Make = ({ col, r }) => {
  if (/mac|bssid|hardware/.test(col.norm))
    return `02:${Array.from({ length: 5 }, () => r.int(0, 255).toString(16).padStart(2, '0')).join(':')}`;
  if (/v6/.test(col.norm) || col.column.format === 'ipv6') return `2001:db8::${r.int(1, 65_535).toString(16)}`;
  if (/cidr|subnet/.test(col.norm)) return `${r.pick(ADDRESSES)}0/${r.int(24, 28)}`;
  return `${r.pick(ADDRESSES)}${r.int(1, 254)}`;
};

const url: Make = (cell) => {
  const { w, h, col, r } = cell;
  const { domain } = w.context.company;
  const id = `${h.row[h.plan.table.key.col] ?? h.meta.index}`;
  if (
    /website|homepage|web_?site|web_page/.test(col.norm) ||
    (kindIn(w, h) === 'company' && !/avatar|logo|image/.test(col.norm))
  )
    return `https://www.${firmOf(w, h, r).domain}`;
  if (/webhook|callback|endpoint/.test(col.norm))
    return `https://hooks.${firmOf(w, h, r).domain}/${r.pick(['orders', 'invoices', 'events', 'stock'])}`;
  if (/avatar|photo|logo|image|icon|thumb|picture|cover|banner/.test(col.norm))
    return `https://files.${domain}/${h.plan.name}/${id}.png`;
  return `https://app.${domain}/${h.plan.name.replaceAll('_', '-')}s/${id}`;
};

const fileName: Make = ({ w, h, col, r }) => {
  if (/folder|directory/.test(col.norm))
    return r.pick(['Contracts', 'Invoices', 'Minutes', 'Drawings', 'Certificates']);
  if (/bucket/.test(col.norm))
    return `${asciiOf(w.context.company.name).slice(0, 12)}-${r.pick(['files', 'archive', 'exports'])}`;
  const document =
    w.documents.length > 0
      ? (w.documents[r.int(0, w.documents.length - 1)] as string).toLowerCase()
      : String(10_000 + h.meta.index);
  const file = `${r.pick(['invoice', 'contract', 'minutes', 'photo', 'report', 'certificate'])}-${document.replace(/[^a-z0-9-]/g, '')}.${r.pick(['pdf', 'pdf', 'docx', 'xlsx', 'png'])}`;
  return /path|key/.test(col.norm) ? `/${isoDate(h.meta.created).slice(0, 7)}/${file}` : file;
};
const MIME: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  png: 'image/png',
};

const cardNumber: Make = ({ col, r }) =>
  /pan|card_?(no|number)|cc_number/.test(col.norm) && !/last|mask/.test(col.norm)
    ? luhn(`411111000000${fillPattern('###', r)}`)
    : /mask/.test(col.norm)
      ? fillPattern('**** **** **** ####', r)
      : fillPattern('####', r);

export const CODES: Record<string, Make> = {
  external_id: externalId,
  reference,
  document_number: documentNumber,
  sku,
  serial,
  tracking_number: ({ r }) => fillPattern('NX############', r),
  slug,
  checksum: (cell) => hex(cell, /md5|etag/.test(cell.col.norm) ? 32 : /sha_?1/.test(cell.col.norm) ? 40 : 64),
  secret: (cell) =>
    `${/pin|otp|passcode/.test(cell.col.norm) ? '' : 'sk_test_'}${/pin|otp|passcode/.test(cell.col.norm) ? fillPattern('####', cell.r) : hex(cell, 24)}`,
  version: ({ col, h, r }) =>
    col.column.type === 'text'
      ? `${1 + Math.floor(h.meta.index / 20)}.${r.int(0, 9)}.${r.int(0, 12)}`
      : 1 + Math.floor(3 * r.unit() ** 3),
  network_address: network,
  host: ({ w, h, r }) =>
    h.plan.kind === 'company'
      ? firmOf(w, h, r).domain
      : `${r.pick(['app', 'db', 'web', 'mail', 'batch'])}-${String(h.meta.index).padStart(2, '0')}.${w.context.company.domain}`,
  port: ({ r }) => r.pick([80, 443, 5432, 8080, 8443]),
  file_size: ({ col, r }) =>
    /memory|ram|cpu|disk|storage/.test(col.norm)
      ? 2 ** r.int(1, /cpu/.test(col.norm) ? 5 : 9)
      : Math.round(Math.exp(12 + r.normal() * 1.2)),
  mime_type: ({ h, col, r }) => {
    const file = String(h.row[h.plan.roles.get('file_name') ?? ''] ?? '');
    const ending = file.includes('.') ? (file.split('.').at(-1) as string) : r.pick(['pdf', 'docx', 'xlsx', 'png']);
    return /extension|ext$|format/.test(col.norm) ? ending : (MIME[ending] ?? 'application/pdf');
  },
  file_name: fileName,
  avatar: url,
  url,
  color: ({ col, r }) =>
    /hex|code|theme|background/.test(col.norm)
      ? `#${r.int(0, 0xffffff).toString(16).padStart(6, '0')}`
      : r.pick(['black', 'white', 'blue', 'grey', 'green', 'red', 'natural']),
  card_number: cardNumber,
  card_expiry: ({ col, w, r }) => {
    const year = Number(isoDate(w.context.clock).slice(0, 4)) + r.int(0, 5);
    if (/month|mo$/.test(col.norm)) return r.int(1, 12);
    return /date|card_exp/.test(col.norm) ? `${String(r.int(1, 12)).padStart(2, '0')}/${String(year).slice(2)}` : year;
  },
  code,
};
