/** Points in time, unix seconds. Stamps agree with the way the row has come; starts lie before ends. */
import { DAY, isoDate, startOfDay, weekday } from '../../../kit/calendar.js';
import { snake } from '../../../kit/words.js';
import { phrasesData } from '../data.js';
import { isOver, isUnfinished, stepOf } from '../pace.js';
import { articleOf, nearest } from '../subjects.js';
import { nextWorkday, quarterHour } from '../time.js';
import type { Cell, Handle, Make, Passed } from '../types.js';
import { hireDate } from './people.js';
import { span, startDay } from './span.js';

const IRREGULAR: Record<string, string> = {
  paid: 'pay',
  sent: 'send',
  held: 'hold',
  lost: 'lose',
  won: 'win',
  begun: 'begin',
  written: 'write',
  done: 'complete',
  sold: 'sell',
  given: 'give',
  frozen: 'freeze',
  voided: 'void',
  finished: 'complete',
};
const ENDED = /^(closed?|completed?|finished|done|ended|resolved|delivered|settled|archived)$/;

const stems = new Map<string, string>();
const stem = (word: string): string => {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size > 5_000) stems.clear();
  const made = cutStem(word);
  stems.set(word, made);
  return made;
};
const cutStem = (word: string): string => {
  const base = IRREGULAR[word] ?? word;
  return base
    .replace(/(ied|y)$/, 'i')
    .replace(/(ed|en|ing|e|t|ion|al)$/, '')
    .slice(0, 7);
};
const alike = (a: string, b: string): boolean => {
  const [x, y] = [stem(a), stem(b)];
  return (
    x.length >= 2 &&
    y.length >= 2 &&
    (x === y || (x.length >= 4 && y.length >= 4 && (x.startsWith(y) || y.startsWith(x))))
  );
};

/** `paid_at`, `date_paid`, `approval_date` -> `paid`, `paid`, `approval` */
const stampWord = (norm: string): string =>
  norm.replace(/_(at|on|date|time|timestamp|datetime|ts|dt)$/, '').replace(/^(date|time|last)_/, '');

/** The step of the row's life a stamp records; null: one that has not happened; undefined: it records none. */
const recorded = (h: Handle, norm: string): Passed | null | undefined => {
  const { life } = h.plan;
  if (!life) return undefined;
  const words = stampWord(norm).split('_');
  const word = words.at(-1) ?? '';
  if (/^decided$|^decision$/.test(word))
    return h.meta.path.find(({ verb }) => /approv|reject|declin|deny|accept|confirm/.test(verb)) ?? null;
  const met = h.meta.path.findLast(({ verb, to }) =>
    words.some(
      (each) =>
        alike(each, verb) ||
        snake(to)
          .split('_')
          .some((part) => alike(each, part)),
    ),
  );
  if (met) return met;
  if (ENDED.test(word) && h.meta.path.length > 0 && h.meta.status !== undefined) {
    const known = life.states.some((state) =>
      snake(state)
        .split('_')
        .some((part) => alike(word, part)),
    );
    if (!known && /closed?$/.test(word) && life.paths.get(h.meta.status)?.length) return h.meta.path.at(-1);
  }
  const some = [...life.states.map(snake), ...h.plan.verbs.keys()].some((each) =>
    each.split('_').some((part) => words.some((one) => alike(one, part))),
  );
  return some ? null : undefined;
};

const after = (h: Handle, now: number, r: Cell['r'], most: number): number =>
  Math.min(now, h.meta.created + Math.floor(most * r.unit() ** 1.5));

/** Words of what had happened when it was entered: a fuel stop, a sample, a loss. */
const HAPPENED =
  /^(spent|filled|worked|taken|lost|loss|service|happened|raised|reported|read|value|incident|accident|occurred|collected|applied|picked|sampled|measured|observed|checked|seen|inspected|paid|entered|called)_(on|at|date|time)$/;

