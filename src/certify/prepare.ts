/** The way to a tool for which no row of the initial data is ready: calls of other tools that make one so. */
import type { Table } from '../artifacts/table.js';
import type { Touch } from '../artifacts/trace.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import { quoted } from '../world/ddl.js';
import type { Row } from '../world/state/types.js';
import type { CallArgs } from './arguments.js';
import type { Find, Probe } from './probes.js';
import { argsOf, donorsOf, WAYS } from './search.js';
import type { Source } from './values.js';

const MOST_HELPERS = 10;
/** How a helper is called: as its probe was, then on other rows with all that it may change. */
const HELPING: readonly Source[] = ['own', 'made', 'less', 'made', 'more', 'other', 'made', 'own'];
/** Rows that are tried after a helper's call. */
const MOST_READY = 6;

const parentsOf = ({ cols }: Table): Set<string | undefined> => new Set(Object.values(cols).map(({ fk }) => fk));

/** Tools that may make a row ready: those of its own table, then those of tables it points to. */
const helpersFor = ({ service }: Find, { tool }: Probe, found: readonly Probe[]): Probe[] => {
  const { table } = tool.tool.tool;
  const parents = parentsOf(service.spec.tables[table] as Table);
  const writing = found.filter((probe) => !probe.tool.tool.readOnly);
  const own = writing.filter((probe) => probe.tool.tool.tool.table === table);
  const into = writing.filter(
    (probe) =>
      probe.tool.tool.tool.table !== table && probe.tool.tool.tool.writes.some((write) => write.table === table),
  );
  const above = writing.filter(
    (probe) => !own.includes(probe) && !into.includes(probe) && parents.has(probe.tool.tool.tool.table),
  );
  return [...own, ...into, ...above].slice(0, MOST_HELPERS);
};

/** Replays what a probe needs before it; false when that fails. */
export const replayBefore = (session: Session, { before }: Probe): boolean =>
  (before ?? []).every(({ tool, args }) => session.call(tool, args).ok);

/** A row for the helper to act on: of another table the one that a row to be made ready points to, else any. */
const helpedRow = (find: Find, failed: Probe, helper: Probe, random: Rng, attempt: number): Row | undefined => {
  const { service, rows } = find;
  const table = failed.tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const above = helper.tool.tool.tool.table;
  const donors = donorsOf(service.spec.tables[above] as Table, rows(above), random);
  const link = above === table ? undefined : Object.keys(spec.cols).find((col) => spec.cols[col]?.fk === above);
  if (link === undefined) return donors[0];
  const waiting = donorsOf(spec, rows(table), random);
  const key = waiting[attempt % Math.max(1, waiting.length)]?.[link];
  return donors.find((row) => row[service.keys[above] as string] === key) ?? donors[0];
};

const helperArgs = (
  find: Find,
  failed: Probe,
  helper: Probe,
  attempt: number,
  session: Session,
): CallArgs | undefined => {
  if (attempt === 0 || helper.before) return helper.args;
  const { service, rows } = find;
  const { tool } = helper;
  const random = find.random.stream(`${helper.name}/${attempt}`);
  const donor = helpedRow(find, failed, helper, random, attempt);
  const source = HELPING[attempt] as Source;
  return argsOf({ service, tool, rows, donor, source, clock: session.clock, random, serial: 900 + attempt }, true);
};

/** Rows of the table that the helper touched, and rows that point to what it touched, as they now are. */
const readyRows = (find: Find, session: Session, { tool }: Probe, touched: readonly Touch[]): Row[] => {
  const { service, rows } = find;
  const { table } = tool.tool.tool;
  const spec = service.spec.tables[table] as Table;
  const here = touched.filter((touch) => touch.table === table && touch.change !== 'delete').map((touch) => touch.key);
  const random = find.random.stream(`${table}/ready`);
  const links = touched.flatMap((touch) =>
    Object.keys(spec.cols)
      .filter((col) => spec.cols[col]?.fk === touch.table && touch.table !== table)
      .map((col) => ({ col, key: touch.key })),
  );
  const all = donorsOf(spec, rows(table), random);
  const below = links.flatMap(({ col, key }) => all.filter((row) => row[col] === key).map((row) => row[spec.key.col]));
  service.connection.bind(session.state(service.id));
  const read = service.connection.prepare(`SELECT * FROM ${quoted(table)} WHERE ${quoted(spec.key.col)} = ?`);
  const ready = [...new Set([...here, ...below])]
    .slice(0, MOST_READY)
    .map((key) => read.get([key ?? null]))
    .filter((row) => row !== undefined);
  // What is made anew is made like a row that is there, but under the parent that the helper touched.
  const like = all[0] ?? {};
  const under = tool.tool.tool.op === 'create' ? links.map(({ col, key }): Row => ({ ...like, [col]: key })) : [];
  return [...under, ...ready];
};

/** A try of the tool on each ready row, in each way, each on the same prepared state. */
const callOn = (find: Find, prepared: Session, { name, tool }: Probe, ready: readonly Row[]): Probe | undefined => {
  const { service, rows } = find;
  const random = find.random.stream(`${name}/prepared`);
  for (const donor of ready) {
    for (const [serial, { source, withOptional }] of WAYS.entries()) {
      const search = { service, tool, rows, donor, source, clock: prepared.clock, random, serial: 800 + serial };
      const args = argsOf(search, withOptional);
      const session = prepared.fork(`${prepared.id}-ready`);
      const outcome = args && session.call(name, args);
      session.drop();
      if (!outcome?.ok) continue;
      const key = donor[service.keys[tool.tool.tool.table] as string] as string | number;
      if (tool.tool.readOnly || outcome.entry.touched.length > 0)
        return { name, tool, args, result: outcome.result, key };
      return undefined;
    }
  }
  return undefined;
};

/** A probe with the calls before it; undefined when no tool found so far makes a row ready. */
export const prepareProbe = (find: Find, failed: Probe, found: readonly Probe[]): Probe | undefined => {
  for (const helper of helpersFor(find, failed, found)) {
    for (let attempt = 0; attempt < HELPING.length; attempt++) {
      const session = find.open();
      const args = replayBefore(session, helper) ? helperArgs(find, failed, helper, attempt, session) : undefined;
      const outcome = args && session.call(helper.name, args);
      const ready = outcome?.ok ? readyRows(find, session, failed, outcome.entry.touched) : [];
      const probe = args && callOn(find, session, failed, ready);
      session.drop();
      if (probe) return { ...probe, before: [...(helper.before ?? []), { tool: helper.name, args }] };
      if (helper.before) break;
    }
  }
  return undefined;
};
