/** Flattens an object schema to typed leaves: nested objects to dotted paths of at most three, the rest to JSON. */

import type { Literal } from '../../artifacts/table.js';
import { isPattern } from '../../document/schema/keywords.js';
import { snake } from '../../kit/words.js';
import type { Schemas, View } from './schema.js';
import type { Field } from './types.js';
import { isArray, isObject } from './unwrap.js';

const MAX_DEPTH = 3;
const MAX_FIELDS = 160;
/** An object with more properties than this is kept whole. */
export const MAX_INNER = 24;
const MAX_ENUM = 60;
/** A longer limit is none: no caller may hand in more. */
const MAX_TEXT = 20_000;
const SAFE = Number.MAX_SAFE_INTEGER;

export interface FieldContext {
  schemas: Schemas;
  /** Property that keys the objects of this schema, when it is the schema of an entity. */
  entityKey(schemaName: string): string | undefined;
  /** Left-out lists of other entities: they are read through their own tools. */
  leaveEntityLists: boolean;
  /** Nothing is left out for want of room. */
  every?: boolean;
  /** Dotted property names, from the row, of objects that are kept as one JSON value. */
  whole?: ReadonlySet<string>;
}

/** Hypermedia and protocol fields: nothing an agent acts on. */
const LINKS = /^(_links?|links|_embedded|@odata\..*|__.*|\$schema|_meta|hateoas)$/i;
const INSTANT_NAME =
  /(^|_)(at|on|date|time|timestamp|created|updated|modified|expires|expiry|start|end|until|since|due)$/;
/** Body fields that steer the answer and store nothing. */
const STEERING = /^(expand|fields|include|includes|embed|idempotency_key|callback|pretty_print|dry_run|validate_only)$/;
/** Texts without a format whose name leaves no doubt. */
const CLEAR_INSTANT =
  /^(created|updated|modified|deleted|closed|completed|started|ended|sent|opened|published|expires|cancell?ed|paid|archived|resolved|last_[a-z]+)_(at|on)$|_at$|^(create|update)_time$|^date_(created|updated|modified)$/;
const INSTANT_WORDS = /unix|epoch|seconds since|milliseconds since|timestamp/i;
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= SAFE ? value : undefined;

const textOf = (value: unknown, most = 400): string | undefined => {
  if (typeof value !== 'string' || !value.trim()) return undefined;
  const flat = value
    .slice(0, most * 2)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return flat.length > most ? `${flat.slice(0, most - 3)}...` : flat || undefined;
};

const literalOf = (value: unknown): Literal | undefined =>
  typeof value === 'string' || typeof value === 'boolean' || numberOf(value) !== undefined
    ? (value as Literal)
    : undefined;

