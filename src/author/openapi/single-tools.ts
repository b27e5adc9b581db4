/** Tools of a thing there is only one of (a setting, the account), and the tool that only counts rows. */
import type { Step } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { type ArgList, noArgs, parentArg, setArgs, toolText } from './args.js';
import type { Entity } from './entities.js';
import { SINGLE_KEY } from './keys.js';
import type { Sighting } from './sightings.js';

const MAIN = `'${SINGLE_KEY}'`;

/** The only row of the table; there always is one. */
const theRow = (entity: Entity, as: string): Step => ({
  get: {
    table: entity.name,
    where: { [entity.columns.keyCol]: MAIN },
    as,
    else: { error: 'not_found', message: `There is no ${entity.table.noun}.` },
  },
});

/** Arguments of a step tool: what would be written by a macro is an input here. */
const asInputs = (list: ArgList): Tool['args'] =>
  Object.fromEntries(Object.entries(list.args).map(([name, arg]) => [name, { ...arg, role: 'input' as const }]));

/** Reads or changes the one row; undefined for anything else, or when the body holds nothing to write. */
export const singleTool = (
  entity: Entity,
  sighting: Sighting,
  fields: Parameters<typeof setArgs>[2],
  envelope: unknown,
): Tool | undefined => {
  const { kind, op } = sighting;
  const base = {
    op: 'action' as const,
    table: entity.name,
    description: toolText(sighting, entity),
    reads: [entity.name],
    provenance: { tier: 'spec' as const, operation: op.label },
  };
  const returns = { row: 'row', ...(envelope === undefined ? {} : { envelope }) };
  if (kind === 'get')
    return {
      ...base,
      id: `${entity.name}.get`,
      args: {},
      steps: [theRow(entity, 'row')],
      returns,
      errors: { not_found: 404 },
      writes: [],
    };
  if (kind !== 'update') return undefined;
  const list = noArgs();
  setArgs(list, entity, fields, 'update');
  const args = asInputs(list);
  const set = Object.fromEntries(Object.entries(args).map(([name, arg]) => [arg.col as string, `$args.${name}`]));
  if (Object.keys(set).length === 0) return undefined;
  const hasReference = Object.values(args).some((arg) => arg.ref !== undefined);
  return {
    ...base,
    id: `${entity.name}.update`,
    args,
    steps: [
      theRow(entity, 'before'),
      { update: { table: entity.name, where: { [entity.columns.keyCol]: MAIN }, set, as: 'row' } },
    ],
    returns,
    errors: { invalid_argument: 422, not_found: 404, ...(hasReference ? { invalid_reference: 422 } : {}) },
    writes: [{ table: entity.name, cols: Object.keys(set) }],
  };
};

/** The parent that a path names must be there. */
const parentThere = (name: string, { ref }: Arg, keyCol: string): Step[] =>
  ref === undefined
    ? []
    : [
        {
          get: {
            table: ref,
            where: { [keyCol]: `$args.${name}` },
            as: 'parent',
            else: {
              error: 'not_found',
              message: `There is no ${ref.replaceAll('_', ' ')} {args.${name}}.`,
              field: name,
            },
          },
        },
      ];

/** How many rows there are, under one parent where the path names it. */
export const countTool = (entity: Entity, sighting: Sighting, keyOf: (table: string) => string): Tool => {
  const list = noArgs();
  parentArg(list, entity, sighting, 'filter');
  const args = asInputs(list);
  const where = Object.entries(args).map(([name, arg]) => ({
    col: arg.col as string,
    op: 'eq' as const,
    value: `$args.${name}`,
  }));
  for (const arg of Object.values(args)) delete arg.op;
  const parents = Object.entries(args);
  return {
    id: `${entity.name}.count`,
    op: 'action',
    table: entity.name,
    description: toolText(sighting, entity),
    args,
    steps: [
      ...parents.flatMap(([name, arg]) => parentThere(name, arg, keyOf(arg.ref as string))),
      { find: { table: entity.name, ...(where.length > 0 ? { where } : {}), limit: 1, as: 'found', total: 'n' } },
    ],
    returns: { value: { count: '$n' } },
    errors: { invalid_argument: 422, ...(parents.length > 0 ? { not_found: 404 } : {}) },
    reads: [...new Set([entity.name, ...parents.map(([, arg]) => arg.ref as string)])],
    writes: [],
    provenance: { tier: 'spec', operation: sighting.op.label },
  };
};

/** `DELETE /users/{id}/sessions`: all rows under one parent; undefined where the path names none. */
export const deleteAllTool = (
  entity: Entity,
  sighting: Sighting,
  keyOf: (table: string) => string,
): Tool | undefined => {
  const list = noArgs();
  parentArg(list, entity, sighting, 'filter');
  const [[name, arg] = []] = Object.entries(asInputs(list));
  if (name === undefined || arg?.col === undefined || arg.ref === undefined) return undefined;
  delete arg.op;
  return {
    id: `${entity.name}.delete_all`,
    op: 'action',
    table: entity.name,
    description: toolText(sighting, entity),
    args: { [name]: arg },
    steps: [
      ...parentThere(name, arg, keyOf(arg.ref)),
      { delete: { table: entity.name, where: { [arg.col]: `$args.${name}` } } },
    ],
    returns: { done: true },
    errors: { invalid_argument: 422, not_found: 404 },
    // Which rows go is read from the rows themselves.
    reads: [...new Set([arg.ref, entity.name])],
    writes: [{ table: entity.name, delete: true }],
    provenance: { tier: 'spec', operation: sighting.op.label },
  };
};
