/** `regenerateKey` beside `listKeys`: the keys of a row are a part of it, and one of them is made anew. */
import type { Step } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { singular, snake, wordsOf } from '../../kit/words.js';
import { keyArg, toolText } from './args.js';
import type { Entity } from './entities.js';
import { scalarField } from './fields.js';
import { identifier, surfaceField } from './names.js';
import type { Schemas } from './schema.js';
import type { Sighting } from './sightings.js';
import type { Unwrapped } from './unwrap.js';

export interface Renewal {
  /** What is made anew, as the call says: primary, key. */
  words: string[];
  /** The call's body, which may say which one; it writes no column. */
  body: Unwrapped | undefined;
}

const RENEW = /^(regenerate|rotate|renew|reset|roll)$/;
const SECRET = /^(key|secret|credential|token|password)$/;

/** `regeneratePrimaryKey` -> primary, key; undefined for any other word. */
export const renewed = (text: string): string[] | undefined => {
  const [verb = '', ...rest] = wordsOf(text);
  return RENEW.test(verb) && SECRET.test(singular(rest.at(-1) ?? '')) ? rest : undefined;
};

/** The part of a row that shows what is renewed: the one of that name, else the only one that shows secrets. */
export const partRenewed = (words: readonly string[], parts: readonly string[]): string | undefined => {
  const one = (text: string): string => singular(text);
  const secret = parts.filter((part) => SECRET.test(one(part.split('_').at(-1) ?? '')));
  const named = secret.filter((part) => one(part) === one(words.join('_')));
  return named.length === 1 ? named[0] : secret.length === 1 ? secret[0] : undefined;
};

const loose = (text: string): string => snake(text).replaceAll('_', '');
const HOLDS = /(key|token|password|credential|connection_string)_?\d*$/;

/** Another text of the same make: it is only ever compared and handed on. */
const another = (col: string): string =>
  `row.${col} == null || size(row.${col}) < 2 ? 'k0' : row.${col}.substring(1) + row.${col}.substring(0, 1)`;

/** An argument that says which: each of its values is part of some column's name. */
const choice = (
  { op, renews }: Sighting,
  cols: readonly string[],
  schemas: Schemas,
): { name: string; arg: Arg; of: Map<string, string[]> } | undefined => {
  const { body } = renews as Renewal;
  const query = op.params.map(({ name, schema }) => [name, schema, [name]] as const);
  const fields = [...(body && !body.many ? body.item.properties : [])];
  for (const [name, raw, path] of [
    ...query,
    ...fields.map(([name, raw]) => [name, raw, [...(body?.path ?? []), name]] as const),
  ]) {
    const field = scalarField(name, raw, true, schemas);
    if (field?.type !== 'text' || !field.enum) continue;
    const of = new Map(
      field.enum.map((value) => [
        value,
        cols.filter((col) => loose(value) !== '' && loose(col).includes(loose(value))),
      ]),
    );
    const values = field.enum.filter((value) => (of.get(value)?.length ?? 0) > 0);
    if (values.length === 0) continue;
    const arg: Arg = { type: 'text', role: 'input', enum: values, required: true, field: surfaceField(path) };
    return { name: identifier(name, 'which'), arg, of };
  }
  return undefined;
};

/** Undefined where nothing says which column is made anew. */
export const renewTool = (entity: Entity, sighting: Sighting, schemas: Schemas): Tool | undefined => {
  const key = keyArg(entity, sighting, schemas);
  const cols = [...entity.columns.facts.values()]
    .filter(
      ({ column, from, name }) => from === 'answer' && column.type === 'text' && !column.hidden && HOLDS.test(name),
    )
    .map(({ name }) => name);
  if (!key || !sighting.renews) return undefined;
  const said = sighting.renews.words.slice(0, -1).map(loose);
  const told = cols.filter((col) => said.length > 0 && said.every((word) => loose(col).includes(word)));
  const chosen = told.length > 0 || cols.length === 1 ? undefined : choice(sighting, cols, schemas);
  const fixed = told.length > 0 ? told : cols.length === 1 ? cols : [];
  if (fixed.length === 0 && !chosen) return undefined;
  const name = identifier(key.wanted, 'id');
  const which = chosen && (chosen.name === name ? `${chosen.name}_2` : chosen.name);
  const set = chosen
    ? Object.fromEntries(
        cols.flatMap((col) => {
          const values = [...chosen.of].filter(([, of]) => of.includes(col)).map(([value]) => JSON.stringify(value));
          const when = values.map((value) => `args.${which} == ${value}`).join(' || ');
          return values.length === 0 ? [] : [[col, `(${when}) ? (${another(col)}) : row.${col}`]];
        }),
      )
    : Object.fromEntries(fixed.map((col) => [col, another(col)]));
  const keyCol = entity.columns.keyCol;
  const missing = { error: 'not_found', message: `There is no ${entity.table.noun} {args.${name}}.`, field: name };
  const steps: Step[] = [
    { get: { table: entity.name, where: { [keyCol]: `$args.${name}` }, as: 'row', else: missing } },
    { update: { table: entity.name, where: { [keyCol]: `$row.${keyCol}` }, set, as: 'done' } },
  ];
  return {
    id: `${entity.name}.renew`,
    op: 'action',
    table: entity.name,
    description: toolText(sighting, entity),
    args: { [name]: { ...key.arg, role: 'input' }, ...(chosen && which ? { [which]: chosen.arg } : {}) },
    steps,
    returns: { row: 'done' },
    errors: { invalid_argument: 422, not_found: 404 },
    reads: [entity.name],
    writes: [{ table: entity.name, cols: Object.keys(set) }],
    provenance: { tier: 'spec', operation: sighting.op.label },
  };
};
