/** Arguments of a face's tool, each with the place in the request where its value is. */
import type { FaceArg } from '../../artifacts/face.js';
import type { Arg } from '../../artifacts/tool.js';
import { collides } from '../openapi/columns.js';
import { identifier, propertyName, surfaceField, unique } from '../openapi/names.js';

/** Where a value is in a request, as the document writes it. */
export type Origin = Omit<FaceArg, 'to'>;

export interface Inputs {
  args: Record<string, Arg>;
  origins: FaceArg[];
  /** Where on the surface they are, as one text each. */
  fields: string[];
  taken: Set<string>;
}

export const noInputs = (): Inputs => ({ args: {}, origins: [], fields: [], taken: new Set() });

const MAX_DEPTH = 3;

/** Its path on the surface: as the document nests it, or flat under a free name where another argument is in the way. */
const fieldFor = ({ fields }: Inputs, path: readonly string[]): string => {
  const isFree = (field: string): boolean => !fields.some((other) => collides(other, field));
  const nested = surfaceField(path);
  if (path.length > 0 && path.length <= MAX_DEPTH && isFree(nested)) return nested;
  const flat = propertyName(['body', ...path].join('_')).slice(0, 60);
  for (let n = 1; ; n++) {
    const field = n === 1 ? flat : `${flat}_${n}`;
    if (isFree(field)) return field;
  }
};

/** Adds an argument and returns its name. `wanted` in words. */
export const addInput = (inputs: Inputs, wanted: string, arg: Arg, origin: Origin): string => {
  const path = origin.in === 'body' ? (origin.at ?? []) : [origin.name ?? wanted, ...(origin.at ?? [])];
  const field = fieldFor(inputs, path);
  const name = unique(identifier(wanted, 'arg'), inputs.taken);
  inputs.args[name] = { ...arg, field };
  inputs.fields.push(field);
  inputs.origins.push({ to: field.split('.'), ...origin });
  return name;
};

export const argFor = (inputs: Inputs, col: string): string | undefined =>
  Object.keys(inputs.args).find((name) => inputs.args[name]?.col === col);
