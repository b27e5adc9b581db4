/** Compiles a domain verb into an action: precondition, effect and side rows as steps. */
import type { Refusal, Requirement, Step, Value } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { spaced, withArticle } from '../../kit/words.js';
import type { DraftVerb } from './archetype.js';
import { columnArg, createArgs, keyArgs } from './args.js';
import { readColumn } from './column.js';
import { contractOf } from './contract.js';
import type { CompiledTable } from './table.js';

const STATUS: Record<string, number> = {
  not_found: 404,
  invalid_state: 409,
  conflict: 409,
  duplicate: 409,
  forbidden: 403,
  limit_reached: 409,
  not_available: 409,
  in_use: 409,
};

const quoted = (text: string): string => `'${text}'`;
const said = (values: string[]): string => values.map((value) => value.replaceAll('_', ' ')).join(' or ');

/** `assignee_email! note`: columns the caller writes, `!` for the ones that must be given. */
const puts = (put: string | undefined): { col: string; required: boolean }[] =>
  (put ?? '')
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => ({ col: word.replace(/[!?]$/, ''), required: word.endsWith('!') }));

const inputArg = (text: string): Arg => {
  const { column, mandatory } = readColumn(text);
  return {
    type: column.type,
    role: 'input',
    ...(mandatory ? { required: true } : {}),
    ...(column.fk ? { ref: column.fk } : {}),
    ...(column.enum ? { enum: column.enum } : {}),
    ...(column.default !== undefined ? { default: column.default } : {}),
    ...(column.min !== undefined ? { min: column.min } : {}),
    ...(column.max !== undefined ? { max: column.max } : {}),
    ...(column.maxLength ? { maxLength: column.maxLength } : {}),
    ...(column.format ? { format: column.format } : {}),
  };
};

const argsOf = (table: CompiledTable, verb: DraftVerb): Record<string, Arg> => {
  const args: Record<string, Arg> = verb.new ? {} : keyArgs(table);
  if (verb.new && verb.put === undefined) Object.assign(args, createArgs(table));
  for (const { col, required } of puts(verb.put))
    if (table.cols[col]) args[col] = columnArg(table, col, 'input', required);
  for (const [name, text] of Object.entries(verb.args ?? {})) args[name] = inputArg(text);
  for (const arg of Object.values(args)) if (arg.role === 'set') arg.role = 'input';
  return args;
};

const looks = (table: CompiledTable, verb: DraftVerb): Step[] =>
  (verb.look ?? []).map((col) => {
    const input = verb.args?.[col];
    const owner = input ? readColumn(input).column.fk : table.table.cols[col]?.fk;
    if (!owner) throw new Error(`${table.name}: ${col} is no foreign key`);
    const from = verb.new || input ? `$args.${col}` : `$row.${col}`;
    const refusal: Refusal = { error: 'not_found', message: `No such ${spaced(owner)}.`, field: col };
    return { get: { table: owner, where: { id: from }, as: col.replace(/_id$/, ''), else: refusal } };
  });

const counts = (verb: DraftVerb): Step[] =>
  Object.entries(verb.count ?? {}).map(([name, { table, where }]) => ({
    find: {
      table,
      where: Object.entries(where).map(([col, value]) => ({ col, op: 'eq' as const, value })),
      limit: 1,
      as: `${name}_rows`,
      total: name,
    },
  }));

const requirements = (table: CompiledTable, verb: DraftVerb): Requirement[] => {
  const out: Requirement[] = [];
  if (verb.from && !verb.new && table.statusCol)
    out.push({
      that: `row.${table.statusCol} in [${verb.from.map(quoted).join(', ')}]`,
      error: 'invalid_state',
      message: `Only possible while the ${table.table.noun} is ${said(verb.from)}; it is {row.${table.statusCol}}.`,
    });
  for (const [that, error, message] of verb.require ?? []) out.push({ that, error, message });
  return out;
};

const written = (table: CompiledTable, verb: DraftVerb): Record<string, Value> => {
  const set: Record<string, Value> = {};
  if (verb.new && verb.put === undefined) for (const col of Object.keys(createArgs(table))) set[col] = `$args.${col}`;
  for (const { col } of puts(verb.put)) if (table.cols[col]) set[col] = `$args.${col}`;
  for (const [col, value] of Object.entries(verb.set ?? {})) if (table.table.cols[col]) set[col] = value;
  if (verb.to && table.statusCol) set[table.statusCol] = quoted(verb.to);
  if (verb.stamp) set[verb.stamp] = '$now';
  return set;
};

/** The steps of a verb, in order: read, check, write, side effects. */
export const verbSteps = (table: CompiledTable, verb: DraftVerb): Step[] => {
  const steps: Step[] = [];
  if (!verb.new)
    steps.push({
      get: {
        table: table.name,
        where: { id: '$args.id' },
        as: 'row',
        else: { error: 'not_found', message: `No such ${table.table.noun}.`, field: 'id' },
      },
    });
  steps.push(...looks(table, verb), ...counts(verb), ...(verb.before ?? []));
  const required = requirements(table, verb);
  if (required.length > 0) steps.push({ require: required });
  const set = written(table, verb);
  if (verb.new) steps.push({ insert: { table: table.name, set, as: 'done' } });
  else if (Object.keys(set).length > 0)
    steps.push({ update: { table: table.name, where: { id: '$row.id' }, set, as: 'done' } });
  else steps.push({ get: { table: table.name, where: { id: '$row.id' }, as: 'done' } });
  steps.push(...(verb.after ?? []));
  return steps;
};

/** What the workspace answers to a wrong path. */
const FILE_CODES = ['not_found', 'conflict', 'too_large'];

const codesOf = (steps: Step[]): string[] =>
  steps.flatMap((step) => {
    if ('get' in step) return step.get.else ? [step.get.else.error] : [];
    if ('require' in step) return step.require.map(({ error }) => error);
    if ('if' in step) return codesOf(step.if.do);
    if ('file' in step) return FILE_CODES;
    return 'each' in step ? codesOf(step.each.do) : [];
  });

const describe = (table: CompiledTable, name: string, verb: DraftVerb): string => {
  const { noun } = table.table;
  if (verb.says) return verb.says;
  const words = spaced(name);
  const head = `${words.charAt(0).toUpperCase()}${words.slice(1)} ${withArticle(noun)}`;
  const from = verb.from ? ` that is ${said(verb.from)}` : '';
  return `${head}${from}${verb.to ? `; it becomes ${verb.to.replaceAll('_', ' ')}` : ''}.`;
};

/** The action tool of one verb and its canonical name. */
export const verbTool = (
  table: CompiledTable,
  name: string,
  verb: DraftVerb,
  archetype: string,
  tables: Record<string, CompiledTable>,
): [string, Tool] => {
  const steps = verbSteps(table, verb);
  const errors: Record<string, number> = { invalid_argument: 422 };
  for (const code of codesOf(steps)) errors[code] = STATUS[code] ?? 422;
  return [
    `${table.name}_${name}`,
    {
      id: `${table.name}.${name}`,
      op: 'action',
      table: table.name,
      description: describe(table, name, verb),
      args: argsOf(table, verb),
      steps,
      returns: verb.returns ? { value: verb.returns } : { row: 'done' },
      errors,
      ...contractOf(steps, Object.fromEntries(Object.entries(tables).map(([id, each]) => [id, each.table]))),
      provenance: { tier: 'catalogue', effect: `catalogue:${archetype}.${table.name}.${name}` },
    },
  ];
};
