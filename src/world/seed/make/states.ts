/** States, kinds, choices and flags. */
import { snake } from '../../../kit/words.js';
import { phrasesData } from '../data.js';
import { isBadEnd } from '../effects.js';
import { pickCity } from '../places.js';
import { sayFrom } from '../say.js';
import { articleOf } from '../subjects.js';
import type { Cell, Make } from '../types.js';
import { tags } from './words.js';

/** Shares that fall by half in the order of the list. */
export const falling = <T>(items: readonly T[], r: Cell['r']): T => {
  for (const item of items) if (r.chance(0.45)) return item;
  return r.pick(items);
};

const stableOrder = (items: readonly string[], cell: Cell): string[] => {
  // Each table has its own leader, the same for all of its rows.
  const shift = cell.h.plan.key.length % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
};

const VALUE_LIST: [RegExp, string][] = [
  [/carrier|courier/, 'carrier'],
  [/payment|tender|funding|method_of/, 'payment_method'],
  [/card|cc_type/, 'card_brand'],
  [/shipping|delivery|service_level/, 'shipping_method'],
  [/platform|device/, 'platform'],
  [/^env|environment/, 'environment'],
  [/browser|user_agent/, 'browser'],
  [/^os$|operating/, 'os'],
  [/direction/, 'direction'],
  [/region_name/, 'region_name'],
  [/source|referr|utm|acquisition|campaign/, 'source'],
  [/.*/, 'channel'],
];

const channel: Make = (cell) => {
  if (/origin$/.test(cell.col.norm) && cell.h.plan.cols.some((col) => /destination/.test(col.norm)))
    return pickCity(cell.w.home, cell.r).name;
  const list = VALUE_LIST.find(([pattern]) => pattern.test(cell.col.norm))?.[1] ?? 'channel';
  return falling(stableOrder(phrasesData().values[list] ?? ['web'], cell), cell.r);
};

const OF_COMING = /appointment|visit|leave request|requisition|referral|adjustment|transfer/;

const reasonList = (cell: Cell): string[] => {
  const { reasons } = phrasesData();
  const said = `${cell.col.norm} ${cell.h.meta.path.map(({ verb }) => verb).join(' ')} ${cell.h.meta.status ?? ''}`;
  const byNoun =
    reasons[cell.h.plan.words] ?? reasons[cell.h.plan.noun] ?? reasons[cell.h.plan.noun.split(' ').at(-1) ?? ''];
  // Why somebody comes is not why they cancel.
  const plain = /^reason$|purpose/.test(cell.col.norm);
  if (byNoun && (plain || !(OF_COMING.test(cell.h.plan.noun) || /cancel|delay|hold|cause/.test(cell.col.norm))))
    return byNoun;
  const own = Object.keys(reasons).find((key) => key !== 'any' && cell.col.norm.includes(key.slice(0, 5)));
  const key = own ?? Object.keys(reasons).find((each) => each !== 'any' && said.includes(each.slice(0, 5))) ?? 'any';
  return reasons[key] ?? [];
};

const reason: Make = (cell) => {
  const { h, col, r } = cell;
  const bad = h.meta.status !== undefined && isBadEnd(h.meta.status);
  if (!col.column.required && !col.managed && !bad && h.plan.life && !/return|refund|adjust|leave/.test(col.norm))
    return null;
  const text = falling(reasonList(cell), r);
  return /code$/.test(col.norm) ? snake(text).slice(0, 40) : text;
};

const OFF =
  /^(is_)?(deleted|archived|locked|blocked|suspended|disabled|hidden|test|sandbox|exempt|tax_exempt|flagged|escalated|urgent|confidential|expired|overdue|cancelled|opted_out|opt_out|inactive|draft|internal|refundable|pinned|starred)$/;
const ON =
  /(^|_)(active|enabled|verified|visible|subscribed|live|livemode|billable|taxable|accepted|confirmed|opted_in|opt_in|consent|published)$/;

