/** Whether what one tool shows contradicts what another one said wrongly: by that a careful agent notices a lie. */
import type { Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import type { WorldTool } from '../../world/loaded.js';
import { rowAt, rowsShown } from './shown-row.js';

/** Path of the first value that differs; of the list, where rows are missing. */
export const struckAt = (truth: Json | undefined, lie: Json | undefined, path = ''): string | undefined => {
  if (truth === lie) return undefined;
  if (truth === null || lie === null || typeof truth !== 'object' || typeof lie !== 'object') return path;
  if (Array.isArray(truth) && Array.isArray(lie) && truth.length !== lie.length) return path;
  for (const [key, value] of Object.entries(truth)) {
    const found = struckAt(value as Json, (lie as Record<string, Json>)[key], path ? `${path}.${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The other source shows a row that the lie leaves out, or the value as it truly is. */
export const contradicts = (
  { tool, truth, lie }: { tool: WorldTool; truth: Json; lie: Json },
  other: { tool: WorldTool; result: Json },
): boolean => {
  const path = struckAt(truth, lie);
  if (path === undefined) return false;
  const struck = valueAt(truth, path);
  const told = valueAt(lie, path);
  if (Array.isArray(struck) && Array.isArray(told)) {
    const missing = struck.map((_, n) => rowAt(tool, truth, `${path}.${n}.x`));
    const left = told.map((_, n) => rowAt(tool, lie, `${path}.${n}.x`)?.key);
    return missing.some((row) => row && !left.includes(row.key) && rowsShown(other.tool, other.result, row).length > 0);
  }
  const row = rowAt(tool, truth, path);
  const inRow = row && path.slice(row.at.length).replace(/^\./, '');
  return (
    row !== undefined &&
    rowsShown(other.tool, other.result, row).some(
      (at) => valueAt(valueAt(other.result, at), inRow as string) === struck,
    )
  );
};
