/** Makes the value of one cell: default, verb effect, rule or type, then fitted. A required column always gets a value. */
import { DAY, startOfDay } from '../../kit/calendar.js';
import { singular } from '../../kit/words.js';
import type { SqlValue } from '../state/types.js';
import { phrasesData } from './data.js';
import { takenOver } from './declared.js';
import type { Effect } from './effects.js';
import { fitValue, storeTime } from './fit.js';
import { fitting } from './fitting.js';
import { handleOf } from './handle.js';
import { CODES, uuid } from './make/codes.js';
import { FIRMS } from './make/firms.js';
import { currencyOf, MONEY, storeAmount } from './make/money.js';
import { byWord, NUMBERS } from './make/numbers.js';
import { PEOPLE } from './make/people.js';
import { enumValue, reasonText, STATES } from './make/states.js';
import { atStep, TIMES } from './make/time.js';
import { anyText, namedBy, WORDS } from './make/words.js';
import { medianFor, someAmount } from './money.js';
import { narrowValues } from './narrow.js';
import { stringOf } from './pattern.js';
import { chooseRule, MONEY_RULES, ruleByName, TIME_RULES } from './rules.js';
import { sayFrom } from './say.js';
import { colleague } from './subjects.js';
import type { Cell, Make } from './types.js';

/** The maker of each rule; `key` and `foreign_key` are filled with the table. */
export const MAKERS: Readonly<Record<string, Make>> = {
  ...CODES,
  ...FIRMS,
  ...MONEY,
  ...NUMBERS,
  ...PEOPLE,
  ...STATES,
  ...TIMES,
  ...WORDS,
  handle: (cell) => {
    const { seed: _, ...column } = cell.col.column;
    const { rule } = chooseRule(cell.col.name, column, cell.h.plan.table.noun);
    const isOther = rule === undefined || rule.id === 'key' || rule.id === 'foreign_key';
    const usual = isOther ? undefined : MAKERS[rule.id]?.({ ...cell, col: { ...cell.col, column, rule } });
    return handleOf(cell, usual ?? undefined, rule?.id);
  },
};

/** `photo_urls` is a list of what `photo_url` would be. */
const jsonList = (cell: Cell): string | undefined => {
  const one = singular(cell.col.norm);
  if (one === cell.col.norm) return undefined;
  const rule = ruleByName(one);
  const make =
    rule?.types.has('text') && !TIME_RULES.has(rule.id) && !MONEY_RULES.has(rule.id) ? MAKERS[rule.id] : undefined;
  const column: Cell['col']['column'] = { type: 'text', required: true };
  const items = Array.from({ length: cell.r.int(0, 2) }, () =>
    make?.({ ...cell, col: { ...cell.col, norm: one, column, rule } }),
  );
  return JSON.stringify([...new Set(items.filter((item) => typeof item === 'string'))]);
};

const byType: Make = (cell) => {
  const { col, w, h, r } = cell;
  switch (col.column.type) {
    case 'bool':
      return r.chance(col.column.default === true ? 0.9 : 0.1) ? 1 : 0;
    case 'int':
      return byWord(cell) ?? r.int(0, 60);
    case 'number':
      return Math.round(r.unit() * 10_000) / 100;
    case 'json':
      return jsonList(cell) ?? '{}';
    case 'date':
    case 'datetime':
      return h.meta.created;
    case 'money':
      return r.int(500, 50_000);
    default:
      if (/evidence|detail/.test(col.norm)) return WORDS.note?.({ ...cell, w }) ?? anyText(cell);
      return anyText(cell);
  }
};

const employeeValue: Make = ({ w, h, col, r }) => {
  const someone = colleague(w, h, col.norm.replace(/_(id|key|ref|no|email|name)$/, ''), r);
  if (!someone) return undefined;
  const roles = someone.plan.roles;
  if (/_id$|_key$/.test(col.name) || col.column.type === 'int') return someone.row[someone.plan.table.key.col];
  return someone.row[roles.get('email') ?? ''] ?? someone.row[roles.get('full_name') ?? ''];
};

const PEOPLE_WORDS = /owner|assignee|author|creator|user|manager|supervisor|requester|approver|reviewer|agent|handler/;

