/** Counts, quantities, measures, scores and shares. */
import { weekday } from '../../../kit/calendar.js';
import { phrasesData } from '../data.js';
import { parentsOf } from '../subjects.js';
import type { Cell, Handle, Make } from '../types.js';

const measureOf = (name: string): [number, number] => {
  if (/weight|mass|payload|tonnage/.test(name)) return /_g$|gram/.test(name) ? [50, 9000] : [0.2, 60];
  if (/area|feet|sq|acre|hectare/.test(name)) return [25, 260];
  if (/volume/.test(name)) return [0.5, 40];
  if (/altitude|elevation/.test(name)) return [2, 900];
  if (/px/.test(name)) return [320, 1920];
  if (/thickness|diameter|radius/.test(name)) return [1, 60];
  return [5, 180];
};

const readingOf = (name: string): [number, number] => {
  if (/odometer|mileage/.test(name)) return [4_000, 180_000];
  if (/temperature/.test(name)) return /max/.test(name) ? [6, 22] : [-2, 5];
  if (/humidity|level/.test(name)) return [35, 90];
  if (/pressure/.test(name)) return [1, 9];
  if (/speed/.test(name)) return [10, 110];
  if (/distance|mile|kilomet|km/.test(name)) return [3, 420];
  return [100, 9_000];
};

/** A number of the thing the last word names (`litres`, `pallets`), from the values or the range listed for it. */
export const byWord = ({ col, h, r }: Cell): number | undefined => {
  const { numbers } = phrasesData();
  const words = col.norm.split('_');
  const list =
    numbers[`${h.plan.noun} ${col.norm}`] ??
    numbers[col.norm] ??
    numbers[words.at(-1) ?? ''] ??
    (words.length > 1 ? numbers[words[0] ?? ''] : undefined);
  if (!list) return undefined;
  const pick = r.pick(list);
  const [low = 0, high] = String(pick).split('..').map(Number);
  return high === undefined ? low : Math.round(low + (high - low) * r.unit() ** 1.5);
};

const rounded = (value: number, type: string): number =>
  type === 'int' || type === 'money' ? Math.round(value) : Math.round(value * 100) / 100;

const between =
  (range: (name: string) => [number, number]): Make =>
  ({ col, h, r }) => {
    // What has rooms is as large as they are.
    const { rooms } = h.row;
    if (/^area/.test(col.norm) && typeof rooms === 'number' && rooms > 0) return Math.round(rooms * r.int(17, 30) + 8);
    const [low, high] = range(col.norm);
    return rounded(low + (high - low) * r.unit() ** 1.4, col.column.type);
  };

const score: Make = ({ col, r }) => {
  const { max, type } = col.column;
  if (/credit/.test(col.norm)) return r.int(480, 830);
  if (
    /lead|risk|health|fit|quality|points|marks|confidence|likelihood/.test(col.norm) ||
    (max !== undefined && max > 10)
  )
    return rounded(Math.max(0, Math.min(max ?? 100, (max ?? 100) * (0.65 + r.normal() * 0.18))), type);
  if (/nps/.test(col.norm)) return r.int(0, 10);
  const stars = r.weighted([[5, 45] as const, [4, 30] as const, [3, 13] as const, [2, 7] as const, [1, 5] as const]);
  return type === 'number' && /average|avg/.test(col.norm)
    ? Math.round((stars - 0.3 * r.unit()) * 10) / 10
    : Math.min(stars, max ?? 5);
};

const percent: Make = ({ h, col, r }) => {
  const { max, type } = col.column;
  const top = max !== undefined && max <= 1 ? 1 : 100;
  if (/progress|complet/.test(col.norm)) {
    const done = /complet|done|closed|finished|resolved/.test(h.meta.status ?? '');
    return done ? top : rounded((r.int(0, 9) / 10) * top, type);
  }
  if (/interest|apr|apy|yield|growth/.test(col.norm))
    return Math.round((1.5 + 7 * r.unit()) * 20) / 20 / (top === 1 ? 100 : 1);
  const share = r.pick([5, 10, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80]);
  return top === 1 ? share / 100 : share;
};

