/** Compiles a matched verb into a tool whose effect is grounded in the columns, tables and arguments there are. */
import type { Refusal, Step, Value } from '../../artifacts/step.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Arg, Tool, Write } from '../../artifacts/tool.js';
import { addGround } from './added.js';
import { type Amounts, amountsOf } from './amount.js';
import { type Check, checksOf, childCounts } from './checks.js';
import { describe } from './describe.js';
import { historyOf } from './history.js';
import { familyOf } from './kind.js';
import { type Entry, lexicon, senseOf } from './load.js';
import { type MainRow, mainRow } from './main-row.js';
import { offeredArgs } from './offer.js';
import type { Scope } from './scope.js';
import { type Side, sidesOf, touched } from './sides.js';
import type { CompiledVerb, CompileRequest, Ground, VerbMatch } from './types.js';

const scopeOf = (entry: Entry, request: CompileRequest): Scope => ({
  tables: request.tables,
  tableName: request.table,
  table: request.tables[request.table] as Table,
  args: offeredArgs(entry.args, request.bodyArgs),
  isDocument: request.bodyArgs !== undefined,
  left: false,
  amount: false,
  derived: new Set(),
  settled: new Set(),
  used: new Set(),
});

/** Rule d: columns that the request body names, when the entry itself found nothing to write. */
const writeBody = (request: CompileRequest, row: MainRow, scope: Scope): void => {
  for (const [name, arg] of Object.entries(request.bodyArgs ?? {})) {
    const col = arg.col ?? name;
    const column = scope.table.cols[col];
    if (!column || col === scope.table.key.col || column.auto || Object.hasOwn(row.set, col)) continue;
    if (arg.type !== column.type || scope.used.has(name)) continue;
    row.set[col] = `$args.${name}`;
    row.grounds.add('body');
    scope.used.add(name);
  }
};

/** Whether the row's own state tells that the verb was done (rules a to c), or the body was written (d). */
const isGrounded = (row: MainRow): boolean =>
  ['status', 'flag', 'stamp', 'body'].some((ground) => row.grounds.has(ground as Ground));

interface Parts {
  entry: Entry;
  row: MainRow;
  amounts: Amounts;
  counts: Step[];
  checks: Check[];
  sides: Side[];
  later: Record<string, Value>;
}

/** Whether the word stands in an expression, not as a column's name. */
const speaksOf = (word: string, parts: unknown): boolean =>
  new RegExp(`\\b${word}\\b`).test(JSON.stringify(parts).replaceAll(/"\w+":|(row|it|args)\.\w+/g, ''));

/** `let` lines that the steps really speak of. */
const lets = ({ amounts, row, later, sides, checks }: Parts): Step[] => {
  const spoken = [row.set, later, sides, checks.map((check) => check.that)];
  const amount = amounts.amount !== undefined && speaksOf('amount', spoken) ? amounts.amount : undefined;
  const steps: Step[] = [];
  if (amounts.left !== undefined && speaksOf('left', [spoken, amount ?? '']))
    steps.push({ let: { left: amounts.left } });
  if (amount !== undefined) steps.push({ let: { amount } });
  return steps;
};

