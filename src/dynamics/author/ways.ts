/** Other ways to see a row: calls of other tools that show it too, by what an agent knows of it by then; each is carried out. */
import type { Call, Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { NamedTool, PlannedArg } from '../../tasks/ground/plan.js';
import { surfaceArgs } from '../../tasks/ground/plan.js';
import { filterFor, keyArgOf, toolsOf } from '../../tasks/ground/reveal.js';
import { currencyOf, sayValue } from '../../tasks/ground/say.js';
import type { Row } from '../../world/state/types.js';
import { argPath, decodeArg } from '../../world/surface/args.js';
import { rowByKey } from './rows.js';
import { type RowRef, rowsShown, shownTable } from './shown-row.js';

export interface Way {
  call: Call;
  tool: NamedTool;
  result: Json;
}

/** What an agent has read so far: the brief, and the values in the results. */
export class Known {
  readonly #brief: string;
  readonly #seen = new Set<string>();

  constructor({ brief }: Pick<Task, 'brief'>) {
    this.#brief = brief.toLowerCase();
  }

  /** Keeps the values of a result in mind. */
  read(result: Json): void {
    if (result !== null && typeof result === 'object')
      for (const inner of Object.values(result)) this.read(inner as Json);
    else if (result !== null) this.#seen.add(String(result));
  }

  /** `written`: as services write it; `words`: as a person says it. */
  has(written: Json | undefined, words: string | undefined): boolean {
    return (
      (written !== undefined && this.#seen.has(String(written))) ||
      (words !== undefined && words.length > 1 && this.#brief.includes(words.toLowerCase()))
    );
  }
}

const limitOf = ({ tool }: NamedTool): PlannedArg[] => {
  const limit = Object.entries(tool.tool.args).find(([, arg]) => arg.role === 'limit');
  return limit
    ? [{ name: limit[0], value: Math.min(limit[1].max ?? 100, 100), origin: { constant: 'as many as the tool gives' } }]
    : [];
};

const planned = (name: string, value: PlannedArg['value']): PlannedArg => ({ name, value, origin: { observed: true } });

/** Columns whose values name one thing. */
const NAMING = /(^|_)(name|email|number|no|code|sku|ref)$/;

/** Filters and searches of a tool that name the row by what is known of it, the most telling first. */
const attempts = (tool: NamedTool, row: Row, known: Known): PlannedArg[][] => {
  const { spec } = tool.service;
  const table = spec.tables[shownTable(tool)];
  const { args, op, match = [] } = tool.tool.tool;
  if (!table) return [];
  const isKnown = (col: string): boolean => {
    const column = table.cols[col];
    const value = row[col];
    if (!column || value === null || value === undefined) return false;
    // A status that was read somewhere is not known to be that of this row.
    const isTelling = col === table.key.col || col === table.label || column.unique || column.fk || NAMING.test(col);
    if (!isTelling && column.type !== 'text') return false;
    return known.has(isTelling ? value : undefined, sayValue(column, value, currencyOf(spec, table, row)));
  };
  const key = keyArgOf(tool);
  if (op === 'get')
    return key !== undefined && isKnown(table.key.col) ? [[planned(key, row[table.key.col] ?? null)]] : [];
  const query = Object.entries(args).find(([, arg]) => arg.role === 'query')?.[0];
  const cols = Object.keys(table.cols).filter((col) => !table.cols[col]?.hidden && isKnown(col));
  const searches =
    query === undefined ? [] : cols.flatMap((col) => (match.includes(col) ? [[planned(query, String(row[col]))]] : []));
  const filters = cols.flatMap((col) => {
    const found = filterFor(tool, col, ['eq', 'in', 'contains', 'prefix']);
    if (!found) return [];
    const value = row[col] ?? null;
    return [planned(found[0], found[1].op === 'in' ? [value] : value)];
  });
  return [...searches, ...(filters.length > 1 ? [filters] : []), ...filters.map((one) => [one]), []].map((one) => [
    ...one,
    ...limitOf(tool),
  ]);
};

const hasRequired = ({ tool }: NamedTool, args: readonly PlannedArg[]): boolean =>
  Object.entries(tool.tool.args).every(([name, { required }]) => !required || args.some((one) => one.name === name));

/** Tools that read the same table, but for one of them. */
export const otherReaders = (session: Session, service: string, table: string, except: string): NamedTool[] =>
  toolsOf(session.world, service).filter(
    (tool) =>
      tool.name !== except &&
      session.offered.has(service) &&
      tool.tool.tool.writes.length === 0 &&
      ['list', 'search', 'get'].includes(tool.tool.tool.op) &&
      shownTable(tool) === table,
  );

const tryWay = (session: Session, tool: NamedTool, args: readonly PlannedArg[]): Way | undefined => {
  if (!hasRequired(tool, args)) return undefined;
  const call = { service: tool.service.id, tool: tool.name, args: surfaceArgs(tool.service, tool, args) };
  const { ok, result } = session.call(call.tool, structuredClone(call.args));
  return ok ? { call, tool, result } : undefined;
};

/** One way by each other tool that shows the row; the session is one for trying out. */
export const waysTo = (session: Session, wanted: RowRef, except: string, known: Known): Way[] => {
  const row = rowByKey(session, wanted.service, wanted.table, wanted.key);
  if (!row) return [];
  return otherReaders(session, wanted.service, wanted.table, except).flatMap((tool) => {
    for (const args of attempts(tool, row, known)) {
      const way = tryWay(session, tool, args);
      if (way && rowsShown(tool, way.result, wanted).length > 0) return [way];
    }
    return [];
  });
};

const givenAt = (call: Call, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (at, key) => (at !== null && typeof at === 'object' && !Array.isArray(at) ? at[key] : undefined),
    call.args,
  );

/** The same question put to other tools: every filter of the call has its like there. */
export const waysToAsk = (session: Session, call: Call, asked: NamedTool): Way[] => {
  const { service, tool } = asked;
  const given = Object.entries(tool.tool.args).flatMap(([name, arg]) => {
    const value = givenAt(call, argPath(service.spec, name, arg));
    const narrows = arg.role === 'filter' || arg.role === 'query';
    return value === undefined || !narrows
      ? []
      : [{ name, arg, value: decodeArg(service.spec, tool.tool, name, value) }];
  });
  return otherReaders(session, service.id, shownTable(asked), asked.name).flatMap((other) => {
    const args = given.flatMap(({ name, arg, value }) => {
      const like = Object.entries(other.tool.tool.args).find(
        ([own, { role, col = own, op = 'eq', type }]) =>
          role === arg.role && col === (arg.col ?? name) && op === (arg.op ?? 'eq') && type === arg.type,
      );
      return like ? [planned(like[0], value)] : [];
    });
    const way = args.length === given.length ? tryWay(session, other, [...args, ...limitOf(other)]) : undefined;
    return way ? [way] : [];
  });
};
