/** Which row of the state a value in a result belongs to. */
import type { Literal } from '../../artifacts/table.js';
import type { Json } from '../../kit/hash.js';
import { stepsOf, valueAt } from '../../kit/json-path.js';
import type { WorldTool } from '../../world/loaded.js';
import { surfacePath } from '../../world/surface/naming.js';
import { decodeValue } from '../../world/surface/values.js';

export interface RowRef {
  service: string;
  table: string;
  key: string | number;
}

/** The table whose rows a tool shows. */
export const shownTable = ({ tool }: WorldTool): string => tool.tool.returns?.table ?? tool.tool.table;

/** Where in a shown row its key stands. */
const keyPath = ({ service, tool }: WorldTool): string[] => {
  const table = service.spec.tables[shownTable({ service, tool })];
  const col = table?.key.col ?? '';
  return surfacePath(service.spec.surface.fields, col, table?.cols[col]?.field);
};

const isKey = (value: Literal | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The row in which the value at `path` of a tool's result stands; undefined where the result does not name it. */
export const rowAt = (
  shown: WorldTool,
  result: Json | undefined,
  path: string,
): (RowRef & { at: string }) | undefined => {
  const table = shownTable(shown);
  const spec = shown.service.spec.tables[table];
  const column = spec?.cols[spec.key.col];
  if (!column) return undefined;
  const inRow = keyPath(shown).join('.');
  const steps = stepsOf(path);
  for (let length = steps.length - 1; length >= 0; length--) {
    const at = steps.slice(0, length).join('.');
    const written = valueAt(valueAt(result, at), inRow);
    if (written === undefined || written === null || typeof written === 'object') continue;
    try {
      const key = decodeValue(shown.service.spec, column, written);
      if (isKey(key)) return { service: shown.service.id, table, key, at };
    } catch {
      return undefined;
    }
  }
  return undefined;
};

/** Whether the value at `path` is the key of its row: a lie about it is no plausible answer. */
export const isKeyAt = (shown: WorldTool, result: Json | undefined, path: string): boolean => {
  const row = rowAt(shown, result, path);
  return row !== undefined && [row.at, ...keyPath(shown)].filter(Boolean).join('.') === path;
};

/** Paths of the rows in a result that have this key. */
export const rowsShown = (shown: WorldTool, result: Json, wanted: RowRef): string[] => {
  const inRow = keyPath(shown);
  const found: string[] = [];
  const visit = (value: Json | undefined, path: string): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value)) {
      const row = rowAt(shown, result, [path, ...inRow].filter(Boolean).join('.'));
      if (row?.at === path && row.key === wanted.key && row.table === wanted.table) {
        found.push(path);
        return;
      }
    }
    for (const [key, inner] of Object.entries(value)) visit(inner as Json, path ? `${path}.${key}` : key);
  };
  visit(result, '');
  return found;
};