const not = (cel: string): string => (/^\S+ == (\S+|'[^']*')$/.test(cel) ? cel.replace(' == ', ' != ') : `!(${cel})`);

/** A call that finds its work done: nothing is written (same_row), an error, or it is done once more. */
const repeatOf = ({ entry, row }: Parts): { skip?: string; check?: Check } => {
  const { repeat } = entry.idempotent;
  if (row.already === undefined || repeat === 'again') return {};
  if (repeat === 'same_row') return { skip: not(row.already) };
  const reason = entry.typical_errors[repeat] ?? 'that has been done already';
  return {
    check: {
      that: not(row.already),
      error: repeat,
      message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    },
  };
};

const required = (checks: readonly Check[]): Step[] => (checks.length === 0 ? [] : [{ require: [...checks] }]);

const stepsOf = (parts: Parts, request: CompileRequest, scope: Scope): { steps: Step[]; result: string } => {
  const { key, noun } = scope.table;
  const { table, keyArg } = request;
  const where = (): Record<string, Value> => ({ [key.col]: `$row.${key.col}` });
  const missing = (): Refusal => ({
    error: 'not_found',
    message: `There is no ${noun} {args.${keyArg.name}}.`,
    field: keyArg.name,
  });
  const { skip, check } = repeatOf(parts);
  const { set } = parts.row;
  const isTouchedAgain =
    Object.keys(parts.later).length > 0 ||
    parts.sides.some((side) => side.writes.some((write) => write.table === table));
  const rereads = skip !== undefined || isTouchedAgain || Object.keys(set).length === 0;
  const work: Step[] = [...parts.counts, ...lets(parts), ...required(check ? [check, ...parts.checks] : parts.checks)];
  if (Object.keys(set).length > 0)
    work.push({ update: { table, where: where(), set, ...(rereads ? {} : { as: 'done' }) } });
  work.push(...parts.sides.flatMap((side) => side.steps));
  if (Object.keys(parts.later).length > 0) work.push({ update: { table, where: where(), set: parts.later } });
  const steps: Step[] = [
    { get: { table, where: { [key.col]: `$args.${keyArg.name}` }, as: 'row', else: missing() } },
    ...(skip === undefined ? work : [{ if: { that: skip, do: work } }]),
  ];
  // A verb that does no more than make another row of the kind answers with that row.
  const makesAnother = skip === undefined && scope.inserted === table && !parts.row.grounds.has('status');
  if (makesAnother) return { steps, result: 'new' };
  if (rereads) steps.push({ get: { table, where: where(), as: 'done', else: missing() } });
  return { steps, result: 'done' };
};

/** Writes by table, each column once: inserts and deletes stand apart from updated columns. */
const merged = (writes: readonly Write[]): Write[] => {
  const out = new Map<string, Write>();
  for (const write of writes) {
    const known: Write = out.get(write.table) ?? { table: write.table };
    if (write.cols) known.cols = [...new Set([...(known.cols ?? []), ...write.cols])];
    if (write.insert) known.insert = true;
    if (write.delete) known.delete = true;
    out.set(write.table, known);
  }
  return [...out.values()];
};

const argsOf = (request: CompileRequest, scope: Scope): Record<string, Arg> => {
  const { key } = scope.table;
  const { name, field } = request.keyArg;
  const keyArg: Arg = {
    type: scope.table.cols[key.col]?.type ?? 'text',
    role: 'key',
    col: key.col,
    ref: request.table,
    required: true,
    description: `Id of the ${scope.table.noun}.`,
    ...(field === undefined ? {} : { field }),
  };
  const args: Record<string, Arg> = { [name]: keyArg };
  for (const [own, arg] of Object.entries(request.bodyArgs ?? {})) if (own !== name) args[own] = arg;
  for (const offered of scope.args.values())
    if (scope.used.has(offered.name) && offered.name !== name) args[offered.name] = offered.arg;
  return args;
};

/** Codes of every refusal in the steps, with the lexicon's HTTP status. */
const errorsOf = (checks: readonly Check[], args: Record<string, Arg>): Record<string, number> => {
  const codes = ['not_found', ...checks.map((check) => check.error), 'invalid_argument'];
  const hasReference = Object.values(args).some((arg) => arg.role === 'input' && arg.ref !== undefined);
  const errors = Object.fromEntries([...new Set(codes)].map((code) => [code, lexicon().errors[code] ?? 409]));
  return hasReference ? { ...errors, invalid_reference: 422 } : errors;
};

/** Copies arguments before they are typed after columns, so that neither the request nor another compilation sees it. */
const fresh = (request: CompileRequest): CompileRequest =>
  request.bodyArgs ? { ...request, bodyArgs: structuredClone(request.bodyArgs) } : request;

/**
 * The tool for `match` on `request.table`, over columns and tables there are; columns that had to be added come beside it.
 * Undefined for a batch over many rows, an unknown table, and a verb of which nothing at all could be written.
 */
export const compileVerb = (match: VerbMatch, given: CompileRequest): CompiledVerb | undefined => {
  const request = fresh(given);
  const table = request.tables[request.table];
  if (match.many || table === undefined || table.cols[table.key.col] === undefined) return undefined;
  const entry = senseOf(lexicon().entry(match.verb), match.sense);
  const scope = scopeOf(entry, request);
  const amounts = amountsOf(entry, scope);
  const toolVerb = request.toolId.split('.')[1] as string;
  const row = mainRow(entry, match, toolVerb, scope);
  if (!isGrounded(row)) writeBody(request, row, scope);
  const sides = match.reversed ? [] : sidesOf(entry.side_rows, scope);
  if (sides.length > 0) row.grounds.add('side');
  const added = row.grounds.size === 0 ? addGround(entry, match, row, scope) : {};
  if (Object.keys(added).length > 0) row.grounds.add('added');
  if (row.grounds.size === 0) return undefined;
  const later = laterOf(row, scope);
  const { steps: counts, reads: counted } = childCounts(entry, scope);
  if (counts.length > 0) scope.derived = new Set(['open_children']);
  if (!speaksOf('amount', [row.set, sides])) scope.amount = false;
  const checks = match.reversed ? checksOf({ ...entry, precondition: {} }, row, scope) : checksOf(entry, row, scope);
  const history = historyOf(toolVerb, row, scope);
  if (history) sides.push(history);
  const parts: Parts = { entry, row, amounts, counts, checks, sides, later };
  const { check } = repeatOf(parts);
  noteAmount(parts, scope);
  const args = argsOf(request, scope);
  const { steps, result } = stepsOf(parts, request, scope);
  const cols = [...new Set([...Object.keys(row.set), ...Object.keys(later)])];
  const writes: Write[] = cols.length > 0 ? [{ table: request.table, cols: [...cols, ...touched(table)] }] : [];
  const kind = entry.on.includes(match.kind) ? match.kind : (familyOf(match.kind) ?? match.kind);
  const tool: Tool = {
    id: request.toolId,
    op: 'action',
    table: request.table,
    description: request.description?.trim() || describe(match.word, row, scope),
    args,
    steps,
    returns: { row: result, table: request.table },
    errors: errorsOf(check ? [check, ...checks] : checks, args),
    reads: [...new Set([request.table, ...counted, ...sides.flatMap((side) => side.reads)])],
    writes: merged([...writes, ...sides.flatMap((side) => side.writes)]),
    provenance: {
      tier: 'lexicon',
      effect: `lexicon:${match.verb}@${kind}`,
      ...(request.operation === undefined ? {} : { operation: request.operation }),
      ...(row.grounds.has('added') ? { note: `added: ${Object.keys(added).join(', ')}` } : {}),
    },
  };
  return {
    tool,
    addedColumns: Object.keys(added).length > 0 ? { [request.table]: added } : {},
    grounds: [...row.grounds],
  };
};

/** Lines of the main row that name a row inserted beside it. */
const laterOf = (row: MainRow, scope: Scope): Record<string, Value> => {
  const out: Record<string, Value> = {};
  for (const [col, line] of Object.entries(row.later)) {
    const inserted = scope.inserted;
    const column = scope.table.cols[col] as Column;
    if (inserted === undefined || line !== 'new.id') continue;
    const key = (scope.tables[inserted] as Table).key.col;
    const fits =
      column.type === scope.tables[inserted]?.cols[key]?.type && (column.fk === undefined || column.fk === inserted);
    if (fits) out[col] = `$new.${key}`;
  }
  return out;
};

/** The amount's argument belongs to the tool when its `let` stands in the steps. */
const noteAmount = (parts: Parts, scope: Scope): void => {
  const { arg } = parts.amounts;
  const isUsed = lets(parts).some((step) => 'let' in step && Object.hasOwn(step.let, 'amount'));
  if (arg !== undefined && isUsed) scope.used.add(arg);
};
