/** The tool of each operation of one entity, by what the operation does. */
import type { Entity } from '../openapi/entities.js';
import { envelopeOf } from '../openapi/envelope.js';
import { relationTool } from '../openapi/relations.js';
import { renewTool } from '../openapi/renew.js';
import type { Sighting } from '../openapi/sightings.js';
import { countTool, deleteAllTool, singleTool } from '../openapi/single-tools.js';
import { tagTool } from '../openapi/tags.js';
import type { ToolContext } from '../openapi/tools.js';
import { COMPUTE } from '../openapi/verdict.js';
import { acknowledged } from './acknowledged.js';
import { adapted } from './adapt.js';
import type { Drafted, FaceDraft, Subject } from './draft.js';
import { type ListDraft, listDraft } from './lists.js';
import { memberDraft } from './members.js';
import { deleteDraft, getDraft, NO_ROW } from './rows.js';
import { writtenFields } from './sets.js';
import { createDraft, NO_FIELDS, updateDraft } from './writes.js';

export interface EntityDrafts {
  drafts: FaceDraft[];
  /** What is known of the lists among them until their steps are written out. */
  lists: Map<FaceDraft, ListDraft>;
}

const COMPUTED = 'it computes something, and nothing reads what it would keep';

const computes = ({ op }: Sighting): boolean => COMPUTE.test(`${op.path} ${op.id ?? ''}`);

type Note = (operation: string, why: string) => void;

const single = (subject: Subject): Drafted => {
  const { entity, sighting, context } = subject;
  const envelope =
    sighting.answer && !sighting.answer.many ? envelopeOf(sighting.answer, '$fields', context.schemas) : undefined;
  const tool = singleTool(entity, sighting, writtenFields(subject).fields, envelope);
  if (!tool) return sighting.kind === 'delete' ? 'the only thing of its kind is not deleted' : NO_FIELDS;
  return adapted(tool, subject, 'there is one of it, and its path says which');
};

const drafted = (subject: Subject): Drafted | ReturnType<typeof listDraft> => {
  const { entity, sighting, context } = subject;
  const keys = (table: string): string => context.index.byName(table)?.columns.keyCol ?? 'id';
  if (sighting.counts)
    return adapted(countTool(entity, sighting, keys), subject, 'it counts the rows of its collection');
  if (entity.resource.single === 'one') return single(subject);
  if (sighting.renews) {
    const tool = renewTool(entity, sighting, context.schemas);
    return tool ? adapted(tool, subject, 'it makes anew what another operation shows') : NO_FIELDS;
  }
  if (sighting.tag && sighting.kind !== 'list') {
    const tool = tagTool(entity, sighting);
    return tool ? adapted(tool, subject, 'it tags what another operation lists the tags of') : NO_FIELDS;
  }
  switch (sighting.kind) {
    case 'list':
    case 'search':
      return listDraft(subject);
    case 'get':
      return getDraft(subject);
    case 'create':
      return createDraft(subject);
    case 'update': {
      const draft = updateDraft(subject);
      return draft === NO_FIELDS ? acknowledged(subject) : draft;
    }
    default: {
      const draft = deleteDraft(subject);
      const all = draft === NO_ROW ? deleteAllTool(entity, sighting, keys) : undefined;
      return all ? adapted(all, subject, 'its path names whose rows go') : draft;
    }
  }
};

/** All operations of an entity but its actions; those that become nothing are noted with the reason. */
export const plainDrafts = (entity: Entity, context: ToolContext, note: Note): EntityDrafts => {
  const out: EntityDrafts = { drafts: [], lists: new Map() };
  const take = (sighting: Sighting, made: ReturnType<typeof drafted>): void => {
    if (typeof made === 'string') note(sighting.op.label, made);
    else {
      if ('list' in made) out.lists.set(made.draft, made.list);
      out.drafts.push('list' in made ? made.draft : made);
    }
  };
  const isRead = entity.resource.sightings.some(({ kind }) => kind === 'get' || kind === 'list' || kind === 'search');
  for (const sighting of entity.resource.sightings)
    if (sighting.kind !== 'action')
      take(sighting, !isRead && computes(sighting) ? COMPUTED : drafted({ entity, sighting, context }));
  for (const relation of entity.relations) {
    const tool = relationTool(entity, relation, context.schemas);
    const subject = { entity, sighting: relation.sighting, context };
    take(relation.sighting, tool ? adapted(tool, subject, 'it follows a reference of the row') : NO_ROW);
  }
  for (const membership of entity.memberships)
    for (const sighting of membership.group.sightings) {
      take(sighting, memberDraft(membership, { entity, sighting, context }));
    }
  return out;
};
