/** Looks for a change with the service's own reads: the table's get tool, else a list of it, page by page. */
import type { Table } from '../artifacts/table.js';
import type { Session } from '../serve/sessions/session.js';
import type { RowChange, SqlValue } from '../world/state/types.js';
import { argPath } from '../world/surface/args.js';
import { encodeValue } from '../world/surface/values.js';
import { partOf, placesOf, rowsOf } from './answer.js';
import { placed, writeArgs } from './arguments.js';
import type { Probe } from './probes.js';
import { argOf } from './questions.js';
import { mentions } from './shown.js';
import type { ServiceSubject } from './validator.js';

const MOST_PAGES = 20;
const LARGEST_PAGE = 100;

type Look = 'shown' | 'other' | 'gone';

const required = ({ tool }: Probe, ...but: string[]): boolean =>
  Object.entries(tool.tool.tool.args).some(([name, arg]) => arg.required && !but.includes(name));

const byGet = (subject: ServiceSubject, session: Session, getter: Probe, change: RowChange): Look => {
  const { tool } = getter.tool.tool;
  const [name] = argOf(tool, 'key') as [string, unknown];
  const outcome = session.call(getter.name, writeArgs(subject.spec, tool, { [name]: change.key }));
  if (!outcome.ok) return 'gone';
  if (!change.after) return 'shown';
  return subject.isRow(change.table, tool.returns?.cols)(outcome.result, change.after) ? 'shown' : 'other';
};

const byList = (subject: ServiceSubject, session: Session, lister: Probe, change: RowChange): Look => {
  const { spec } = subject;
  const { tool } = lister.tool.tool;
  const table = spec.tables[change.table] as Table;
  const places = placesOf(spec, tool);
  const isRow = subject.isRow(change.table, tool.returns?.cols);
  const key = encodeValue(spec, table.cols[table.key.col] as Table['cols'][string], change.key);
  // A row that never shows its key is known by all that it does show.
  const unnamed = table.cols[table.key.col]?.hidden ? change.after : undefined;
  const limit = argOf(tool, 'limit');
  const turn = argOf(tool, 'offset', 'page', 'cursor');
  const size = Math.min(limit?.[1].max ?? LARGEST_PAGE, LARGEST_PAGE);
  const steering: Record<string, SqlValue> = limit ? { [limit[0]]: size } : {};
  let args = writeArgs(spec, tool, steering);
  let skipped = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const outcome = session.call(lister.name, args);
    if (!outcome.ok) return 'gone';
    if (unnamed ? isRow(outcome.result, unnamed) : mentions(outcome.result, key))
      return !change.after || isRow(outcome.result, change.after) ? 'shown' : 'other';
    if (!turn) return 'gone';
    const [name, arg] = turn;
    if (arg.role === 'cursor') {
      const mark = partOf(places, outcome.result, 'cursor');
      if (mark === undefined) return 'gone';
      args = placed(args, argPath(spec, name, arg), mark);
    } else {
      const shown = rowsOf(places, outcome.result)?.length ?? 0;
      if (shown === 0) return 'gone';
      skipped += shown;
      args = writeArgs(spec, tool, { ...steering, [name]: arg.role === 'page' ? page + 1 : skipped });
    }
  }
  return 'gone';
};

/** The reads that look for rows of a table: its get by the key alone, else a list that asks for nothing. */
interface Lookers {
  getter: Probe | undefined;
  lister: Probe | undefined;
}

const lookers = new WeakMap<ServiceSubject['probes'], Map<string, Lookers>>();

/** Chosen once for a table: a write is looked for row by row. */
const lookersOf = (subject: ServiceSubject, table: string): Lookers => {
  const chosen = lookers.get(subject.probes) ?? new Map<string, Lookers>();
  lookers.set(subject.probes, chosen);
  const known = chosen.get(table);
  if (known) return known;
  const reads = subject.probes.filter(({ tool }) => tool.tool.tool.table === table && tool.tool.readOnly);
  const keyCol = (subject.spec.tables[table] as Table).key.col;
  const getter = reads.find((probe) => {
    const key = probe.tool.tool.tool.op === 'get' ? argOf(probe.tool.tool.tool, 'key') : undefined;
    return key !== undefined && (key[1].col ?? key[0]) === keyCol && !required(probe, key[0]);
  });
  const lister = reads.find((probe) => ['list', 'search'].includes(probe.tool.tool.tool.op) && !required(probe));
  const made = { getter, lister };
  chosen.set(table, made);
  return made;
};

/** Whether a later read shows the change; undefined when no tool reads the table by itself. */
export const showsChange = (subject: ServiceSubject, session: Session, change: RowChange): boolean | undefined => {
  const { getter, lister } = lookersOf(subject, change.table);
  const look = getter
    ? byGet(subject, session, getter, change)
    : lister
      ? byList(subject, session, lister, change)
      : undefined;
  if (look === undefined) return undefined;
  return change.change === 'delete' ? look === 'gone' : look === 'shown';
};