/** A reference that the spec does not declare: a row of the table the noun names, in this service or another, else an id of its like. */
const looseReference: Make = (cell) => {
  const { w, h, col, r } = cell;
  const stem = col.norm.replace(/_(id|ids|uuid|guid|sid|gid|key|ref|oid|uid)$/, '').replace(/^id_/, '');
  const target = w.plans.find(
    (plan) =>
      plan !== h.plan &&
      plan.handles.length > 0 &&
      plan.service === h.plan.service &&
      (plan.name === stem || plan.name.endsWith(`_${stem}`)),
  );
  if (target) {
    const other = target.handles[Math.floor(target.handles.length * r.unit() ** 1.6)];
    const key = other?.row[target.table.key.col];
    if (key !== undefined && (typeof key === 'number') === (col.column.type === 'int'))
      return col.column.type === 'json' ? JSON.stringify([key]) : key;
  }
  if (PEOPLE_WORDS.test(stem)) {
    const someone = employeeValue(cell);
    if (someone !== undefined) return someone;
  }
  if (col.column.type === 'int') return 1000 + r.int(0, 400);
  if (col.column.type === 'json') return '[]';
  // `location` without an ending that says key is a name.
  if (stem === col.norm && col.column.format === undefined) return namedBy(cell, stem) ?? anyText(cell);
  return col.column.format === 'uuid' ? uuid(cell) : `${stem.slice(0, 4) || 'ref'}_${r.int(100_000, 999_999)}`;
};

/** A text of the list that the column's `seed` names; where values must differ, the list is walked and then numbered. */
const listed: Make = ({ w, h, col, r }) => {
  const list = col.column.seed ? phrasesData().lists[col.column.seed] : undefined;
  if (!list || col.column.type !== 'text') return undefined;
  if (!col.unique && h.plan.table.label !== col.name) return sayFrom(list, w, h, r);
  const at = h.meta.index - 1;
  const text = sayFrom(list, w, h, r, at);
  return text !== undefined && at >= list.length ? `${text} ${Math.floor(at / list.length) + 1}` : text;
};

const ruleValue = (cell: Cell): SqlValue | undefined => {
  const { col, w, h } = cell;
  if (col.rule?.id === 'handle') return MAKERS.handle?.(cell);
  const narrower = narrowValues(w.context.company, h.plan.noun, col.norm);
  if (col.column.enum) {
    const own = narrower?.filter((value) => col.column.enum?.includes(value));
    return own && own.length > 0 && col.name !== h.plan.life?.col ? cell.r.pick(own) : enumValue(cell);
  }
  if (narrower && col.column.type === 'text' && !col.unique) return cell.r.pick(narrower);
  const named = listed(cell);
  if (named !== undefined) return named;
  const id = col.rule?.id;
  const make = id === 'foreign_key' ? looseReference : id ? MAKERS[id] : undefined;
  const made = (make ?? byType)(cell);
  if (made === undefined || made === null) return made;
  if (id && TIME_RULES.has(id) && typeof made === 'number' && !/^year/.test(id))
    return isTime(cell) ? storeTime(made, col.column, col.norm) : made;
  if (id && MONEY_RULES.has(id) && typeof made === 'number') {
    // Where nothing is not allowed, a least amount in minor units would be a few cents.
    const some =
      made <= 0 && (col.column.min ?? 0) > 0 ? someAmount(medianFor(h.plan.noun), currencyOf(w, h), cell.r) : made;
    return storeAmount(some, col.column.type, currencyOf(w, h));
  }
  return made;
};

/** `manufacture_year` is made by a time rule and is no time. */
const isTime = ({ col }: Cell): boolean => !/year$/.test(col.norm);

/** What the last verb of the row's life that writes the column made of it; undefined when none did. */
const written = ({ h, col }: Cell): { effect: Effect; at: number } | undefined => {
  for (let i = h.meta.path.length - 1; i >= 0; i--) {
    const step = h.meta.path[i] as { verb: string; at: number };
    const effect = h.plan.verbs.get(step.verb)?.set[col.name];
    if (effect) return { effect, at: step.at };
  }
  return undefined;
};

const effectValue = (cell: Cell, effect: Effect, at: number): SqlValue | undefined => {
  const { col, w, h, r } = cell;
  const time = col.rule !== undefined && TIME_RULES.has(col.rule.id);
  switch (effect.kind) {
    case 'now':
      return storeTime(at, col.column, col.norm);
    case 'day':
      return time || col.column.type === 'date' ? storeTime(startOfDay(at), col.column, col.norm) : undefined;
    case 'literal':
      return typeof effect.value === 'boolean' ? Number(effect.value) : effect.value;
    case 'me': {
      const someone = colleague(w, h, col.norm, r);
      return someone?.row[someone.plan.roles.get('email') ?? ''];
    }
    default:
      if (!col.managed) return undefined;
      if (effect.optional && !col.column.required && r.chance(0.6)) return null;
      if (
        (col.column.type === 'date' || col.column.type === 'datetime') &&
        !/due|next|until|renew|expire/.test(col.norm)
      )
        return storeTime(atStep(at, cell), col.column, col.norm);
      return /reason|why|cause/.test(col.norm) && !col.column.enum ? reasonText(cell) : undefined;
  }
};