const count: Make = ({ col, r }) =>
  /attempt|retr|failure|tries/.test(col.norm)
    ? r.chance(0.75)
      ? r.int(0, 1)
      : r.int(2, 5)
    : /view|click|impression|visit|download|hit|play/.test(col.norm)
      ? Math.round(Math.exp(4 + r.normal()))
      : Math.floor(8 * r.unit() ** 2);

const capacity: Make = (cell) => {
  const { col, r } = cell;
  const listed = byWord(cell);
  if (listed !== undefined) return listed;
  if (/_kg$/.test(col.norm)) return r.pick([800, 1_200, 1_500, 3_500, 7_500, 12_000]);
  if (/_kw$/.test(col.norm)) return r.pick([50, 100, 250, 500, 1_000, 2_500]);
  if (/^max_.*uses|redemptions/.test(col.norm)) return r.pick([50, 100, 200, 500]);
  if (/reorder|threshold|safety|par_level|min/.test(col.norm)) return r.pick([5, 10, 10, 15, 20, 25, 40, 50]);
  if (/capacity|quota|storage/.test(col.norm)) return r.pick([20, 40, 50, 60, 80, 100, 120, 200, 400]);
  return r.pick([4, 6, 8, 10, 12, 16, 20, 24, 30, 50]);
};

const onHand: Make = ({ h, col, r }) => {
  const total = h.row[h.plan.roles.get('on_hand') ?? ''];
  if (/reserved|allocated|committed/.test(col.norm)) {
    const most = typeof total === 'number' && h.plan.roles.get('on_hand') !== col.name ? total : 20;
    return Math.floor(most * (r.chance(0.4) ? 0 : r.unit() * 0.6));
  }
  if (/damaged|backorder|transit|on_order/.test(col.norm)) return r.chance(0.6) ? 0 : r.int(1, 40);
  const point = h.row[h.plan.roles.get('capacity') ?? ''];
  if (typeof point === 'number' && r.chance(0.12)) return Math.max(0, Math.floor(point * r.unit()));
  return r.int(12, 60) * r.pick([1, 1, 2, 5, 10]);
};

/** The most people the room, table or vehicle behind the row holds. */
const roomFor = (h: Handle): number | undefined => {
  let least: number | undefined;
  for (const parent of parentsOf(h))
    for (const { name, rule, norm } of parent.plan.cols) {
      const value =
        (rule?.id === 'capacity' || rule?.id === 'plural_count') && /seats|capacity|places|beds|occupancy/.test(norm)
          ? parent.row[name]
          : undefined;
      if (typeof value === 'number' && value > 0) least = Math.min(least ?? value, value);
    }
  return least;
};

/** How many of the document's goods a receipt, a delivery or a return is about. */
const ofParent = (h: Handle, r: Cell['r']): number | undefined => {
  if (!/receipt|return|replacement|fulfil|pick|rma|inspection/.test(h.plan.noun)) return undefined;
  for (const parent of parentsOf(h)) {
    const whole = parent.row[parent.plan.roles.get('quantity') ?? ''];
    if (typeof whole === 'number' && whole > 0 && parent.plan.kind !== 'product')
      return r.chance(0.75) || whole === 1 ? whole : r.int(1, whole);
  }
  return undefined;
};

const PEOPLE = /party|pax|guests|adults|people|persons|passengers/;
const people = ({ h, col, r }: Cell): number => {
  const most = roomFor(h);
  // A hall is booked for many, a seat for a few.
  if (most !== undefined && most > 12 && (col.column.max ?? most) >= most)
    return Math.max(1, Math.round(most * (0.15 + 0.7 * r.unit())));
  const some = r.pick([1, 2, 2, 2, 3, 4, 4, 5, 6, 8]);
  return most === undefined ? some : Math.min(most, some);
};

