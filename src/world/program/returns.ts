/** What a tool hands back: the bound value it names, in canonical and in surface form. */
import type { Returns, Tool } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Row } from '../state/types.js';
import { type AnswerView, answerView } from '../surface/answer.js';
import { styled } from '../surface/naming.js';
import { columnCodec } from '../surface/values.js';
import type { Bound, Run } from './run.js';
import { defect, type Kind, type Scope, stepColumn } from './scope.js';
import type { Canonical } from './types.js';
import { type CompiledValue, compileValue } from './value.js';

export interface Answer {
  canonical: Canonical;
  result: Json;
}
export type Answering = (run: Run) => Answer;

const bound = (scope: Scope, name: string, wanted: Kind['is'], table: string): number => {
  const found = scope.names.get(name);
  if (!found) throw defect(scope, 'bad_steps', `returns names ${name}, which nothing binds`);
  const { kind, slot, reads } = found;
  reads?.add('*');
  if (kind.is !== 'free' && (kind.is !== wanted || ((kind.is === 'row' || kind.is === 'rows') && kind.table !== table)))
    throw defect(scope, 'bad_steps', `returns names ${name}, which is no ${wanted} of ${table}`, 'Set returns.table.');
  return slot;
};

const surfaceJson = (value: Bound): Json => {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((item) => surfaceJson(item as Bound));
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, surfaceJson(item)]));
  return value;
};

/** How a computed value is shown: by its column's codec where it is like one. */
const shower = (scope: Scope, { kind, column }: CompiledValue): ((value: Bound) => Json) => {
  const bool = kind.is === 'scalar' && kind.scalar === 'bool';
  if (bool) return (value) => (value === null || value === undefined ? null : value === true || value === 1);
  if ((kind.is !== 'scalar' && kind.is !== 'free') || !column) return surfaceJson;
  const codec = columnCodec(scope.site.spec, column);
  return (value) => (typeof value === 'number' || typeof value === 'string' ? codec.encode(value) : surfaceJson(value));
};

const compileValues = (
  scope: Scope,
  values: NonNullable<Returns['value']>,
): { [name: string]: { value: CompiledValue; show: (value: Bound) => Json } } =>
  Object.fromEntries(
    Object.entries(values).map(([name, source]) => {
      const value = compileValue(scope, source);
      return [name, { value, show: shower(scope, value) }];
    }),
  );

/** The argument that is the key of the tool's row: what `$key` is when nothing else is returned. */
const keyArg = (scope: Scope, tool: Tool): string | undefined =>
  Object.keys(tool.args).find((name) => tool.args[name]?.role === 'key') ??
  Object.keys(tool.args).find((name) => tool.args[name]?.ref === tool.table && scope.site.args.has(name));

/** Compiles what a tool returns. Throws `bad_steps` or `unknown_column`. */
export const compileReturns = (scope: Scope, tool: Tool & { returns: Returns }): Answering => {
  const { returns } = tool;
  const table = returns.table ?? tool.table;
  for (const col of returns.cols ?? []) stepColumn(scope, table, col);
  let made: AnswerView | undefined;
  const view = (): AnswerView => {
    made ??= answerView(scope.site.spec, table, returns);
    return made;
  };
  if (returns.row !== undefined) {
    const slot = bound(scope, returns.row, 'row', table);
    return (run) => {
      const row = run.slots[slot] as Row | null;
      return { canonical: { kind: 'row', row: row ?? {}, table }, result: view().row(row) };
    };
  }
  if (returns.rows !== undefined) {
    const slot = bound(scope, returns.rows, 'rows', table);
    return (run) => {
      const rows = run.slots[slot] as Row[];
      const paging = run.paging ?? { offset: 0, limit: rows.length, more: false, total: rows.length };
      const { offset, limit, total, more } = paging;
      return {
        canonical: { kind: 'rows', rows, table, offset, limit, more, ...(total !== undefined && { total }) },
        result: view().rows(rows, paging),
      };
    };
  }
  if (returns.value !== undefined) {
    const values = Object.entries(compileValues(scope, returns.value));
    const { fields } = scope.site.spec.surface;
    return (run) => {
      const canonical: { [key: string]: Json } = {};
      const shown: { [key: string]: Json } = {};
      for (const [name, { value, show }] of values) {
        const found = value.get(run);
        canonical[name] = surfaceJson(found);
        shown[styled(fields, name)] = show(found);
      }
      return { canonical: { kind: 'value', value: canonical }, result: view().value(shown) };
    };
  }
  const name = keyArg(scope, tool);
  const spec = name === undefined ? undefined : scope.site.args.get(name);
  return (run) => {
    const key = name === undefined ? undefined : run.args[name];
    const shown = typeof key === 'string' || typeof key === 'number' ? spec?.codec.encode(key) : undefined;
    return { canonical: { kind: 'done' }, result: view().done(shown) };
  };
};
