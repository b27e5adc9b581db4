/** Where an operation's answer has the row or the list, and the JSON that stands around it. */
import type { FaceAnswer } from '../../artifacts/face.js';
import type { Returns } from '../../artifacts/tool.js';
import { isNode } from '../../document/node.js';
import { snake } from '../../kit/words.js';
import type { Entity } from '../openapi/entities.js';
import { envelopeOf } from '../openapi/envelope.js';
import { propertyName } from '../openapi/names.js';
import type { View } from '../openapi/schema.js';
import { isMetaName } from '../openapi/unwrap.js';
import type { Subject } from './draft.js';

export interface Shown {
  answer: FaceAnswer;
  returns: Returns;
}

/** From a row to its key on the surface. */
const keyPath = (entity: Entity): { key?: string[] } => {
  const column = entity.columns.facts.get(entity.columns.keyCol)?.column;
  return column?.field === undefined || column.hidden ? {} : { key: column.field.split('.') };
};

/** A scalar of the answer that repeats a column of the row: `{ok, channel, ts, message: {...}}`. */
const repeats = ({ entity, context }: Subject, view: View, name: string): boolean => {
  const column = entity.columns.facts.get(snake(name))?.column;
  const property = context.schemas.view(view.properties.get(name));
  return column !== undefined && !column.hidden && column.type !== 'json' && property.properties.size === 0;
};

/** An object in the row's answer that is called what the row is, and shows nothing else: the row once more. */
const isRowAgain = ({ entity, context }: Subject, view: View, name: string): boolean => {
  const { facts } = entity.columns;
  const inner = [...context.schemas.view(view.properties.get(name)).properties.keys()];
  const isCalled = [entity.resource.noun, ...(entity.aliases ?? [])].includes(snake(name));
  const isApart = ![...facts.values()].some(({ column }) => column.field?.startsWith(`${propertyName(name)}.`));
  return isCalled && isApart && inner.length > 0 && inner.every((one) => facts.has(snake(one)));
};

/** `{scheduled_message_id}` for a row whose key is `id`. */
const isKeyAgain = ({ entity, context }: Subject, view: View, name: string): boolean => {
  const { facts, keyCol } = entity.columns;
  const { noun } = entity.resource;
  const isCalled = [`${noun}_id`, `${noun}_${keyCol}`].includes(snake(name)) && !facts.has(snake(name));
  return isCalled && !entity.key.hidden && context.schemas.view(view.properties.get(name)).properties.size === 0;
};

/** The row's values where the answer has them a second time: beside the row, in an object of its own name, or under a longer name. */
const withRepeats = (subject: Subject, envelope: unknown): unknown => {
  const { answer } = subject.sighting;
  if (!answer || answer.many || answer.path.length > 1) return envelope;
  const view = answer.around[0] ?? answer.item;
  const names = [...view.properties.keys()];
  const keys = names.filter((name) => isKeyAgain(subject, view, name));
  const rows = answer.path.length > 0 ? [] : names.filter((name) => isRowAgain(subject, view, name));
  const isBeside =
    answer.path.length > 0 &&
    names.some((name) => snake(name) === subject.entity.columns.keyCol && repeats(subject, view, name));
  if (keys.length + rows.length === 0 && !isBeside) return envelope;
  return {
    ...(answer.path.length > 0 && !isBeside ? {} : { $fields: true }),
    ...(isNode(envelope) ? envelope : {}),
    ...Object.fromEntries(rows.map((name) => [propertyName(name), '$fields'])),
    ...Object.fromEntries(keys.map((name) => [propertyName(name), '$key'])),
  };
};

const wrapped = (subject: Subject, core: '$fields' | '$rows'): { path: string[]; envelope?: unknown } => {
  const { sighting, context } = subject;
  const { answer } = sighting;
  if (!answer) return { path: [] };
  const plain = envelopeOf(answer, core, context.schemas);
  const envelope = core === '$fields' ? withRepeats(subject, plain) : plain;
  return { path: answer.path.map(propertyName), ...(envelope === undefined ? {} : { envelope }) };
};

/** The answer shows the entity's own row: it has most of its properties, or says nothing to the contrary. */
export const showsRow = ({ entity, sighting }: Subject): boolean => {
  const { answer } = sighting;
  if (!answer || answer.many) return false;
  const names = [...answer.item.properties.keys()];
  const { schema, aliases, views } = entity.resource;
  if (answer.item.name !== undefined && (answer.item.name === schema || aliases.has(answer.item.name))) return true;
  const own = (name: string): boolean => views.some((view) => view.properties.has(name));
  return names.filter(own).length * 2 >= names.length;
};

/** One row of the subject's table bound as `row`, in the document's own envelope. */
export const oneRow = (subject: Subject, row: string): Shown => {
  // A list of one is shown as the row itself where the answer takes a list.
  const single = subject.sighting.answer?.many !== true;
  const { path, envelope } = single ? wrapped(subject, '$fields') : { path: [] };
  return {
    answer: { kind: 'row', path, ...keyPath(subject.entity) },
    returns: { row, ...(envelope === undefined ? {} : { envelope }) },
  };
};

export const manyRows = (subject: Subject, rows: string): Shown => {
  const { path, envelope } = subject.sighting.answer?.many ? wrapped(subject, '$rows') : { path: [] };
  return {
    answer: { kind: 'rows', path, ...keyPath(subject.entity) },
    returns: { rows, ...(envelope === undefined ? {} : { envelope }) },
  };
};

const GONE = /^(deleted|is_deleted|success|ok|removed|result)$/;

/** `{id, deleted: true, object: 'customer'}` */
const receipt = (subject: Subject, view: View): Shown | undefined => {
  const { entity, context } = subject;
  const value: Record<string, string | boolean> = {};
  for (const [name, raw] of view.properties) {
    const property = context.schemas.view(raw);
    const plain = snake(name);
    const [constant] = property.enum?.length === 1 ? property.enum : [];
    if (GONE.test(plain) && property.types.has('boolean')) value[propertyName(name)] = true;
    else if (plain === 'id' || plain === entity.columns.keyCol)
      value[propertyName(name)] = `$row.${entity.columns.keyCol}`;
    else if (typeof constant === 'string' && /^\w+$/.test(constant)) value[propertyName(name)] = `'${constant}'`;
    else if (!isMetaName(name) && repeats(subject, view, name)) value[propertyName(name)] = `$row.${plain}`;
  }
  const isName = Object.keys(value).every((name) => /^[a-z][a-z0-9_]{0,62}$/.test(name));
  if (Object.keys(value).length === 0 || !isName) return undefined;
  return { answer: { kind: 'value', path: [] }, returns: { value } };
};

/** What a deletion answers with: the row that is gone, what says so, or nothing. `row` is bound. */
export const goneRow = (subject: Subject): Shown => {
  const { answer } = subject.sighting;
  const done: Shown = { answer: { kind: 'done', path: [] }, returns: { done: true } };
  if (!answer || answer.many) return done;
  const said = [...answer.item.properties.keys()].some((name) => GONE.test(snake(name)));
  if (said || !showsRow(subject)) return (answer.path.length === 0 && receipt(subject, answer.item)) || done;
  return oneRow(subject, 'row');
};