const quantity: Make = (cell) => {
  const { h, col, r } = cell;
  const ordered = h.row.quantity ?? h.row.qty;
  if (
    /received|shipped|returned|invoiced|picked|packed|delivered|consumed|approved|counted/.test(col.norm) &&
    typeof ordered === 'number'
  ) {
    if (/returned/.test(col.norm)) return r.chance(0.8) ? 0 : Math.min(ordered, 1);
    return r.chance(0.75) ? ordered : Math.floor(ordered * r.unit());
  }
  if (PEOPLE.test(col.norm)) return people(cell);
  if (/children/.test(col.norm)) return r.pick([0, 0, 0, 1, 2]);
  if (/change|delta/.test(col.norm)) {
    const much = r.pick([1, 2, 3, 4, 5, 6, 10, 12, 20]);
    const loss = /theft|damage|sample|issue|sale|loss|waste|consum|scrap|ship|out|pick/.test(
      String(h.row.reason ?? h.row.kind ?? h.row.type ?? ''),
    );
    return loss || (/count|adjust|correct/.test(String(h.row.reason ?? '')) && r.chance(0.5)) ? -much : much;
  }
  const part = ofParent(h, r);
  if (part !== undefined) return part;
  const packs =
    h.plan.service.source.archetype === 'procurement' ||
    /purchase|transfer|stock|lot|batch|movement|reorder|supplier|production/.test(h.plan.noun);
  if (packs) return r.pick([5, 10, 10, 12, 20, 24, 25, 40, 50, 100]);
  return r.weighted([
    [1, 40] as const,
    [2, 22] as const,
    [r.int(3, 6), 24] as const,
    [r.pick([8, 10, 12]), 14] as const,
  ]);
};

/** Weekdays from one day to another, both counted. */
const workdays = (from: number, to: number): number => {
  let days = 0;
  for (let at = from; at <= to && days < 250; at += 86_400) if (weekday(at) !== 0 && weekday(at) !== 6) days++;
  return Math.max(1, days);
};

const duration: Make = (cell) => {
  const { h, col, r } = cell;
  if (phrasesData().numbers[`${h.plan.noun} ${col.norm}`]) return byWord(cell);
  const name = col.norm;
  const { starts, ends } = h.meta;
  const span = starts !== undefined && ends !== undefined ? ends - starts : undefined;
  if (/_ms$|^ms$|latency/.test(name)) return r.int(20, 900);
  if (/week.*hours|hours.*week/.test(name)) return r.pick([20, 30, 32, 36, 38, 40]);
  if (/^days$/.test(name) && span !== undefined && starts !== undefined) return workdays(starts, ends as number);
  if (/nights?$|days?$|lead_time|turnaround|length_of_stay/.test(name))
    return span === undefined ? r.int(1, 14) : Math.max(1, Math.round(span / 86_400));
  if (/weeks/.test(name)) return r.int(1, 12);
  if (/month|tenure|term/.test(name)) return r.pick([6, 12, 12, 24, 36, 48, 60]);
  if (/years/.test(name)) return r.int(1, 18);
  if (/hour|_h$|hrs?$/.test(name)) return rounded(Math.round((0.5 + 7.5 * r.unit() ** 1.5) * 4) / 4, col.column.type);
  if (/sec|timeout|ttl|elapsed/.test(name)) return r.pick([30, 45, 60, 90, 120, 300, 600]);
  return span !== undefined && span < 86_400 ? Math.round(span / 60) : r.pick([15, 30, 30, 45, 60, 60, 90, 120]);
};

export const NUMBERS: Record<string, Make> = {
  order_index: ({ h, col }) => {
    const { lineOf } = h.plan;
    if (!lineOf) return h.meta.index;
    const parent = h.meta.refs.get(lineOf.id);
    let at = 0;
    for (const other of h.plan.handles) {
      if (other.meta.refs.get(lineOf.id) === parent) at++;
      if (other === h) break;
    }
    return col.column.type === 'text' ? String(at) : at;
  },
  count,
  capacity,
  on_hand: onHand,
  quantity,
  score,
  percent,
  measure: between(measureOf),
  reading: between(readingOf),
  duration,
  plural_count: (cell) => byWord(cell) ?? Math.floor(12 * cell.r.unit() ** 2),
};
