/** Places in a reference where a row was chosen: an argument, or an item of a list, that holds a row's key. */
import type { Call } from '../../../artifacts/task.js';
import type { Json } from '../../../kit/hash.js';
import { valueAt } from '../../../kit/json-path.js';
import type { Session } from '../../../serve/sessions/session.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { Row } from '../../../world/state/types.js';
import { type ArgSpec, argColumn, argSpecs } from '../../../world/surface/args.js';
import { rowByKey, rowsWhere } from '../rows.js';

export interface Slot {
  /** Dotted path of the value among the arguments. */
  path: string;
  /** Path of the argument itself, and the place in it where it is a list. */
  arg: string;
  item: number | undefined;
  service: string;
  table: string;
  key: string | number;
  row: Row;
  /** The row that the tool acts on, not one that was chosen for it. */
  isSubject: boolean;
}

export const isWrite = (world: LoadedWorld, call: Call | undefined): boolean =>
  call !== undefined && (world.tools.get(call.tool)?.tool.tool.writes.length ?? 0) > 0;

/** Numbers of the reference's calls that write. */
export const writesOf = (world: LoadedWorld, calls: readonly Call[]): number[] =>
  calls.flatMap((call, n) => (isWrite(world, call) ? [n] : []));

export const argumentsOfTool = (world: LoadedWorld, tool: string): ArgSpec[] => {
  const found = world.tools.get(tool);
  return found ? [...argSpecs(found.service.spec, found.tool.tool).values()] : [];
};

/** The table whose keys an argument holds. */
export const tableOf = (world: LoadedWorld, tool: string, { name, arg }: ArgSpec): string | undefined => {
  const found = world.tools.get(tool);
  if (!found) return undefined;
  return arg.role === 'key'
    ? found.tool.tool.table
    : (arg.ref ?? argColumn(found.service.spec, found.tool.tool, name)?.fk);
};

/** The slots of one call; `session` is asked for the rows, as they are there. */
export const slotsOf = (session: Session, call: Call): Slot[] =>
  argumentsOfTool(session.world, call.tool).flatMap((spec): Slot[] => {
    const table = tableOf(session.world, call.tool, spec);
    const own = session.world.tools.get(call.tool)?.tool.tool.table;
    const arg = spec.path.join('.');
    const value = valueAt(call.args as Record<string, Json>, arg);
    if (table === undefined || value === undefined) return [];
    const items = Array.isArray(value) ? value : [value];
    return items.flatMap((key, n): Slot[] => {
      if (typeof key !== 'string' && typeof key !== 'number') return [];
      const row = rowByKey(session, call.service, table, key);
      const item = Array.isArray(value) ? n : undefined;
      const path = item === undefined ? arg : `${arg}.${item}`;
      return row ? [{ path, arg, item, service: call.service, table, key, row, isSubject: table === own }] : [];
    });
  });

/** What was chosen for a call: neither what it acts on nor what is given up. */
export const chosenIn = (session: Session, call: Call): Slot[] => {
  const slots = slotsOf(session, call);
  return slots.filter((slot) => !slot.isSubject && !isHeld(session, slots, slot));
};

/** Whether whoever the call acts on holds this item already: it is what is given up, not what is chosen. */
export const isHeld = (session: Session, slots: readonly Slot[], { item, service, table, key }: Slot): boolean => {
  const subject = slots.find(({ isSubject }) => isSubject);
  if (!subject || item === undefined || subject.service !== service) return false;
  const spec = session.world.services.get(service)?.spec;
  return Object.entries(spec?.tables ?? {}).some(([child, { cols }]) => {
    const to = (target: string): string | undefined => Object.keys(cols).find((col) => cols[col]?.fk === target);
    const [owner, held] = [to(subject.table), to(table)];
    if (owner === undefined || held === undefined) return false;
    return rowsWhere(session, service, child, { [owner]: subject.key, [held]: key }, 1).length > 0;
  });
};

/** Other rows that belong to the same ones: variants of its product, ways to pay of its customer. Empty where it belongs to none. */
export const siblingsOf = (session: Session, { service, table, key, row }: Slot): Row[] => {
  const spec = session.world.services.get(service)?.spec.tables[table];
  const owners = Object.entries(spec?.cols ?? {}).flatMap(([col, { fk }]) => {
    const value = row[col];
    return fk !== undefined && value !== null && value !== undefined ? [[col, value] as const] : [];
  });
  if (!spec || owners.length === 0) return [];
  const where = Object.fromEntries(owners) as Record<string, string | number>;
  return rowsWhere(session, service, table, where, 60).filter((other) => other[spec.key.col] !== key);
};
