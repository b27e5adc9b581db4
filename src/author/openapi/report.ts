/** What became of every operation and entity of a document. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { toolsOf } from '../../world/tools-of.js';
import type { DocumentReport, OperationKind } from './types.js';
import type { Understanding } from './understand.js';

export const NO_PLACE = 'its resource found no place in a pack';
export const PACK_FULL = 'the pack is full';
export const SAME = 'another operation does the same';
export const NO_ROW = 'nothing in the call names the row';
export const UNREAD = 'nothing reads this resource';
export const NO_COLUMN = 'lists the same things by a relation that no column holds';
/** Understood all the same: there was no need of the operation, or no room for it. */
const ROOM = new Set([NO_PLACE, PACK_FULL, SAME, UNREAD]);

export const emptyReport = (): DocumentReport => ({
  title: '',
  version: '',
  operations: 0,
  entities: [],
  classified: { list: 0, get: 0, create: 0, update: 0, delete: 0, search: 0, action: 0, unmapped: 0 },
  tools: 0,
  unmapped: [],
  scoped: [],
  refs: [],
});

export interface Built {
  services: readonly ServiceSpec[];
  /** Kind of every operation that is understood, by its label. */
  understood: ReadonlyMap<string, OperationKind>;
  /** Labels of the operations that became tools. */
  kept: ReadonlySet<string>;
  /** Service id by table name. */
  homes: ReadonlyMap<string, string>;
}

const toolsOn = (services: readonly ServiceSpec[], service: string | undefined, table: string): number => {
  const spec = services.find(({ id }) => id === service);
  return spec ? toolsOf(spec, table).length : 0;
};

const scopedParams = ({ sightings, index }: Understanding): string[] => {
  const all = sightings.flatMap(({ parents }) => parents.filter((one) => !index.byPlace(one.place)));
  return [...new Set(all.map((one) => one.param))].sort();
};

const READS = new Set<OperationKind | undefined>(['list', 'get', 'search']);

export const reportOf = (understanding: Understanding, built: Built, name: string): DocumentReport => {
  const { document, operations, entities, why, refs } = understanding;
  const { services, understood, kept, homes } = built;
  const report: DocumentReport = {
    ...emptyReport(),
    title: document.title || name,
    version: document.version,
    operations: operations.length,
    tools: services.reduce((sum, spec) => sum + Object.keys(spec.tools).length, 0),
    scoped: scopedParams(understanding),
    refs: refs.problems(),
  };
  for (const { label } of operations) {
    const kind = understood.get(label);
    const reason = why.get(label) ?? NO_PLACE;
    const fits = kept.has(label) || ROOM.has(reason);
    const mapped = fits ? kind : undefined;
    report.classified[mapped ?? 'unmapped']++;
    if (!kept.has(label))
      report.unmapped.push({ operation: label, why: reason, ...(mapped === undefined ? {} : { kind: mapped }) });
  }
  report.entities = entities.map(({ name: table, table: { noun, machine }, resource, columns }) => {
    const kinds = resource.sightings.flatMap(({ op }) => understood.get(op.label) ?? []);
    return {
      name: table,
      noun,
      schema: resource.schema,
      columns: columns.facts.size,
      key: columns.keyCol,
      fks: [...columns.facts.values()].filter(({ column }) => column.fk !== undefined).length,
      machine: machine !== undefined,
      tools: toolsOn(services, homes.get(table), table),
      stateful: kinds.some((kind) => READS.has(kind)) && kinds.some((kind) => !READS.has(kind)),
      service: homes.get(table),
    };
  });
  return report;
};
