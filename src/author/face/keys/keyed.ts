/** Keys, and other values that paths name rows by, are such that the paths take them: what a client is shown it can ask for. */
import type { Column, Table } from '../../../artifacts/table.js';
import { LONGEST } from '../../../kit/language/language.js';
import { capacityOf } from '../../../world/ids.js';
import type { Entity } from '../../openapi/entities.js';
import type { Schemas } from '../../openapi/schema.js';
import type { Field } from '../../openapi/types.js';
import type { FaceDraft } from '../draft.js';
import type { ListDraft } from '../lists.js';
import { type Bounds, boundsOfField, boundsOfView, isFree, joined, onePattern } from './bounds.js';
import { namedInPaths } from './named.js';
import { fitsStyle, styleWithin, valuesPattern } from './style.js';

/** The rule of data/columns.yaml that makes keys which callers write themselves. */
const HANDLE = 'handle';

/** Keys of so few that they run out. */
const FEW = 10_001;

const isBounds = (one: Bounds | undefined): one is Bounds => one !== undefined;

/** What refers to each table, as the document describes it. */
const referencesIn = (entities: readonly Entity[]): Map<string, Field[]> => {
  const out = new Map<string, Field[]>();
  for (const { columns } of entities)
    for (const { column, field } of columns.facts.values())
      if (column.fk !== undefined) out.set(column.fk, [...(out.get(column.fk) ?? []), field]);
  return out;
};

/** What answers and bodies say of the key, and of what refers to it. */
const saidOf = ({ columns }: Entity, references: readonly Field[]): Bounds[] => {
  const own = columns.facts.get(columns.keyCol)?.field;
  const written = [...columns.bodies.values()].flatMap((fields) =>
    fields.filter(({ col }) => col === columns.keyCol).map(({ field }) => field),
  );
  return [...(own ? [own] : []), ...written, ...references].map(boundsOfField).filter(isBounds);
};

/** `bounds` as a column has them, beside its own. */
const narrowed = (column: Column, bounds: Bounds): Column => {
  const out = { ...column };
  const { patterns, minLength, maxLength, min, max, values } = bounds;
  if (column.type === 'int') {
    if (min > -Number.MAX_SAFE_INTEGER) out.min = Math.max(min, column.min ?? min);
    if (max < Number.MAX_SAFE_INTEGER) out.max = Math.min(max, column.max ?? max);
    if (values?.every((value) => /^-?\d+$/.test(value))) return { ...out, pattern: valuesPattern(values) };
    return (out.min ?? 0) <= (out.max ?? Number.MAX_SAFE_INTEGER) ? out : column;
  }
  if (column.type !== 'text') return column;
  if (values) return { ...out, enum: [...values] };
  const pattern = onePattern(bounds.isNumber ? [String.raw`^\d+$`, ...patterns] : patterns);
  if (pattern !== undefined) out.pattern = pattern;
  if (minLength > 0) out.minLength = minLength;
  if (maxLength < LONGEST) out.maxLength = Math.min(maxLength, column.maxLength ?? maxLength);
  return out;
};

const withExample = (column: Column, example: unknown): Column =>
  typeof example === 'string' && example.length <= 60 ? { ...column, example } : column;

/** What callers write as a key is held to what paths take. */
const heldToPaths = (drafts: readonly FaceDraft[], table: string, col: string, pattern: string | undefined): void => {
  if (pattern === undefined) return;
  for (const { tool } of drafts)
    for (const [name, arg] of Object.entries(tool.args))
      if (tool.table === table && tool.op === 'create' && arg.role === 'set' && (arg.col ?? name) === col)
        if (arg.type === 'text' && arg.pattern === undefined) tool.args[name] = { ...arg, pattern };
};

/** New rows of a table with few keys look for a free one. */
const readsItself = (drafts: readonly FaceDraft[], table: string): void => {
  for (const { tool } of drafts)
    if (tool.writes.some((write) => write.table === table && write.insert) && !tool.reads.includes(table))
      tool.reads.push(table);
};

/** Changes the tables, and the arguments of creates, in place. */
export const keyed = (
  tables: Record<string, Table>,
  entities: readonly Entity[],
  { drafts, lists, schemas }: { drafts: readonly FaceDraft[]; lists: ReadonlyMap<string, ListDraft>; schemas: Schemas },
): void => {
  const asked = new Map<string, Map<unknown, Bounds>>();
  for (const { table, col, param } of namedInPaths(tables, drafts, lists)) {
    const key = `${table}.${col}`;
    const bounds = boundsOfView(schemas.view(param.schema));
    if (bounds) asked.set(key, (asked.get(key) ?? new Map()).set(JSON.stringify(bounds), bounds));
  }
  const references = referencesIn(entities);
  for (const entity of entities) {
    const table = tables[entity.name];
    if (!table || entity.resource.single) continue;
    const { col, gen } = table.key;
    const fact = entity.columns.facts.get(col);
    for (const [name, column] of Object.entries(table.cols)) {
      const paths = [...(asked.get(`${entity.name}.${name}`)?.values() ?? [])];
      if (name !== col) {
        const isPlain = column.fk === undefined && !column.enum;
        if (paths.length > 0 && isPlain) {
          const own = boundsOfField(entity.columns.facts.get(name)?.field ?? (fact?.field as never));
          table.cols[name] = narrowed(column, joined([...paths, ...(own ? [own] : [])]));
        }
        continue;
      }
      if (column.fk !== undefined) continue;
      const said = [...paths, ...saidOf(entity, references.get(entity.name) ?? [])];
      const isNumber = column.type === 'int';
      if (gen) {
        const bounds = said.every((one) => fitsStyle(gen, one)) ? undefined : joined(said);
        if (bounds && !fitsStyle(gen, bounds)) table.key.gen = styleWithin(bounds, isNumber);
        if (capacityOf(table.key.gen ?? gen) < FEW) readsItself(drafts, entity.name);
      } else if (!entity.key.hidden) {
        const bounds = joined(said);
        const shape = isFree(bounds) ? column : narrowed(column, bounds);
        heldToPaths(drafts, entity.name, col, onePattern(joined(paths).patterns));
        table.cols[name] = withExample(
          column.type === 'text' ? { ...shape, seed: HANDLE } : shape,
          fact?.field.example,
        );
      }
    }
  }
};
