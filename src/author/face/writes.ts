/** Tools that make or change one row. */
import type { Step, Value } from '../../artifacts/step.js';
import { oneRow } from './answers.js';
import { besideKey } from './beside.js';
import { bulkDraft } from './bulk.js';
import { type Drafted, draftOf, type Subject } from './draft.js';
import { noInputs } from './inputs.js';
import { addKey, type Key, NO_ROW, theRow } from './rows.js';
import { type Scope, scopeOf } from './scope.js';
import { addSets, type Sets } from './sets.js';

export const NO_FIELDS = 'its body has no fields to write';

export const createDraft = (subject: Subject): Drafted => {
  const { entity, sighting } = subject;
  if (sighting.body?.many) return bulkDraft(subject, 'create');
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'create');
  const { set, steps: made } = addSets(inputs, subject, 'create', new Set(Object.keys(scope.held)));
  const isEmpty = Object.keys(set).length === 0 && Object.keys(scope.held).length === 0;
  // A body of nothing but what the service writes makes a row all the same.
  const isServed = entity.columns.bodies.get(sighting.op.label)?.some(({ field }) => field.readOnly) === true;
  if (isEmpty && sighting.op.body !== undefined && !isServed) return NO_FIELDS;
  const insert: Step = { insert: { table: entity.name, set: { ...set, ...scope.held }, as: 'row' } };
  return draftOf(
    subject,
    {
      op: 'create',
      steps: [...scope.steps, ...made, insert],
      reads: [...scope.reads],
      writes: [{ table: entity.name, insert: true }],
      inputs,
      shown: oneRow(subject, 'row'),
    },
    { verb: 'create', evidence: 'it writes what the reads of its collection show' },
  );
};

/** A PUT makes the row where nothing else does: parts of a row, and rows that callers name. A part and an upload are made by POST too. */
const makesRows = ({ entity, sighting }: Subject, isBare: boolean): boolean =>
  (sighting.op.method === 'put' || ((isBare || entity.resource.single === 'part') && sighting.op.method === 'post')) &&
  (entity.resource.single === 'part' ||
    (entity.key.type === 'text' && !entity.resource.sightings.some(({ kind }) => kind === 'create')));

/** The row that a part belongs to must be there. */
const ownerThere = ({ entity, sighting, context }: Subject, { arg, value }: Key): Step[] => {
  const owner = sighting.owner?.place ? context.index.byPlace(sighting.owner.place) : undefined;
  if (
    entity.resource.single !== 'part' ||
    !owner ||
    entity.columns.facts.get(entity.columns.keyCol)?.column.fk !== owner.name
  )
    return [];
  const message = `There is no ${owner.table.noun} {args.${arg}}.`;
  const where = { [owner.columns.keyCol]: value };
  return [{ get: { table: owner.name, where, as: 'owner', else: { error: 'not_found', message, field: arg } } }];
};

/** The same steps whether or not the row is there yet. What must be converted first is written by the update that follows. */
const upsert = (subject: Subject, key: Key, scope: Scope, sets: Sets): Step[] => {
  const { name: table, columns } = subject.entity;
  const plain = Object.entries(sets.set).filter(([, value]) => !String(value).startsWith('$made_'));
  const fresh: Record<string, Value> = { ...Object.fromEntries(plain), ...scope.held, [columns.keyCol]: key.value };
  return [
    ...key.steps,
    ...ownerThere(subject, key),
    { get: { table, where: { [columns.keyCol]: key.value }, as: 'known' } },
    { if: { that: 'known == null', do: [{ insert: { table, set: fresh } }] } },
  ];
};

/** A column that is written as it is: a body that says nothing changes nothing, and is no error. */
const stays = ({ entity }: Subject, set: Record<string, Value>): Record<string, Value> => {
  const { keyCol, facts } = entity.columns;
  const free = [...facts.keys()].find((name) => name !== keyCol && !Object.hasOwn(set, name));
  return free === undefined ? {} : { [free]: `$row.${free}` };
};

export const updateDraft = (subject: Subject): Drafted => {
  const { entity, sighting } = subject;
  if (sighting.body?.many) return bulkDraft(subject, 'update');
  const table = entity.name;
  const { keyCol } = entity.columns;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const key = addKey(inputs, subject);
  if (!key) return NO_ROW;
  const beside = besideKey(inputs, subject);
  const sets = addSets(inputs, subject, 'update', new Set([...Object.keys(scope.held), ...beside.cols]));
  const { set } = sets;
  const isBare = Object.keys(set).length === 0;
  const makes = makesRows(subject, isBare) && key.col === keyCol && key.steps.length === 0;
  if (isBare && !makes) return NO_FIELDS;
  const look = theRow(subject, key, scope);
  const steps: Step[] = [
    ...scope.steps,
    ...(makes ? [...upsert(subject, key, scope, sets), ...look.slice(key.steps.length)] : look),
    ...beside.steps,
    ...sets.steps,
    {
      update: { table, where: { [keyCol]: `$row.${keyCol}` }, set: { ...set, ...stays(subject, set) }, as: 'changed' },
    },
  ];
  const owners = makes ? ownerThere(subject, key).flatMap((step) => ('get' in step ? [step.get.table] : [])) : [];
  return draftOf(
    subject,
    {
      op: 'update',
      steps,
      reads: [...scope.reads, table, ...owners],
      writes: [
        { table, cols: Object.keys({ ...set, ...stays(subject, set) }), ...(makes ? { insert: true as const } : {}) },
      ],
      inputs,
      shown: oneRow(subject, 'changed'),
    },
    {
      verb: 'update',
      evidence: makes
        ? 'its path names the row, and nothing else makes it'
        : 'its path names the row and its body the columns',
    },
  );
};
