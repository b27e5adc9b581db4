/** What can only be known when child rows are there: totals of documents, counters of children. */
import { brokenChecks, checksOf } from './checks.js';
import { fitValue } from './fit.js';
import { amountOf, currencyOf, paidShare, partsOf, storeAmount } from './make/money.js';
import type { Handle, TablePlan, World } from './types.js';

const put = (w: World, h: Handle, rule: string, minor: number, r: ReturnType<World['rng']['stream']>): void => {
  const name = h.plan.roles.get(rule);
  const column = name ? h.plan.table.cols[name] : undefined;
  if (!name || !column || column.unique || (h.row[name] === null && rule !== 'total')) return;
  h.row[name] = fitValue(storeAmount(minor, column.type, currencyOf(w, h)), column, r) ?? h.row[name] ?? null;
};

const LIVE_LINE = /cancel|void|remov|delet/;

/** Subtotal, tax and total of every document whose lines these are; paid and due follow. */
export const settleDocuments = (w: World, lines: TablePlan): void => {
  const ref = lines.lineOf;
  const plan = ref ? w.byKey.get(ref.target) : undefined;
  if (!ref || !plan || !(plan.roles.has('total') || plan.roles.has('subtotal'))) return;
  const r = w.rng.stream(`settle ${plan.key}`);
  const sums = new Map<Handle, number>();
  for (const line of lines.handles) {
    const parent = line.meta.refs.get(ref.id);
    const amount =
      amountOf(w, line, 'line_total') ??
      amountOf(w, line, 'total') ??
      (amountOf(w, line, 'unit_price') ?? 0) * Number(line.row[lines.roles.get('quantity') ?? ''] ?? 1);
    const counts = !LIVE_LINE.test(line.meta.status ?? '') || LIVE_LINE.test(parent?.meta.status ?? '');
    if (parent && counts) sums.set(parent, (sums.get(parent) ?? 0) + amount);
  }
  const checks = checksOf(plan);
  for (const [h, sum] of sums) {
    const before = { ...h.row };
    const old = amountOf(w, h, 'subtotal') ?? amountOf(w, h, 'total') ?? 0;
    const share = old > 0 ? Math.min(0.4, (amountOf(w, h, 'discount') ?? 0) / old) : 0;
    const parts = partsOf(w, h, Math.round(sum), share, amountOf(w, h, 'fee') ?? 0);
    put(w, h, 'subtotal', parts.subtotal, r);
    put(w, h, 'discount', parts.discount, r);
    put(w, h, 'tax_amount', parts.tax, r);
    put(w, h, 'total', parts.total, r);
    h.meta.gross = parts.total;
    const paidCol = plan.roles.get('paid_amount');
    if (paidCol) {
      const paid = paidShare(h, paidCol, parts.total, r);
      put(w, h, 'paid_amount', paid, r);
      put(w, h, 'due_amount', parts.total - paid, r);
    }
    if (checks.length > 0 && brokenChecks(checks, h.row).length > 0) Object.assign(h.row, before);
  }
};

/** What a payment says was given back is the sum of its refunds. */
export const settleRefunds = (w: World, refunds: TablePlan): void => {
  const ref = /refund/.test(refunds.noun) ? refunds.refs.find((each) => each.role === 'self') : undefined;
  const plan = ref ? w.byKey.get(ref.target) : undefined;
  const name = plan?.roles.get('paid_amount');
  if (!ref || !plan || !name || !/refund/.test(name)) return;
  const r = w.rng.stream(`refunds ${plan.key}`);
  const sums = new Map<Handle, number>();
  for (const h of refunds.handles) {
    const parent = h.meta.refs.get(ref.id);
    if (parent) sums.set(parent, (sums.get(parent) ?? 0) + (amountOf(w, h, 'total') ?? 0));
  }
  const checks = checksOf(plan);
  for (const [h, sum] of sums) {
    const before = { ...h.row };
    put(w, h, 'paid_amount', Math.min(sum, amountOf(w, h, 'total') ?? sum), r);
    if (brokenChecks(checks, h.row).length > 0) Object.assign(h.row, before);
  }
};

/** `comments_count`, `num_items`, `ticket_count`: how many rows of the table they name point here. */
export const countChildren = (w: World, plan: TablePlan): void => {
  for (const col of plan.cols) {
    if (col.rule?.id !== 'count' && col.rule?.id !== 'plural_count') continue;
    const stem = col.norm
      .replace(/_?(count|counts|cnt)$/, '')
      .replace(/^(num|nb|no|number|total|n)_(of_)?/, '')
      .replace(/s$/, '');
    if (stem.length < 3) continue;
    const child = w.plans.find(
      (other) =>
        other !== plan &&
        other.service === plan.service &&
        (other.name === stem || other.name.endsWith(`_${stem}`)) &&
        other.refs.some((ref) => ref.target === plan.key),
    );
    const ref = child?.refs.find((each) => each.target === plan.key);
    if (!child || !ref) continue;
    const counts = new Map<Handle, number>();
    for (const h of child.handles) {
      const parent = h.meta.refs.get(ref.id);
      if (parent) counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
    for (const h of plan.handles) h.row[col.name] = counts.get(h) ?? 0;
  }
};
