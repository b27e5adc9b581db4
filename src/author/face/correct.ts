/** Corrections of a face: what a person says of operations, tables and tools, applied each time the document is read. */
import type { Binding, Face, FaceAnswer } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';
import { type HttpOperation, httpOperations } from '../../document/http.js';
import type { ParsedDocument } from '../../document/parse.js';
import { refsOf } from '../../document/refs.js';
import { nearNames } from '../../kit/near.js';
import { type Schemas, schemasOf } from '../openapi/schema.js';
import { applyOverrides } from '../overrides/apply.js';
import { giveEffect } from '../overrides/effect.js';
import { tableNamed } from '../overrides/names.js';
import { badOverrides, type OperationChange, type Overrides } from '../overrides/read.js';
import { inputsOf, toolByHand } from './by-hand.js';

interface Work {
  spec: ServiceSpec;
  bindings: Map<string, Binding>;
  dropped: Set<string>;
  operations: ReadonlyMap<string, HttpOperation>;
  schemas: Schemas;
  problems: string[];
}

const BY_HAND = 'said in overrides';

/** The operation meant: as written, or but for its case and spaces. */
const operationNamed = ({ operations }: Work, given: string): HttpOperation | string => {
  const plain = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();
  const found =
    operations.get(given) ??
    [...operations.values()].find((one) => plain(one.label) === plain(given) || one.id === given);
  if (found) return found;
  return `no operation is called ${given}; near it: ${nearNames(given, [...operations.keys()]).join(', ')}`;
};

const answerOf = ({ returns }: Tool): FaceAnswer => {
  if (returns?.row !== undefined) return { kind: 'row', path: [] };
  if (returns?.rows !== undefined) return { kind: 'rows', path: [] };
  return { kind: returns?.value === undefined ? 'done' : 'value', path: [] };
};

/** The table that an operation by hand is about: the one said, or the first that its steps speak of. */
const tableFor = (w: Work, { table, steps = [] }: OperationChange): string | undefined => {
  if (table !== undefined) {
    const found = tableNamed(table, [w.spec]);
    if (typeof found !== 'string') return found.name;
    w.problems.push(found);
    return undefined;
  }
  const spoken = JSON.stringify(steps).match(/"table":"(\w+)"/)?.[1];
  return spoken ?? undefined;
};

const bySteps = (w: Work, http: HttpOperation, change: OperationChange, steps: readonly Step[]): void => {
  const table = tableFor(w, change);
  if (table === undefined || !Object.hasOwn(w.spec.tables, table)) {
    if (change.table === undefined) w.problems.push(`operation ${http.label}: say which table it is about`);
    return;
  }
  const old = w.bindings.get(http.label)?.tool;
  const { [old ?? '']: _, ...tools } = w.spec.tools;
  const inputs = inputsOf(http, w.schemas);
  const { name, tool } = toolByHand({ ...w.spec, tools }, { http, table, steps, returns: change.returns, inputs });
  w.spec = { ...w.spec, tools: { ...tools, [name]: tool } };
  const answer = { ...answerOf(tool), ...keyOf(w.spec, tool) };
  w.bindings.set(http.label, {
    operation: http.label,
    tool: name,
    args: inputs.origins,
    answer,
    tier: 'spec',
    evidence: BY_HAND,
  });
};

const keyOf = (spec: ServiceSpec, tool: Tool): { key?: string[] } => {
  const table = spec.tables[tool.returns?.table ?? tool.table];
  const field = table?.cols[table.key.col]?.field ?? table?.key.col;
  return field === undefined || table?.cols[table.key.col]?.hidden ? {} : { key: field.split('.') };
};

/** Looks up the row that the last parameter of the path names. */
const rowSteps = (w: Work, http: HttpOperation, table: string): Step[] | undefined => {
  const inputs = inputsOf(http, w.schemas);
  const last = inputs.origins.filter(({ in: place }) => place === 'path').at(-1);
  const [arg] = Object.entries(inputs.args).find(([name, { field }]) => (field ?? name) === last?.to.join('.')) ?? [];
  const key = w.spec.tables[table]?.key.col;
  if (arg === undefined || key === undefined) return undefined;
  return [{ get: { table, where: { [key]: `$args.${arg}` }, as: 'row', else: { error: 'not_found', field: arg } } }];
};

/** A verb needs a tool that names a row: where nothing was bound, one that only looks it up comes first. */
const byVerb = (w: Work, http: HttpOperation, change: OperationChange, verb: string): void => {
  if (!w.bindings.has(http.label) || change.table !== undefined) {
    const table = tableFor(w, change);
    const steps = table === undefined ? undefined : rowSteps(w, http, table);
    if (!steps) {
      w.problems.push(`operation ${http.label}: say which table its path names a row of`);
      return;
    }
    bySteps(w, http, { ...change, returns: { row: 'row' } }, steps);
    const made = w.bindings.get(http.label);
    const tool = made && w.spec.tools[made.tool];
    const [arg] = /args\.(\w+)/.exec(JSON.stringify(steps))?.slice(1) ?? [];
    if (!made || !tool || arg === undefined) return;
    const args = {
      ...tool.args,
      [arg]: {
        ...(tool.args[arg] as Tool['args'][string]),
        role: 'key' as const,
        col: w.spec.tables[tool.table]?.key.col as string,
      },
    };
    w.spec = { ...w.spec, tools: { ...w.spec.tools, [made.tool]: { ...tool, args } } };
  }
  const binding = w.bindings.get(http.label) as Binding;
  const next = giveEffect(w.spec, binding.tool, verb);
  if (typeof next === 'string') {
    w.problems.push(next);
    return;
  }
  w.spec = next;
};

