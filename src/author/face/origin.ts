/** Where in a request the value of an agents' argument stands: the surface folds names, a request has them as the document writes them. */
import { propertyName } from '../openapi/names.js';
import { queryField } from '../openapi/query.js';
import type { Schemas } from '../openapi/schema.js';
import type { Sighting } from '../openapi/sightings.js';
import { isArray } from '../openapi/unwrap.js';
import type { Origin } from './inputs.js';

/** Property names of the body at a surface path; undefined where the body has none there. */
const inBody = ({ op }: Sighting, field: string, schemas: Schemas): string[] | undefined => {
  let view = op.body === undefined ? undefined : schemas.view(op.body.schema);
  if (view && isArray(view)) view = schemas.view(view.items);
  const at: string[] = [];
  for (const part of field.split('.')) {
    const found = [...(view?.properties ?? [])].find(([name]) => propertyName(name) === part);
    if (!found) return undefined;
    at.push(found[0]);
    view = schemas.view(found[1]);
  }
  return at;
};

/** Parameters come before the body; undefined where the field is nowhere in the request. */
export const originOf = (sighting: Sighting, field: string, schemas: Schemas): Origin | undefined => {
  const { params } = sighting.op;
  const last = (name: string): string => propertyName(name.replace(/^.*\./, ''));
  const inPath = params.find(
    ({ in: where, name }) => where === 'path' && (propertyName(name) === field || last(name) === field),
  );
  if (inPath) return { in: 'path', name: inPath.name };
  const inQuery = params.find(({ in: where, name }) => where === 'query' && queryField(name) === field);
  if (inQuery) return { in: 'query', name: inQuery.name };
  const at = inBody(sighting, field, schemas);
  return at && { in: 'body', at };
};