const fallback = (cell: Cell): SqlValue => {
  const { column } = cell.col;
  if (column.enum) return column.enum[0] as string;
  if (column.default !== undefined && column.default !== null)
    return typeof column.default === 'boolean' ? Number(column.default) : column.default;
  switch (column.type) {
    case 'text': {
      const made = column.pattern ? stringOf(column.pattern, cell.r, 0, column.maxLength) : undefined;
      return made ?? `${cell.h.plan.noun} ${cell.h.meta.index}`.slice(0, column.maxLength ?? 200);
    }
    case 'json':
      return '{}';
    case 'date':
    case 'datetime':
      return column.type === 'date' ? Math.floor(cell.h.meta.created / DAY) * DAY : cell.h.meta.created;
    case 'bool':
      return 0;
    default:
      return column.min ?? Math.min(0, column.max ?? 0);
  }
};

/** A round number near a usual one: multiples of five stay multiples of five. */
const near5 = (usual: number, factor: number): number =>
  usual >= 10 && usual % 5 === 0
    ? Math.max(5, Math.round((usual * factor) / 5) * 5)
    : Math.max(1, Math.round(usual * factor));

const DONE = /^(received|closed|completed?|done|picked|put_away|delivered|fulfilled|counted|recounted|posted)$/;
const HALF = /in_progress|partial|underway|started/;
/** How much of the ordered quantity has come, by the state of a row whose own verbs do not write it. */
const followed = ({ h, col, r }: Cell): number | undefined => {
  const whole = h.row[h.plan.roles.get('quantity') ?? ''];
  const counts = col.managed || col.column.default === 0;
  if (
    !counts ||
    col.rule?.id !== 'quantity' ||
    !/^(received|produced|picked|counted|shipped|delivered)$/.test(col.norm)
  )
    return undefined;
  if (typeof whole !== 'number' || h.plan.roles.get('quantity') === col.name) return undefined;
  const status = h.meta.status ?? '';
  return DONE.test(status) ? whole : HALF.test(status) ? Math.floor(whole * r.unit()) : 0;
};

const DEFAULTED = new Set(['int', 'number', 'text', 'bool', 'money']);

/** The value of one cell in canonical form. Null only where the column may be empty. */
export const makeCell = (cell: Cell): SqlValue => {
  const { col, h, r } = cell;
  const { column } = col;
  if (col.name === h.plan.life?.col && h.meta.status !== undefined) {
    const state = fitValue(h.meta.status, column, r);
    if (state !== undefined) return state;
  }
  const came = followed(cell);
  if (came !== undefined) return fitValue(came, column, r) ?? fallback(cell);
  const before = written(cell);
  const same = col.unique || before ? undefined : takenOver(h, col.name);
  if (same !== undefined) {
    const stored = fitValue(same, column, r);
    if (stored !== undefined) return stored;
  }
  const fits = col.unique || (before && before.effect.kind !== 'given') ? undefined : fitting(cell);
  if (fits === null && !column.required) return null;
  const effect = before && fits === undefined ? effectValue(cell, before.effect, before.at) : undefined;
  if (effect !== undefined) {
    const stored = effect === null ? null : fitValue(effect, column, r);
    if (stored !== undefined && (stored !== null || !column.required)) return stored;
  }
  // A stamp's maker knows by the row's life whether it is set.
  const wanted =
    col.rule?.id === 'stamp' || (col.rule?.id === 'expires_at' && /expired|lapsed/.test(h.meta.status ?? ''));
  if (!column.required && !before && (col.managed || (!wanted && col.how !== 'enum' && r.chance(col.nulls))))
    return null;
  const fitted = fits === undefined || fits === null ? undefined : fitValue(fits, column, r);
  if (fitted !== undefined && fitted !== null) return fitted;
  if (!before && column.default !== undefined && DEFAULTED.has(column.type) && !column.enum) {
    // A default is what most rows keep; counters that only verbs move keep it always, amounts are computed.
    const computed = col.rule !== undefined && (MONEY_RULES.has(col.rule.id) || col.rule.id === 'on_hand');
    if (column.type === 'bool' ? r.chance(0.85) : !computed && (col.managed || r.chance(0.55))) {
      const kept = fitValue(typeof column.default === 'boolean' ? Number(column.default) : column.default, column, r);
      if (kept !== undefined && kept !== null) return kept;
    }
    // A number with a usual value stays near it.
    if (
      typeof column.default === 'number' &&
      column.default > 1 &&
      !computed &&
      !col.managed &&
      column.type === 'int' &&
      col.rule?.id !== 'payment_terms'
    ) {
      const near = fitValue(near5(column.default, r.pick([0.5, 0.75, 0.8, 1.2, 1.25, 1.5])), column, r);
      if (typeof near === 'number') return near;
    }
  }
  const made = ruleValue(cell);
  const stored = made === undefined ? undefined : fitValue(made, column, r);
  if (stored === null || stored === undefined) {
    if (!column.required && (stored === null || column.pattern)) return null;
    const other = fitValue(byType({ ...cell, h }) ?? fallback(cell), column, r);
    return other === null || other === undefined ? fallback(cell) : other;
  }
  return stored;
};