const operation = (w: Work, given: string, change: OperationChange): void => {
  const http = operationNamed(w, given);
  if (typeof http === 'string') {
    w.problems.push(http);
    return;
  }
  const { effect, steps, drop } = change;
  if ([effect, steps, drop].filter((one) => one !== undefined).length !== 1) {
    w.problems.push(`operation ${http.label}: give one of effect, steps and drop`);
    return;
  }
  if (effect !== undefined) byVerb(w, http, change, effect);
  else if (steps !== undefined) bySteps(w, http, change, steps);
  else {
    const tool = w.bindings.get(http.label)?.tool;
    if (tool !== undefined)
      w.spec = { ...w.spec, tools: Object.fromEntries(Object.entries(w.spec.tools).filter(([name]) => name !== tool)) };
    w.dropped.add(http.label);
    w.bindings.delete(http.label);
  }
};

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Operations that a machine says move a row. */
const moves = (w: Work, overrides: Overrides): void => {
  for (const [given, { machine }] of Object.entries(overrides.tables ?? {})) {
    const found = machine ? tableNamed(given, [w.spec]) : undefined;
    if (!machine || typeof found !== 'object') continue;
    for (const { by, from, to } of machine.moves) {
      const http = by === undefined ? undefined : operationNamed(w, by);
      if (typeof http === 'string') w.problems.push(http);
      if (typeof http !== 'object') continue;
      const look = rowSteps(w, http, found.name);
      const table = w.spec.tables[found.name];
      const col = Object.keys(table?.cols ?? {}).find(
        (name) => name === machine.column || table?.cols[name]?.field === machine.column,
      );
      if (!look || !table || col === undefined) {
        w.problems.push(`operation ${http.label} names no row of ${found.name}`);
        continue;
      }
      const that = `row.${col} in [${from.map(quoted).join(', ')}]`;
      const steps: Step[] = [
        ...look,
        { require: [{ that, error: 'invalid_state', message: `It is {row.${col}}; it must be ${from.join(' or ')}` }] },
        {
          update: {
            table: found.name,
            where: { [table.key.col]: `$row.${table.key.col}` },
            set: { [col]: quoted(to) },
            as: 'moved',
          },
        },
      ];
      bySteps(w, http, { table: found.name, returns: { row: 'moved' } }, steps);
    }
  }
};

/** Bindings of tools that the corrections renamed, changed or dropped: each tool knows its operation. */
const rebound = (w: Work, spec: ServiceSpec): Binding[] => {
  const byOperation = new Map(
    Object.entries(spec.tools).map(([name, tool]) => [tool.provenance.operation, { name, tool }] as const),
  );
  return [...w.bindings.values()].flatMap((binding) => {
    const found = byOperation.get(binding.operation);
    if (!found) {
      w.dropped.add(binding.operation);
      return [];
    }
    const { name, tool } = found;
    const fields = new Set(Object.entries(tool.args).map(([arg, { field }]) => field ?? arg));
    const args = binding.args.filter(({ to }) => fields.has(to.join('.')));
    const isByHand = tool.provenance.note === 'effect set by overrides';
    const answer = isByHand ? { ...answerOf(tool), ...keyOf(spec, tool) } : binding.answer;
    const evidence = isByHand ? { evidence: `${BY_HAND}: ${tool.provenance.effect ?? 'a verb'}` } : {};
    return [{ ...binding, tool: name, args, answer, tier: tool.provenance.tier, ...evidence }];
  });
};

/**
 * The service and its face as a person corrects them. Throws `bad_overrides` with every entry that names nothing (and what is near it)
 * or cannot be applied.
 */
export const correctFace = (
  document: ParsedDocument,
  { spec, face }: { spec: ServiceSpec; face: Face },
  overrides: Overrides,
): { spec: ServiceSpec; face: Face } => {
  const refs = refsOf(document.root);
  const operations = new Map(httpOperations(document.root, refs).map((one) => [one.label, one]));
  const bindings = new Map(face.bindings.map((binding) => [binding.operation, binding]));
  const w: Work = { spec, bindings, dropped: new Set(), operations, schemas: schemasOf(refs), problems: [] };
  moves(w, overrides);
  for (const [given, change] of Object.entries(overrides.operations ?? {})) operation(w, given, change);
  if (w.problems.length > 0)
    throw badOverrides(w.problems, 'Correct the entry: `treadle explain DOCUMENT` shows operations, tables and tools.');
  const isSame = w.spec === spec;
  const services = isSame
    ? overrides.services
    : { ...overrides.services, [spec.id]: { ...overrides.services?.[spec.id] } };
  const [corrected = w.spec] = applyOverrides([w.spec], { ...overrides, ...(services ? { services } : {}) });
  const kept = rebound(w, corrected);
  const bound = new Set(kept.map((binding) => binding.operation));
  const unbound = [
    ...face.unbound.filter((one) => !bound.has(one.operation)),
    ...[...w.dropped]
      .filter((label) => !bound.has(label))
      .map((label) => ({ operation: label, why: 'dropped in overrides' })),
  ];
  return { spec: corrected, face: { ...face, bindings: kept, unbound } };
};
