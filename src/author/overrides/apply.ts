/** Applies corrections to services; every entry must find what it speaks of. */
import { RESERVED_TOOL_NAMES, ServiceSpec, TOOL_NAME } from '../../artifacts/service.js';
import { NAME } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import { compileService } from '../../world/program/compile.js';
import { changeColumn } from './column.js';
import { giveEffect } from './effect.js';
import { withMachine } from './machine.js';
import { columnNamed, type Found, tableNamed, toolNamed } from './names.js';
import { badOverrides, type ColumnChange, type Overrides, type TableChange, type ToolChange } from './read.js';
import { renameTable } from './rename.js';

interface Work {
  specs: ServiceSpec[];
  problems: string[];
  /** Services that an entry changed. */
  changed: Set<string>;
}

const put = (w: Work, spec: ServiceSpec): void => {
  w.specs = w.specs.map((each) => (each.id === spec.id ? spec : each));
  w.changed.add(spec.id);
};

const current = (w: Work, { spec }: Found): ServiceSpec => w.specs.find(({ id }) => id === spec.id) as ServiceSpec;

const column = (w: Work, found: Found, given: string, change: ColumnChange): void => {
  const spec = current(w, found);
  const read = columnNamed(given, { spec, name: found.name });
  if (typeof read === 'string') {
    w.problems.push(read);
    return;
  }
  const at = `${found.name}.${read.col}`;
  const isKey = spec.tables[found.name]?.key.col === read.col;
  if (isKey && Object.keys(change).some((name) => name !== 'description')) {
    w.problems.push(`${at} is the key: only its description can be set`);
    return;
  }
  let fk = change.fk;
  if (typeof fk === 'string') {
    const target = tableNamed(fk, [spec]);
    if (typeof target === 'string') {
      w.problems.push(`${at}.fk: ${target}`);
      return;
    }
    fk = target.name;
  }
  if (change.enum && (change.type ?? spec.tables[found.name]?.cols[read.col]?.type) !== 'text') {
    w.problems.push(`${at}: only a text column has a list of values; set type: text too`);
    return;
  }
  put(w, changeColumn(spec, found.name, read.col, fk === undefined ? change : { ...change, fk }));
};

const table = (w: Work, given: string, { columns = {}, rename, description, rows, machine }: TableChange): void => {
  const found = tableNamed(given, w.specs);
  if (typeof found === 'string') {
    w.problems.push(found);
    return;
  }
  for (const [name, change] of Object.entries(columns)) column(w, found, name, change);
  const spec = current(w, found);
  const there = spec.tables[found.name] as ServiceSpec['tables'][string];
  if (description !== undefined || rows !== undefined) {
    const next = {
      ...there,
      ...(description === undefined ? {} : { description }),
      ...(rows === undefined ? {} : { rows }),
    };
    put(w, { ...spec, tables: { ...spec.tables, [found.name]: next } });
  }
  if (machine !== undefined) {
    const next = withMachine(current(w, found), found.name, machine);
    if (typeof next === 'string') w.problems.push(next);
    else put(w, next);
  }
  if (rename === undefined || rename === found.name) return;
  if (spec.source.kind === 'core')
    w.problems.push(`table ${given}: the company core keeps its names, which links and rules go by`);
  else if (!NAME.test(rename))
    w.problems.push(`table ${given}: "${rename}" is no lower_snake name of at most 63 characters`);
  else if (spec.tables[rename]) w.problems.push(`table ${given}: ${spec.id} has a table ${rename} already`);
  else put(w, renameTable(current(w, found), found.name, rename));
};

const tool = (w: Work, given: string, { drop, effect, description, rename }: ToolChange): void => {
  const found = toolNamed(given, w.specs);
  if (typeof found === 'string') {
    w.problems.push(found);
    return;
  }
  const spec = current(w, found);
  if (drop) {
    const { [found.name]: _, ...tools } = spec.tools;
    if (Object.keys(tools).length === 0)
      w.problems.push(`tool ${given} is the last of ${spec.id} and cannot be dropped`);
    else put(w, { ...spec, tools });
    return;
  }
  if (effect !== undefined) {
    const next = giveEffect(spec, found.name, effect);
    if (typeof next === 'string') w.problems.push(next);
    else put(w, next);
  }
  const now = current(w, found);
  const value = now.tools[found.name] as ServiceSpec['tools'][string];
  if (description !== undefined) put(w, { ...now, tools: { ...now.tools, [found.name]: { ...value, description } } });
  if (rename === undefined || rename === found.name) return;
  const taken = Object.keys(spec.tools).some(
    (name) => name !== found.name && name.toLowerCase() === rename.toLowerCase(),
  );
  const reserved = (RESERVED_TOOL_NAMES as readonly string[]).includes(rename.toLowerCase());
  if (!TOOL_NAME.test(rename) || reserved) w.problems.push(`tool ${given}: "${rename}" is no name a tool may have`);
  else if (taken) w.problems.push(`tool ${given}: ${spec.id} has a tool ${rename} already`);
  else {
    const last = current(w, found);
    const entries = Object.entries(last.tools).map(([name, each]) => [name === found.name ? rename : name, each]);
    put(w, { ...last, tools: Object.fromEntries(entries) });
  }
};

/** A correction may be sound in itself and leave a service that no longer compiles: a tool that writes a column it cannot. */
const check = (w: Work): void => {
  for (const spec of w.specs.filter(({ id }) => w.changed.has(id)))
    try {
      compileService(ServiceSpec.parse(spec));
    } catch (thrown) {
      if (!(thrown instanceof TreadleError)) throw thrown;
      w.problems.push(`${spec.id} does not compile with these corrections: ${thrown.line()}`);
    }
};

/**
 * New specs; the given ones stay as they are. Entries are applied in the file's order, columns before renames, and speak of the names
 * that the draft has. Throws `bad_overrides` with every entry that matches nothing (and what is near it) or cannot be applied.
 */
export const applyOverrides = (specs: readonly ServiceSpec[], overrides: Overrides): ServiceSpec[] => {
  const w: Work = { specs: [...specs], problems: [], changed: new Set() };
  for (const [given, change] of Object.entries(overrides.services ?? {})) {
    const spec = w.specs.find(({ id }) => id === given);
    if (spec)
      put(w, { ...spec, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) });
    else w.problems.push(`no service is called ${given}; there are ${w.specs.map(({ id }) => id).join(', ')}`);
  }
  // Tools first: their names and tables are those of the draft until a table is renamed.
  for (const [given, change] of Object.entries(overrides.tools ?? {})) tool(w, given, change);
  for (const [given, change] of Object.entries(overrides.tables ?? {})) table(w, given, change);
  if (w.problems.length === 0) check(w);
  if (w.problems.length > 0)
    throw badOverrides(w.problems, 'Correct the entry: `treadle author` shows the names, --out writes the specs.');
  return w.specs;
};
