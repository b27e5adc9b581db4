/** Values that fit what else a row says: a yearly service is no replaced board, a single room has no four beds (data/fitting.yaml). */
import type { SqlValue } from '../state/types.js';
import { fittingData } from './data.js';
import { sayFrom } from './say.js';
import { parentsOf, sellsGoods } from './subjects.js';
import type { Cell, ColPlan, Handle, TablePlan, World } from './types.js';

interface Choice {
  when: RegExp | undefined;
  /** Null: the column stays empty. */
  give: readonly (string | number)[] | null;
}

const compiled = new Map<string, Choice[]>();

const choicesFor = (key: string): Choice[] | undefined => {
  const data = fittingData();
  const list = data[key];
  if (!list) return undefined;
  const known = compiled.get(key);
  if (known) return known;
  const made = list.map(({ when, give }) => ({ when: when === undefined ? undefined : new RegExp(when, 'iu'), give }));
  compiled.set(key, made);
  return made;
};

const plans = new WeakMap<TablePlan, Map<string, Choice[] | null>>();
/** The choices of a column: of this table of this kind of service, else of any table of its noun. */
const choicesOf = (plan: TablePlan, col: ColPlan): Choice[] | undefined => {
  const own = plans.get(plan) ?? new Map<string, Choice[] | null>();
  plans.set(plan, own);
  let found = own.get(col.name);
  if (found === undefined) {
    found =
      choicesFor(`${plan.service.source.archetype ?? ''}.${plan.name}.${col.name}`) ??
      choicesFor(`${plan.noun} ${col.norm}`) ??
      choicesFor(`any ${col.name}`) ??
      null;
    own.set(col.name, found);
  }
  return found ?? undefined;
};

const said = (h: Handle): string =>
  h.plan.cols
    .flatMap(({ name, column }) =>
      column.type === 'text' && h.row[name] !== null && h.row[name] !== undefined ? [`${name}=${h.row[name]}`] : [],
    )
    .join(' | ');

/**
 * What conditions are tested on: the row's own texts (`kind=van | name=...`), its state, those of the rows it hangs on, what the
 * company sells (`#goods` or `#services`) and its industry (`#naics=722511`).
 */
const textOf = (w: World, h: Handle): string =>
  `${said(h)} | state=${h.meta.status ?? ''} | ${parentsOf(h).map(said).join(' | ')} #${sellsGoods(w) ? 'goods' : 'services'} #naics=${w.context.company.industry.naics}`;

const RANGE = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/;

const numberOf = (choice: string | number, cell: Cell): number | undefined => {
  if (typeof choice === 'number') return choice;
  const [, low, high] = RANGE.exec(choice) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const value = Number(low) + (Number(high) - Number(low)) * cell.r.unit();
  return cell.col.column.type === 'int' ? Math.round(value) : Math.round(value * 10) / 10;
};

/** A value for the cell that fits the row, null where the column does not apply to it; undefined where nothing is known. */
export const fitting = (cell: Cell): SqlValue | undefined => {
  const { w, h, col, r } = cell;
  const choices = choicesOf(h.plan, col);
  if (!choices) return undefined;
  const text = choices.some(({ when }) => when) ? textOf(w, h) : '';
  const found = choices.find(({ when }) => when === undefined || when.test(text));
  if (!found) return undefined;
  if (found.give === null) return null;
  const { type } = col.column;
  if (type === 'text') {
    const texts = found.give.map(String);
    return col.column.enum ? r.pick(texts) : sayFrom(texts, w, h, r);
  }
  if (type === 'int' || type === 'number') return numberOf(r.pick(found.give), cell);
  if (type === 'bool') return r.pick(found.give) ? 1 : 0;
  return undefined;
};
