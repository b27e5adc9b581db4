/** Checks from what the reference really changed: content, never ids that the run made up, never times of its own clock. */
import type { Check, Footprint } from '../artifacts/check.js';
import type { Literal, Table } from '../artifacts/table.js';
import type { LedgerEntry } from '../artifacts/trace.js';
import { startOfDay } from '../kit/calendar.js';
import type { Session } from '../serve/sessions/session.js';
import type { LoadedService } from '../world/loaded.js';
import type { Row, RowChange, SqlValue } from '../world/state/types.js';

const AUTO_OF_RUN = new Set(['now', 'touch', 'number']);

/** Whether a written value is the run's own clock, which another right run would not repeat. */
const isStamp = (table: Table, col: string, value: SqlValue | undefined, ledger: readonly LedgerEntry[]): boolean => {
  const type = table.cols[col]?.type;
  if (typeof value !== 'number') return false;
  const times = ledger.map((entry) => entry.at);
  if (type === 'datetime' || type === 'int') return times.includes(value);
  return type === 'date' && times.some((time) => startOfDay(time) === value);
};

interface Making {
  service: LoadedService;
  change: RowChange;
  ledger: readonly LedgerEntry[];
  /** Keys of rows the run inserted: unknown to any other run. */
  born: ReadonlySet<string | number>;
  id: () => string;
}

const print = (service: string, change: RowChange, cols?: string[]): Footprint => ({
  service,
  table: change.table,
  ...(change.change === 'insert' ? {} : { keys: [change.key] }),
  ...(cols ? { cols } : {}),
});

/** Columns of a new row that any right run would give the same value. */
const content = ({ service, change, ledger, born }: Making): Record<string, Literal> => {
  const table = service.spec.tables[change.table] as Table;
  const out: Record<string, Literal> = {};
  for (const [col, value] of Object.entries(change.after as Row)) {
    const column = table.cols[col];
    if (!column || (col === table.key.col && table.key.gen !== undefined) || AUTO_OF_RUN.has(column.auto ?? ''))
      continue;
    if (
      isStamp(table, col, value, ledger) ||
      (typeof value === 'string' && born.has(value)) ||
      (typeof value === 'number' && column.fk && born.has(value))
    )
      continue;
    out[col] = value;
  }
  return out;
};

const ofInsert = (making: Making, before: number): Check[] => {
  const { service, change, id } = making;
  const where = content(making);
  return [
    {
      kind: 'count',
      id: id(),
      service: service.id,
      table: change.table,
      where,
      count: before + 1,
      footprint: [print(service.id, change, Object.keys(where))],
    },
  ];
};

const ofUpdate = ({ service, change, ledger, born, id }: Making): Check[] => {
  const table = service.spec.tables[change.table] as Table;
  const where = { [table.key.col]: change.key };
  return change.cols.flatMap((col): Check[] => {
    const value = change.after?.[col];
    const column = table.cols[col];
    if (
      !column ||
      value === undefined ||
      column.auto === 'touch' ||
      column.auto === 'now' ||
      (typeof value === 'string' && born.has(value))
    )
      return [];
    const base = {
      id: id(),
      service: service.id,
      table: change.table,
      where,
      col,
      footprint: [print(service.id, change, [col])],
    };
    return isStamp(table, col, value, ledger)
      ? [{ kind: 'not_equals', ...base, value: change.before?.[col] ?? null }]
      : [{ kind: 'equals', ...base, value }];
  });
};

/** Rows of the initial state that already look like the new one. */
const lookalikes = (service: LoadedService, table: string, where: Record<string, Literal>): number => {
  service.connection.bind(service.pristine);
  const cols = Object.keys(where);
  const clause = cols.length > 0 ? ` WHERE ${cols.map((col) => `"${col}" IS ?`).join(' AND ')}` : '';
  const row = service.connection
    .prepare(`SELECT count(*) AS n FROM "${table}"${clause}`)
    .get(Object.values(where) as SqlValue[]);
  return Number(row?.n ?? 0);
};

/** Columns that change by themselves whenever a row is written. */
const touched = (table: Table): string[] =>
  Object.entries(table.cols)
    .filter(([, column]) => column.auto === 'touch')
    .map(([col]) => col);

const allowance = (
  service: LoadedService,
  changes: readonly RowChange[],
): Extract<Check, { kind: 'unchanged' }>['except'] => {
  const out: Extract<Check, { kind: 'unchanged' }>['except'] = [];
  const inserts = new Map<string, number>();
  for (const change of changes) {
    if (change.change === 'insert') inserts.set(change.table, (inserts.get(change.table) ?? 0) + 1);
    else if (change.change === 'delete') out.push({ ...print(service.id, change), deletes: true });
    else
      out.push(
        print(
          service.id,
          change,
          [...new Set([...change.cols, ...touched(service.spec.tables[change.table] as Table)])].sort(),
        ),
      );
  }
  for (const [table, count] of inserts) out.push({ service: service.id, table, inserts: count });
  return out;
};

/** The checks of a finished reference run: one a changed fact, and the frame around them. */
export const checksOf = (session: Session): Check[] => {
  const diff = session.diff();
  const checks: Check[] = [];
  const except: Extract<Check, { kind: 'unchanged' }>['except'] = [];
  const born = new Set(
    Object.values(diff).flatMap((changes) => changes.filter(({ change }) => change === 'insert').map(({ key }) => key)),
  );
  let next = 0;
  const id = (): string => `c${++next}`;
  for (const [serviceId, changes] of Object.entries(diff)) {
    const service = session.world.services.get(serviceId) as LoadedService;
    for (const change of changes) {
      const making: Making = { service, change, ledger: session.ledger, born, id };
      if (change.change === 'insert')
        checks.push(...ofInsert(making, lookalikes(service, change.table, content(making))));
      else if (change.change === 'update') checks.push(...ofUpdate(making));
      else
        checks.push({
          kind: 'absent',
          id: id(),
          service: serviceId,
          table: change.table,
          where: { [service.keys[change.table] as string]: change.key },
          footprint: [print(serviceId, change)],
        });
    }
    except.push(...allowance(service, changes));
  }
  checks.push({ kind: 'unchanged', id: 'frame', footprint: [], except });
  return checks;
};
