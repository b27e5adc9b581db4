/** Why a readable document yields no service: which of the known reasons, with the counts that show it. */
import { nextStep } from './refuse.js';
import type { DocumentReport, RefusalCode } from './types.js';
import type { Understanding } from './understand.js';

const MIN_OPERATIONS = 3;
/** Words of operations that work something out or sign in. */
export const COMPUTE =
  /auth|login|logout|token|oauth|session|signin|sign_in|calculat|convert|translat|predict|analy[sz]|generat|detect|validat|verif|render|estimat|score|classif|extract|recogni|parse|encode|decode|hash|encrypt|decrypt|sign\b|lookup|search|query|autocomplete|compute|embed|completion|transcri|summari/i;

export const whyNoService = (
  { document, operations, sightings }: Understanding,
  report: DocumentReport,
): NonNullable<DocumentReport['refused']> => {
  const writes = operations.filter(({ method }) => method !== 'get');
  const refuse = (code: RefusalCode, first: string): NonNullable<DocumentReport['refused']> => {
    const counts = new Map<string, number>();
    for (const { why } of report.unmapped) counts.set(why, (counts.get(why) ?? 0) + 1);
    const rest = [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 4)
      .map(([why, n]) => `${n} of ${operations.length}: ${why}.`);
    return { code, reasons: [first, ...rest], next: nextStep(code) };
  };
  if (operations.length === 0) return refuse('too_small', 'The document has no operations.');
  const lost = report.refs.filter(({ ref }) => ref.startsWith('#/') && !((ref.split('/')[1] ?? '') in document.root));
  if (lost.length > 0)
    return refuse(
      'truncated',
      `${lost.length} references such as ${lost[0]?.ref} lead to a part that is missing: the end seems cut off.`,
    );
  if (writes.length === 0)
    return refuse('get_only', `All ${operations.length} operations only read, so nothing could change.`);
  if (operations.length < MIN_OPERATIONS)
    return refuse(
      'too_small',
      `The document has ${operations.length} operation(s); a service needs at least ${MIN_OPERATIONS}.`,
    );
  if (writes.length === operations.length && writes.every(({ method }) => method === 'post'))
    return refuse('rpc_only', `All ${writes.length} operations are POST procedures; none reads a resource.`);
  const compute = writes.filter(({ path, id }) => COMPUTE.test(`${path} ${id ?? ''}`)).length;
  if (compute >= writes.length * 0.7)
    return refuse(
      'auth_or_compute_only',
      `${compute} of ${writes.length} writing operations sign in, compute or look up; none stores a thing.`,
    );
  const procedures = writes.filter((op) => !sightings.some((sighting) => sighting.op === op)).length;
  if (procedures > writes.length * 0.6)
    return refuse(
      'rpc_only',
      `${procedures} of ${writes.length} writing operations are procedures that name no resource.`,
    );
  const answered = operations.filter(({ answer }) => answer !== undefined).length;
  if (answered < operations.length * 0.5)
    return refuse('no_schemas', `Only ${answered} of ${operations.length} operations say what they answer.`);
  const writable = sightings.filter(
    ({ kind }) => kind === 'create' || kind === 'update' || kind === 'delete' || kind === 'action',
  ).length;
  if (writable === 0) return refuse('get_only', 'No operation writes a resource that another one reads.');
  return refuse('too_small', 'No resource has both an operation that reads it and one that writes it, with a key.');
};