const flag: Make = ({ h, col, r }) => {
  const word = col.norm.replace(/^(is|has)_/, '');
  const status = h.meta.status;
  if (status !== undefined) {
    const words = [status, ...h.meta.path.map(({ to }) => to)].map(snake);
    const states = h.plan.life?.states.map(snake) ?? [];
    if (states.includes(word)) return words.includes(word) ? 1 : 0;
    if (word === 'active' || word === 'enabled')
      return isBadEnd(status) || /inactive|disabled|closed|left/.test(snake(status)) ? 0 : 1;
  }
  const usual = OFF.test(col.norm) ? 0.06 : ON.test(col.norm) ? 0.93 : col.column.default === true ? 0.9 : 0.15;
  return r.chance(usual) ? 1 : 0;
};

const UNIT_WORDS: Record<string, RegExp> = {
  kg: /^kg|kilo/i,
  l: /^l$|lit/i,
  m: /^m$|met(er|re)/i,
  box: /box|case|carton|pack/i,
  t: /^t$|ton/i,
  each: /each|piece|pc|unit|item|ea$/i,
};

/** The article's unit among those a column knows. */
const unitAmong = (cell: Cell, values: readonly string[]): string => {
  const unit = articleOf(cell.w, cell.h, cell.r).unit;
  return values.find((value) => (UNIT_WORDS[unit] ?? UNIT_WORDS.each)?.test(value)) ?? (values[0] as string);
};

/** A declared enum: the state where it is the life's column, else falling shares with the default first. */
export const enumValue: Make = (cell) => {
  const { h, col, r } = cell;
  const values = col.column.enum as string[];
  if (h.plan.life?.col === col.name && h.meta.status !== undefined) return h.meta.status;
  const usual =
    typeof col.column.default === 'string' && values.includes(col.column.default) ? col.column.default : values[0];
  const rule = col.rule?.id;
  if (rule === 'unit') return unitAmong(cell, values);
  if (rule === 'priority') {
    const low = values.findIndex((value) => /medium|normal|p3/i.test(value));
    return low >= 0 && r.chance(0.45) ? (values[low] as string) : r.pick(values);
  }
  if (rule === 'currency')
    return values.includes(cell.w.context.company.currency) ? cell.w.context.company.currency : (usual as string);
  if (rule === 'country')
    return values.includes(cell.w.home.code) && r.chance(0.75) ? cell.w.home.code : r.pick(values);
  return r.chance(0.3) && usual !== undefined ? usual : r.pick(values);
};

const kind: Make = (cell) => {
  const { h, col, r } = cell;
  const { kinds } = phrasesData();
  const stem = col.norm.replace(/_?(type|kind|category|class|code|name)$/, '');
  const last = h.plan.noun.split(' ').at(-1) ?? '';
  const list = kinds[`${last} ${col.norm}`] ??
    kinds[col.norm] ??
    kinds[stem] ??
    kinds[h.plan.noun] ??
    kinds[last] ??
    kinds.any ?? ['standard'];
  return falling(stableOrder(list, cell), r);
};

export const STATES: Record<string, Make> = {
  status: (cell) =>
    cell.col.column.type === 'int'
      ? cell.r.weighted([[1, 6] as const, [0, 2] as const, [2, 1] as const])
      : (cell.h.meta.status ?? falling(phrasesData().values.status ?? ['active'], cell.r)),
  stage: (cell) => cell.h.meta.status ?? falling(phrasesData().values.stage ?? ['new'], cell.r),
  reason,
  priority: ({ col, r }) => {
    const at = r.weighted([[0, 25] as const, [1, 45] as const, [2, 22] as const, [3, 8] as const]);
    return col.column.type === 'int' ? at + 1 : ((phrasesData().values.priority ?? [])[at] ?? 'medium');
  },
  role: ({ h, r }) =>
    h.meta.index <= 2
      ? 'owner'
      : r.weighted([['member', 70] as const, ['manager', 18] as const, ['administrator', 12] as const]),
  channel,
  flag,
  kind,
  tags,
  unit: (cell) =>
    cell.h.plan.kind === 'product'
      ? (cell.w.articles[(cell.h.meta.index - 1) % cell.w.articles.length]?.unit ?? 'each')
      : /weight/.test(cell.col.norm)
        ? 'kg'
        : /length|dimension/.test(cell.col.norm)
          ? 'cm'
          : /temperature/.test(cell.col.norm)
            ? 'C'
            : 'each',
};

/** A reason in words for a column a verb fills with free text (`void_reason`, `hold_reason`). */
export const reasonText = (cell: Cell): string | undefined => sayFrom(reasonList(cell), cell.w, cell.h, cell.r);