const stamp: Make = ({ w, h, col, r }) => {
  const { clock } = w.context;
  const step = recorded(h, col.norm);
  if (step) return step.at;
  if (step === null) return col.column.required ? h.meta.created : null;
  if (!col.column.required && r.chance(col.nulls)) return null;
  if (/^(bought|purchased)_/.test(col.norm)) return h.meta.created - r.int(30, 600) * DAY;
  if (HAPPENED.test(col.norm))
    return h.meta.created - (col.column.type === 'date' ? r.pick([0, 0, 1, 1, 2, 4]) * DAY : r.int(2, 90) * 60);
  const waiting =
    h.meta.path.length === 0 &&
    h.plan.life !== undefined &&
    /schedul|plan|book|order|request|open|draft|confirm/.test(h.meta.status ?? '');
  if (
    waiting &&
    /pick_?up|deliver|visit|travel|arriv|depart|leave|return|inspect|meeting|event|session|wanted|expected|planned|promised|requested|ordered|ready/.test(
      col.norm,
    )
  )
    return clock + r.int(1, 20) * DAY;
  if (/last_|seen|login|heartbeat|sync/.test(col.norm))
    return Math.max(h.meta.created, clock - Math.floor(30 * DAY * r.unit() ** 2));
  if (/renew|next/.test(col.norm)) return clock + r.int(5, 300) * DAY;
  if (
    /issue|order_date|invoice|document|posting|transaction|booking|entry|sample|request|report|notice|filing/.test(
      col.norm,
    )
  )
    return h.meta.created;
  if (/delet|archiv|cancel|fail|reject|terminat|suspend|revok|deactivat|lock/.test(col.norm) && !col.column.required)
    return null;
  return after(h, clock, r, 20 * DAY);
};

const terms = (h: Handle): number | undefined => {
  for (const of of [h, nearest(h, (other) => other !== h && other.plan.roles.has('payment_terms'))]) {
    const value = of?.row[of.plan.roles.get('payment_terms') ?? ''];
    const days = typeof value === 'string' ? Number(value.replace(/\D/g, '') || Number.NaN) : value;
    if (typeof days === 'number' && Number.isFinite(days)) return days;
  }
  return undefined;
};

/** States that say a date was let pass. */
const MISSED = /written_off|missed|breach|overdue|expired|charged_off|lapsed|failed/;
/** Dates by which something comes, not by which somebody must act. */
const COMES = /expected|deliver|arriv|promised|requested|ready|wanted|ship/;

const due: Make = (cell) => {
  const { w, h, r } = cell;
  const { clock } = w.context;
  if (/next/.test(cell.col.norm)) return nextWorkday(startOfDay(clock + r.int(2, 40) * DAY));
  const status = h.meta.status ?? '';
  const last = h.meta.path.at(-1);
  const days = terms(h);
  const pace = Math.max(1, Math.round(stepOf(h.plan) / DAY));
  let at: number;
  if (last && days === undefined && MISSED.test(snake(last.to))) at = last.at - r.int(1, 12) * DAY;
  else if (last && days === undefined && !isUnfinished(h.plan, status)) {
    const done = h.meta.path.find(({ to }) => isOver(to)) ?? last;
    at = done.at + (COMES.test(cell.col.norm) ? r.pick([-1, 0, 0, 0, 1]) : r.int(-1, 3 + pace)) * DAY;
  } else {
    const issued = h.meta.path.find(({ verb }) => verb === 'issue')?.at ?? h.meta.created;
    at = issued + (days ?? (/invoice|bill/.test(h.plan.noun) ? 30 : r.int(2, 6 + 4 * pace))) * DAY;
    // Live rows are mostly not late yet: one in eight is.
    if (days === undefined && at < clock && !r.chance(0.12)) at = clock + r.int(1, 5 + 3 * pace) * DAY;
  }
  at = nextWorkday(startOfDay(Math.max(at, h.meta.created)));
  return cell.col.column.type === 'datetime' ? quarterHour(at + r.int(9 * 4, 17 * 4) * 900) : at;
};

/** Days that goods keep, by a word of their name; what no entry names does not go off. */
const shelfLife = (article: string): number | undefined => {
  const words = article.toLowerCase();
  for (const [days, list] of Object.entries(phrasesData().shelf_life))
    if (list.some((word) => new RegExp(`\\b${word}(e?s)?\\b`).test(words))) return Number(days);
  return undefined;
};

const SHORT_LIVED = /offer|quote|pass|proposal|hold|invitation/;

