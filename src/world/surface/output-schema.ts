/** JSON Schema of a tool's answer: the envelope's template with schemas in place of the values. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import { envelopeOf, isKeyApart, nounsOf } from './answer.js';
import { surfacePath } from './naming.js';
import { type Placeholder, placeholdersIn } from './template.js';
import { columnCodec, tableOf, visibleColumns } from './values.js';

type Schema = { [key: string]: Json };
type Parts = { [name in Placeholder]?: Schema };

const columnSchema = (spec: ServiceSpec, col: Column): Schema => {
  const { schema } = columnCodec(spec, col);
  const described: Schema = col.description ? { ...schema, description: col.description } : { ...schema };
  if (col.required) return described;
  if (typeof described.type === 'string') described.type = [described.type, 'null'];
  if (Array.isArray(described.enum)) described.enum = [...described.enum, null];
  return described;
};

const fieldsSchema = (spec: ServiceSpec, tableName: string, cols: readonly string[]): Schema => {
  const table = tableOf(spec, tableName);
  const root: Schema = { type: 'object', properties: {}, required: [] };
  for (const name of cols) {
    const col = table.cols[name] as Column;
    let at = root;
    const path = surfacePath(spec.surface.fields, name, col.field);
    for (const [i, key] of path.entries()) {
      const properties = at.properties as Schema;
      const required = at.required as string[];
      if (!required.includes(key)) required.push(key);
      if (i === path.length - 1) properties[key] = columnSchema(spec, col);
      else {
        properties[key] ??= { type: 'object', properties: {}, required: [] };
        at = properties[key] as Schema;
        if (!at.properties) break;
      }
    }
  }
  return root;
};

/** Whether the value may be left out: its placeholder has no schema here, or no value in some answers. */
const mayMiss = (template: Json, parts: Parts): boolean => {
  if (typeof template !== 'object' || template === null)
    return [...placeholdersIn(template)].some((name) => name === 'cursor' || parts[name] === undefined);
  const items = Object.values(template);
  return !Array.isArray(template) && items.length > 0 && items.every((item) => mayMiss(item, parts));
};

const named = (key: string, nouns: { noun: string; nouns: string }): string =>
  key.replaceAll('$nouns', nouns.nouns).replaceAll('$noun', nouns.noun);

const templateSchema = (template: Json, parts: Parts, nouns: { noun: string; nouns: string }): Schema => {
  if (typeof template === 'string') {
    const whole = template.startsWith('$') ? parts[template.slice(1) as Placeholder] : undefined;
    return whole ?? { type: 'string' };
  }
  if (template === null) return {};
  if (typeof template === 'boolean') return { type: 'boolean' };
  if (typeof template === 'number') return { type: 'number' };
  if (Array.isArray(template)) return { type: 'array' };
  const properties: Schema = {};
  const required: string[] = [];
  for (const [key, value] of Object.entries(template)) {
    if (key === '$fields') {
      Object.assign(properties, parts.fields?.properties);
      continue;
    }
    const name = named(key, nouns);
    properties[name] = templateSchema(value, parts, nouns);
    if (!mayMiss(value, parts)) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
};

const INTEGER: Schema = { type: 'integer' };

/** The schema of what a successful call answers. Its root is an object unless the envelope is a bare list. */
export const outputSchemaOf = (spec: ServiceSpec, tool: Tool): Schema => {
  const { returns } = tool;
  const tableName = returns?.table ?? tool.table;
  const table = tableOf(spec, tableName);
  const nouns = nounsOf(spec, table);
  const apart = isKeyApart(spec) ? table.key.col : undefined;
  const cols = visibleColumns(table, returns?.cols).filter((name) => name !== apart);
  const keyCol = table.cols[table.key.col];
  const key: Schema = keyCol ? columnSchema(spec, { ...keyCol, required: true }) : {};
  const fields = fieldsSchema(spec, tableName, cols);
  const base: Parts = { key, noun: { type: 'string' }, nouns: { type: 'string' } };
  const row = templateSchema(spec.surface.row, { ...base, fields }, nouns);
  const kind = answerKind(tool);
  const free: Schema = { type: 'object' };
  const many: Parts = {
    rows: { type: 'array', items: row },
    more: { type: 'boolean' },
    total: INTEGER,
    page: INTEGER,
    pages: INTEGER,
    size: INTEGER,
    offset: INTEGER,
    shown: INTEGER,
    cursor: { type: 'string' },
  };
  const { noun, nouns: plural } = base;
  const shapes: Record<ReturnType<typeof answerKind>, Parts> = {
    row: { ...base, row, fields },
    rows: { noun, nouns: plural, ...many },
    value: { noun, nouns: plural, row: free, fields: free },
    // The key is that of the row acted on, where an argument names one.
    done: { noun, nouns: plural },
  };
  const parts = shapes[kind];
  const envelope = kind === 'rows' ? 'many' : kind === 'done' ? 'done' : 'one';
  return templateSchema(envelopeOf(spec, envelope, returns), parts, nouns);
};

/** What a tool hands back when its spec does not say: its macro's own kind. */
export const answerKind = (tool: Tool): 'row' | 'rows' | 'value' | 'done' => {
  const { returns } = tool;
  if (returns?.row !== undefined) return 'row';
  if (returns?.rows !== undefined) return 'rows';
  if (returns?.value !== undefined) return 'value';
  if (returns?.done) return 'done';
  if (tool.op === 'list' || tool.op === 'search') return 'rows';
  return tool.op === 'delete' || tool.op === 'action' || tool.op === 'code' ? 'done' : 'row';
};