/** A pattern that JavaScript can run, and that texts can be made of. */
const patternOf = (value: unknown): string | undefined =>
  typeof value !== 'string' || value.length > 200 || /\(\?<|\\[bBpP]|\\[1-9]/.test(value) || !isPattern(value)
    ? undefined
    : value;

type Kind = Pick<Field, 'type' | 'instant' | 'format'>;

const textKind = (name: string, view: View): Kind => {
  const format = textOf(view.facts.get('format'))?.toLowerCase();
  if (format === 'date') return { type: 'date', instant: undefined, format: undefined };
  if (format && /^(date-?time|datetime|timestamp|iso-?8601)$/.test(format))
    return { type: 'datetime', instant: undefined, format: undefined };
  const example = view.facts.get('example');
  if (!format && typeof example === 'string' && ISO_INSTANT.test(example) && INSTANT_NAME.test(snake(name)))
    return { type: 'datetime', instant: undefined, format: undefined };
  const bare =
    !format &&
    !view.enum &&
    view.facts.get('pattern') === undefined &&
    (numberOf(view.facts.get('maxLength')) ?? 99) >= 20;
  if (
    bare &&
    CLEAR_INSTANT.test(snake(name)) &&
    (example === undefined || (typeof example === 'string' && ISO_INSTANT.test(example)))
  )
    return { type: 'datetime', instant: undefined, format: undefined };
  return { type: 'text', instant: undefined, format };
};

const intKind = (name: string, view: View): Kind => {
  const format = textOf(view.facts.get('format'))?.toLowerCase() ?? '';
  const example = numberOf(view.facts.get('example')) ?? 0;
  const said = INSTANT_WORDS.test(`${view.facts.get('description') ?? ''}`) && INSTANT_NAME.test(snake(name));
  const instant = /unix|epoch|timestamp/.test(format) || said || (example > 1e9 && INSTANT_NAME.test(snake(name)));
  if (!instant) return { type: 'int', instant: undefined, format: undefined };
  const ms = example > 1e12 || /milli/i.test(`${format} ${view.facts.get('description') ?? ''}`);
  return { type: 'datetime', instant: ms ? 'unix_ms' : 'unix', format: undefined };
};

/** Storage type of a scalar; undefined when the schema holds no scalar. */
const scalarKind = (name: string, view: View): Kind | undefined => {
  const { types } = view;
  const plain = { instant: undefined, format: undefined };
  if (types.has('string'))
    return types.has('integer') || types.has('number') ? { type: 'text', ...plain } : textKind(name, view);
  if (types.has('boolean')) return { type: 'bool', ...plain };
  if (types.has('number'))
    return /^u?int/i.test(String(view.facts.get('format') ?? '')) ? intKind(name, view) : { type: 'number', ...plain };
  if (types.has('integer')) return intKind(name, view);
  if (types.size > 0) return undefined;
  if (view.enum?.some((value) => typeof value === 'string')) return { type: 'text', ...plain };
  const example = view.facts.get('example');
  if (typeof example === 'number') return { type: Number.isInteger(example) ? 'int' : 'number', ...plain };
  if (typeof example === 'boolean') return { type: 'bool', ...plain };
  return { type: 'text', ...plain };
};

const enumOf = (view: View, type: Field['type']): string[] | undefined => {
  if (type !== 'text' || !view.enum) return undefined;
  const values = [...new Set(view.enum.filter((value): value is string => typeof value === 'string' && value !== ''))];
  return values.length > 0 && values.length <= MAX_ENUM ? values : undefined;
};

const leaf = (path: string[], view: View, required: boolean, kind: Kind, embeds?: string): Field => {
  const { facts } = view;
  const low = numberOf(facts.get('minimum'));
  const high = numberOf(facts.get('maximum'));
  const shortest = numberOf(facts.get('minLength'));
  const longest = numberOf(facts.get('maxLength'));
  const numeric = kind.type === 'int' || kind.type === 'number';
  return {
    path,
    ...kind,
    required,
    nullable: view.nullable,
    readOnly: view.readOnly,
    ...(facts.get('x-read-only') === true ? { served: true as const } : {}),
    writeOnly: view.writeOnly,
    enum: enumOf(view, kind.type),
    min: numeric ? low : undefined,
    max: numeric && (low === undefined || high === undefined || high >= low) ? high : undefined,
    minLength:
      kind.type === 'text' && shortest !== undefined && shortest >= 1 && shortest <= (longest ?? MAX_TEXT)
        ? Math.ceil(shortest)
        : undefined,
    maxLength:
      kind.type === 'text' && longest !== undefined && longest >= 1 && longest <= MAX_TEXT
        ? Math.floor(longest)
        : undefined,
    pattern: kind.type === 'text' ? patternOf(facts.get('pattern')) : undefined,
    default: literalOf(facts.get('default')),
    description: textOf(facts.get('description') ?? facts.get('title')),
    example: literalOf(facts.get('example')),
    embeds,
  };
};

/** The type of a lone scalar schema, as for a parameter; arrays are told apart by the caller. */
export const scalarField = (name: string, schema: unknown, required: boolean, schemas: Schemas): Field | undefined => {
  const view = schemas.view(schema);
  const kind = scalarKind(name, view);
  return kind ? leaf([name], view, required, kind) : undefined;
};

/** Leaves of an object in document order; `prefix` (given for bodies) is put before every path and counts towards its depth. */
export const fieldsOf = (root: View, context: FieldContext, prefix?: readonly string[]): Field[] => {
  const out: Field[] = [];
  const json = { type: 'json', instant: undefined, format: undefined } as const;
  // A face's arguments may have names of their own, so that its bodies are taken apart as deep as its rows.
  const outside = context.every === true ? (prefix?.length ?? 0) : 0;
  const walk = (view: View, path: readonly string[], allRequired: boolean, above: ReadonlySet<View>): void => {
    for (const [name, raw] of view.properties) {
      if (out.length >= MAX_FIELDS && context.every !== true) return;
      const isLink = LINKS.test(name) && !(context.every === true && name !== '$schema');
      const property = context.schemas.view(raw);
      // Inside an object of the body, and where it is one itself, it is a property like others.
      const steers = context.every !== true || (path.length === (prefix?.length ?? 0) && !isObject(property));
      if (isLink || (prefix !== undefined && steers && STEERING.test(snake(name)))) continue;
      const here = [...path, name];
      const required = allRequired && view.required.has(name) && !property.nullable;
      const entity = property.objectName ?? property.name;
      const keyName = entity === undefined ? undefined : context.entityKey(entity);
      if (isArray(property)) {
        const item = context.schemas.view(property.items);
        const listed = item.name !== undefined && context.entityKey(item.name) !== undefined;
        if (!(listed && context.leaveEntityLists)) out.push(leaf(here, property, required, json));
      } else if (isObject(property)) {
        const isUnset = context.every === true && property.enum?.every((value) => value === '') === true;
        const scalar = (property.types.has('string') && !isUnset) || property.types.has('integer');
        const keySchema = keyName === undefined ? undefined : property.properties.get(keyName);
        const keyKind =
          keyName === undefined || keySchema === undefined
            ? undefined
            : scalarKind(keyName, context.schemas.view(keySchema));
        if (LINKS.test(name) || context.whole?.has(here.slice(prefix?.length ?? 0).join('.')))
          out.push(leaf(here, property, required, json));
        else if (scalar)
          out.push(
            leaf(
              here,
              property,
              required,
              { type: property.types.has('string') ? 'text' : 'int', instant: undefined, format: undefined },
              entity,
            ),
          );
        else if (keyName !== undefined && keyKind && here.length - outside < MAX_DEPTH)
          out.push(leaf([...here, keyName], context.schemas.view(keySchema), required, keyKind, entity));
        else if (here.length - outside < MAX_DEPTH && property.properties.size <= MAX_INNER && !above.has(property))
          walk(property, here, required, new Set([...above, property]));
        else out.push(leaf(here, property, required, json));
      } else {
        const read = scalarKind(name, property);
        // A text without a format is taken as it is given, whatever its name.
        const isBare = context.every === true && prefix !== undefined && property.facts.get('format') === undefined;
        const isText = read?.type === 'datetime' && read.instant === undefined && isBare;
        const kind: Kind | undefined = isText ? { ...read, type: 'text' } : read;
        out.push(leaf(here, property, required, kind ?? json));
      }
    }
  };
  walk(root, prefix ?? [], true, new Set([root]));
  return out;
};
