/** The document's own surface: its names as they are, its way of writing instants, its errors. */
import type { Surface } from '../../artifacts/surface.js';
import { isNode, type Node } from '../../document/node.js';
import type { Refs } from '../../document/refs.js';
import type { Json } from '../../kit/hash.js';
import { snake } from '../../kit/words.js';
import type { Entity } from './entities.js';
import { propertyName } from './names.js';
import type { PagingStyle } from './query.js';
import type { Schemas, View } from './schema.js';

import { isArray, isObject } from './unwrap.js';

const DEFAULT_ERROR: Json = { error: { code: '$code', message: '$message', field: '$field' } };
const MAX_LOOKED_AT = 400;

const ERROR_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(message|detail|details|error_description|description|error_message|msg|title|reason|user_message)$/, '$message'],
  [/^(code|error_code|error|type|error_type|errorcode|slug)$/, '$code'],
  [/^(status|status_code|statuscode|http_status|http_status_code)$/, '$status'],
  [/^(field|param|parameter|property|source|target|path)$/, '$field'],
];

const errorTemplate = (view: View, schemas: Schemas, depth: number): { [key: string]: Json } => {
  const out: { [key: string]: Json } = {};
  for (const [name, raw] of view.properties) {
    const property = schemas.view(raw);
    const plain = snake(name);
    if (isObject(property) && depth < 1 && /^(error|meta|fault)$/.test(plain))
      out[propertyName(name)] = errorTemplate(property, schemas, depth + 1);
    else if (isArray(property) && depth < 1 && plain === 'errors') {
      const item = schemas.view(property.items);
      out[propertyName(name)] = isObject(item) ? [errorTemplate(item, schemas, depth + 1)] : ['$message'];
    } else if (!isObject(property) && !isArray(property)) {
      const meaning = ERROR_WORDS.find(([words]) => words.test(plain))?.[1];
      const numeric = property.types.has('integer') || property.types.has('number');
      const filled = numeric && (meaning === '$code' || meaning === '$status') ? '$status' : meaning;
      if (filled !== undefined && (!numeric || filled === '$status') && (filled !== '$status' || numeric))
        out[propertyName(name)] = filled;
    }
  }
  return out;
};

/** The error body most client errors of the document share, where it has a place for a message. */
const errorOf = (root: Node, refs: Refs, schemas: Schemas): Json => {
  const votes = new Map<string, number>();
  let looked = 0;
  for (const item of Object.values(isNode(root.paths) ? root.paths : {})) {
    for (const operation of Object.values(refs.resolve(item).node)) {
      if (!isNode(operation) || !isNode(operation.responses) || looked > MAX_LOOKED_AT) continue;
      for (const status of Object.keys(operation.responses)) {
        if (!/^(4\d\d|4XX|default)$/i.test(status)) continue;
        looked++;
        const content = refs.resolve(operation.responses[status]).node.content;
        const media = isNode(content) ? Object.values(content).find(isNode) : undefined;
        if (!media || media.schema === undefined) continue;
        const written = JSON.stringify(errorTemplate(schemas.view(media.schema), schemas, 0));
        if (written.includes('$message')) votes.set(written, (votes.get(written) ?? 0) + 1);
      }
    }
  }
  const best = [...votes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
  if (!best) return DEFAULT_ERROR;
  const template = JSON.parse(best[0]) as { [key: string]: Json };
  // An agent needs the code to act on; a document without a place for it gets one beside the message.
  return best[0].includes('$code') ? template : { ...template, code: '$code' };
};

/** How the service writes instants: what most of its datetime columns are declared as. */
export const instantStyle = (entities: readonly Entity[]): 'iso' | 'unix' | 'unix_ms' => {
  const votes = { iso: 0, unix: 0, unix_ms: 0 };
  for (const { columns } of entities)
    for (const { field } of columns.facts.values()) if (field.type === 'datetime') votes[field.instant ?? 'iso']++;
  return votes.unix > votes.iso && votes.unix >= votes.unix_ms ? 'unix' : votes.unix_ms > votes.iso ? 'unix_ms' : 'iso';
};

/** Columns whose instants are written otherwise than the service's become plain numbers or texts. */
export const unifyInstants = (entities: readonly Entity[]): 'iso' | 'unix' | 'unix_ms' => {
  const style = instantStyle(entities);
  for (const { columns } of entities)
    for (const fact of columns.facts.values()) {
      if (fact.field.type !== 'datetime' || (fact.field.instant ?? 'iso') === style) continue;
      fact.column = {
        ...fact.column,
        type: fact.field.instant === undefined ? 'text' : 'int',
        ...(fact.field.instant === undefined ? { format: 'date-time' } : {}),
      };
    }
  return style;
};

export const surfaceOf = (
  root: Node,
  refs: Refs,
  schemas: Schemas,
  paging: PagingStyle,
  datetime: 'iso' | 'unix' | 'unix_ms',
): Surface => ({
  dialect: 'document',
  fields: 'asis',
  args: 'asis',
  enums: 'asis',
  date: 'iso',
  datetime,
  money: 'decimal',
  row: '$fields',
  one: '$fields',
  many: '$rows',
  done: { success: true },
  paging,
  error: errorOf(root, refs, schemas),
});
