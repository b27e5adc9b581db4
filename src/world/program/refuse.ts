/** Errors that steps raise on purpose. */
import type { Refusal } from '../../artifacts/step.js';
import { styled } from '../surface/naming.js';
import { AgentError } from '../surface/value.js';
import { columnCodec } from '../surface/values.js';
import type { Run } from './run.js';
import { type Scope, stepTable } from './scope.js';
import { compileMessage, refusalField, shownArg } from './show.js';
import type { Where } from './where.js';

/** The message of a row that is not there: which, by which column and value. */
const notFound = (scope: Scope, tableName: string, where: Where): ((run: Run) => string) => {
  const { surface } = scope.site.spec;
  const table = stepTable(scope, tableName);
  const parts = where.targets.map(({ name, column, value, read }) => {
    const label = value.arg === undefined ? (column.field ?? styled(surface.fields, name)) : shownArg(scope, value.arg);
    const codec = columnCodec(scope.site.spec, column, table);
    return (run: Run): string => {
      const found = read(run);
      const encoded = found === undefined || found === null ? found : codec.encode(found);
      return `${label} ${typeof encoded === 'string' ? `'${encoded}'` : JSON.stringify(encoded ?? null)}`;
    };
  });
  return (run) => `There is no ${table.noun} with ${parts.map((part) => part(run)).join(' and ')}`;
};

/** Raises the refusal of a get that found nothing. */
export const compileAbsence = (
  scope: Scope,
  table: string,
  where: Where,
  refusal: Refusal,
): ((run: Run) => AgentError) => {
  const message =
    refusal.message === undefined ? notFound(scope, table, where) : compileMessage(scope, refusal.message);
  const arg = where.targets.find(({ value }) => value.arg !== undefined)?.value.arg;
  const field = refusalField(scope, refusal.field) ?? (arg === undefined ? undefined : shownArg(scope, arg));
  return (run) => new AgentError(refusal.error, message(run), field);
};