export const TIMES: Record<string, Make> = {
  created_at: ({ h }) => h.meta.created,
  updated_at: ({ h }) => h.meta.touched,
  hire_date: ({ w, h, r }) => {
    const same = nearest(h, (other) => other.plan.staff);
    const known = same && same !== h ? same.row[same.plan.roles.get('hire_date') ?? ''] : undefined;
    if (typeof known === 'number') return known;
    return h.plan.staff ? startOfDay(h.meta.created) : hireDate(w, r, w.context.clock - 8 * 365 * DAY);
  },
  purchase_date: ({ h, r, col }) =>
    /year/.test(col.norm)
      ? Number(isoDate(h.meta.created - r.int(100, 2500) * DAY).slice(0, 4))
      : startOfDay(h.meta.created - r.int(1, 900) * DAY),
  due_at: due,
  expires_at: (cell) => {
    const { w, h, r } = cell;
    const from = h.plan.roles.has('starts_at') ? span(cell).starts : h.meta.created;
    if (/(^| )(lot|batch)$/.test(h.plan.noun) && !/drug/.test(h.plan.words)) {
      const days = shelfLife(articleOf(w, h, r).name);
      if (days === undefined && !cell.col.column.required) return null;
      if (days !== undefined) return startOfDay(from + Math.round(days * (0.9 + 0.2 * r.unit())) * DAY);
    }
    const ran = h.meta.path.find(({ to }) => /expired|lapsed/.test(to));
    if (ran) return startOfDay(ran.at - r.int(0, 3) * DAY);
    if (r.chance(0.12)) return startOfDay(w.context.clock + r.int(1, 30) * DAY);
    if (SHORT_LIVED.test(h.plan.noun)) return startOfDay(from + r.pick([7, 14, 14, 30, 30, 60]) * DAY);
    const at = from + r.pick([90, 365, 365, 730, 1095]) * DAY;
    return startOfDay(at < w.context.clock && r.chance(0.85) ? w.context.clock + r.int(20, 500) * DAY : at);
  },
  starts_at: (cell) => {
    const same = cell.h.plan.kind === 'person' ? nearest(cell.h, (other) => other.plan.staff) : undefined;
    if (same && same !== cell.h)
      return (same.row[same.plan.roles.get('hire_date') ?? ''] as number | undefined) ?? same.meta.created;
    if (/^since$|opened|entered/.test(cell.col.norm)) return cell.h.meta.created;
    const { starts } = span(cell);
    if (/^week/.test(cell.col.norm)) return startOfDay(starts) - ((weekday(starts) + 6) % 7) * DAY;
    return cell.col.column.type === 'date' ? startDay(cell.w, cell.h, starts) : starts;
  },
  ends_at: (cell) => {
    const { ends } = span(cell);
    return cell.col.column.type === 'date' && ends - (cell.h.meta.starts ?? 0) < DAY
      ? (cell.h.meta.starts as number) + cell.r.int(0, 3) * DAY
      : ends;
  },
  stamp,
  year: ({ w, h, col, r }) => {
    const now = Number(isoDate(w.context.clock).slice(0, 4));
    if (/fiscal|tax|academic/.test(col.norm)) return now - r.int(0, 2);
    if (/found|built|establish|vintage/.test(col.norm)) return now - r.int(4, 60);
    if (/birth|born/.test(col.norm)) return now - Math.ceil(16 * r.unit() ** 1.4);
    return Number(isoDate(h.meta.created).slice(0, 4)) - (/model/.test(col.norm) ? r.int(0, 8) : 0);
  },
  period: ({ h, col, r }) => {
    const [year = '', month = '1'] = isoDate(h.meta.created).split('-');
    if (/cycle|frequency|recurrence|cadence|interval/.test(col.norm))
      return r.weighted([['monthly', 6] as const, ['quarterly', 2] as const, ['yearly', 2] as const]);
    if (col.column.type === 'int')
      return /week/.test(col.norm)
        ? Math.ceil(Number(month) * 4.3)
        : /quarter/.test(col.norm)
          ? Math.ceil(Number(month) / 3)
          : /day/.test(col.norm)
            ? r.int(1, 28)
            : Number(month);
    if (/quarter/.test(col.norm)) return `Q${Math.ceil(Number(month) / 3)}`;
    if (/weekday|day_of_week/.test(col.norm)) return r.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']);
    if (/season/.test(col.norm)) return r.pick(['spring', 'summer', 'autumn', 'winter']);
    if (/term|semester/.test(col.norm)) return `${year} ${r.pick(['spring', 'autumn'])}`;
    return `${year}-${month}`;
  },
  time_of_day: ({ r, col }) =>
    /hours/.test(col.norm)
      ? r.pick(['Mon-Fri 08:00-17:00', 'Mon-Sat 09:00-18:00', 'Mon-Fri 07:00-16:00'])
      : `${String(/clos|end|check_out/.test(col.norm) ? r.int(16, 20) : r.int(7, 11)).padStart(2, '0')}:${r.pick(['00', '15', '30', '45'])}`,
};

/** The day or moment a verb's argument names: at the step, or a little before; never later than now. */
export const atStep = (at: number, { w, col, r }: Cell): number => {
  const back = col.column.type === 'date' ? startOfDay(at) : at;
  return Math.min(back - (r.chance(0.3) ? r.int(1, 3) * DAY : 0), w.context.clock);
};
