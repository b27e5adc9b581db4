/** Which pages differ between two heads. */
import type { Head } from './head.js';
import type { Layer } from './layer.js';

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);

/** Pages written since the two parted from a common layer, or from the base. */
const written = (before: Head, after: Head): Set<number> => {
  const shared = new Set<Layer>();
  for (let layer = before.layer; layer; layer = layer.parent) shared.add(layer);
  const pages = new Set<number>(after.top?.keys());
  let meeting = after.layer;
  for (; meeting && !shared.has(meeting); meeting = meeting.parent)
    for (const page of meeting.pages.keys()) pages.add(page);
  for (const page of before.top?.keys() ?? []) pages.add(page);
  for (let layer = before.layer; layer && layer !== meeting; layer = layer.parent)
    for (const page of layer.pages.keys()) pages.add(page);
  return pages;
};

/** Numbers of the pages whose bytes differ, or that only one of the two has. */
export const changedPages = (before: Head, after: Head): Set<number> => {
  const changed = new Set<number>();
  const least = Math.min(before.count, after.count);
  const most = Math.max(before.count, after.count);
  for (let page = least + 1; page <= most; page++) changed.add(page);
  if (before.base !== after.base) {
    for (let page = 1; page <= least; page++) if (!same(before.page(page), after.page(page))) changed.add(page);
    return changed;
  }
  for (const page of written(before, after)) {
    if (page > least || before.locate(page) === after.locate(page)) continue;
    if (!same(before.page(page), after.page(page))) changed.add(page);
  }
  return changed;
};
