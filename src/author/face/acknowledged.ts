/**
 * Operations on a row whose effect nothing tells. Where the body names columns of the row, it writes them; else the row must be there
 * and nothing changes: a caller at least learns whether what it names exists. The latter is invented, and marked so.
 */
import type { Step } from '../../artifacts/step.js';
import { snake } from '../../kit/words.js';
import type { BodyField } from '../openapi/columns.js';
import { fieldsOf } from '../openapi/fields.js';
import { identifier } from '../openapi/names.js';
import { oneRow, type Shown, showsRow } from './answers.js';
import { type Drafted, draftOf, type Subject } from './draft.js';
import { noInputs } from './inputs.js';
import { addKey, NO_ROW, theRow } from './rows.js';
import { scopeOf } from './scope.js';
import { updateDraft } from './writes.js';

const READS_PART = 'reads a part or a computed view of one thing';

/** Fields of the body that are columns of the row under the same name. */
const namedColumns = ({ entity, sighting: { body }, context }: Subject): { fields: BodyField[]; all: boolean } => {
  if (!body || body.many) return { fields: [], all: false };
  const fields: BodyField[] = [];
  const written = fieldsOf(body.item, context, body.path);
  for (const field of written) {
    const name = field.path.slice(body.path.length).map(snake).join('_');
    const col = identifier(name, 'field');
    const fact = entity.columns.facts.get(col);
    if (fact && col !== entity.columns.keyCol && !fact.column.auto && !fields.some((one) => one.col === col))
      fields.push({ field, name, col });
  }
  return { fields, all: fields.length > 0 && fields.length === written.length };
};

export const acknowledged = (subject: Subject): Drafted => {
  const { entity, sighting } = subject;
  const isShown = showsRow(subject);
  const { fields, all } = namedColumns(subject);
  if (fields.length > 0 && (isShown || all)) {
    entity.columns.bodies.set(sighting.op.label, fields);
    const draft = updateDraft(subject);
    if (typeof draft !== 'string') return { ...draft, evidence: 'its body names columns of the row' };
  }
  // What a read shows of a row besides itself is not kept: it is answered from examples.
  if (sighting.op.method === 'get' && !isShown) return READS_PART;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const key = addKey(inputs, subject);
  if (!key) return NO_ROW;
  const steps: Step[] = [...scope.steps, ...theRow(subject, key, scope)];
  const shown: Shown = isShown
    ? oneRow(subject, 'row')
    : { answer: { kind: 'done', path: [] }, returns: { done: true } };
  const draft = draftOf(
    subject,
    { op: 'action', steps, reads: [...scope.reads, entity.name], writes: [], inputs, shown },
    {
      verb: identifier(sighting.words.find(Boolean) ?? 'act', 'act', 30),
      evidence: 'nothing tells what it changes: the row it names must be there, and stays as it is',
    },
  );
  return { ...draft, tool: { ...draft.tool, provenance: { ...draft.tool.provenance, tier: 'synthetic' } } };
};
