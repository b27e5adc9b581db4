/** Values for arguments that a person decides on: new things, changes, reasons, dates to come. */

import type { Column, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import type { PlannedArg } from '../ground/plan.js';
import { currencyOf, sayLabel, sayMoment, sayValue } from '../ground/say.js';
import { sayColumn } from '../words/names.js';
import { sayRow } from '../words/rows.js';
import { isSayable } from '../words/sayable.js';
import { otherDay, otherNumber, shiftedDay, someDay } from './figures.js';
import { fitsAny, freeText, IS_FIXED, newEmail, newName, newTitle, PROSE } from './texts.js';

/** A chosen argument, and how the request says it. */
export interface Chosen {
  arg: PlannedArg;
  /** Column or argument name, for wording. */
  name: string;
  words: string;
  /** Free text, said in quotes where it would run into the sentence. */
  isText?: boolean;
  /** The row meant, when the value is a key. */
  refers?: { service: LoadedService; table: string; row: Row; descriptors: Descriptor[] };
}

const LIVE = /^(active|open|available|approved|enabled|in_service|published|draft|new|current)$/;

interface Target {
  service: LoadedService;
  table: string;
  /** Column whose value the argument takes: the key, or the key that two services share. */
  col: string;
}

/** Rows in use: in a state that says so; where no state does, those that are not over. */
const inUse = ({ cols, machine }: Table, rows: readonly Row[]): readonly Row[] => {
  if (!cols.status?.enum) return rows;
  if (cols.status.enum.some((state) => LIVE.test(state))) return rows.filter(({ status }) => LIVE.test(String(status)));
  return machine
    ? rows.filter((row) => machine.moves.some(({ from }) => from.includes(String(row[machine.col]))))
    : rows;
};

/** What is asked of a row to point to: not the present one (`not`), needed at any rate, not taken by another row. */
interface Wish extends Pick<From, 'beside'> {
  not: SqlValue | undefined;
  isNeeded: boolean;
  isTaken(value: SqlValue): boolean;
}

/** What a row is called, or else (`isNeeded`) what is around it. */
const namedOf = (
  ground: Ground,
  { service, table }: Target,
  row: Row,
  isNeeded: boolean,
  random: Rng,
): { words: string; descriptors: Descriptor[] } | undefined => {
  const spec = service.spec.tables[table] as Table;
  const called = singleOut(ground, service, table, row, random, 'label');
  const words = called?.length === 1 ? sayLabel(spec, row) : undefined;
  if (called && words) return { words, descriptors: called };
  const around = isNeeded ? (called ?? singleOut(ground, service, table, row, random, 'around')) : undefined;
  return around ? { words: sayRow(service, table, row, around), descriptors: around } : undefined;
};

/** Whether one row points to another row of the other's table than the other itself. */
const contradicts = (one: NonNullable<Chosen['refers']>, other: NonNullable<Chosen['refers']>): boolean =>
  one.service === other.service &&
  Object.entries(one.service.spec.tables[one.table]?.cols ?? {}).some(
    ([col, { fk }]) => fk === other.table && one.row[col] !== other.row[other.service.keys[other.table] ?? ''],
  );

/** A row the argument may point to: one that can be told apart and is not out of use. */
const referred = (
  ground: Ground,
  target: Target,
  name: string,
  col: string,
  random: Rng,
  { not, isNeeded, isTaken, beside = [] }: Wish,
): Chosen | undefined => {
  const { service, table } = target;
  const spec = service.spec.tables[table];
  if (!spec) return undefined;
  const others = beside.flatMap(({ refers }) => refers ?? []);
  const free = inUse(spec, subjectRows(ground, service, table)).filter((row) =>
    others.every((other) => other.row !== row),
  );
  const agreeing = free.filter((row) =>
    others.every((other) => {
      const own = { service, table, row, descriptors: [] };
      return !contradicts(own, other) && !contradicts(other, own);
    }),
  );
  // What is moved lies in one place and goes to another: there nothing agrees.
  for (const row of random.sample(agreeing.length > 0 ? agreeing : free, 8)) {
    const value = row[target.col] ?? null;
    if (value === null || value === not || isTaken(value)) continue;
    const { words, descriptors } = namedOf(ground, target, row, isNeeded, random) ?? {};
    if (words && descriptors)
      return {
        arg: { name, value, origin: { observed: true } },
        name: col,
        words,
        refers: { service, table, row, descriptors },
      };
  }
  return undefined;
};

/** What the argument points to: a table of the service, or a thing of another service that both know by one key. */
const targetOf = (
  ground: Ground,
  service: LoadedService,
  table: string,
  name: string,
  col: string,
  arg: Arg,
  column: Column | undefined,
): Target | undefined => {
  const own = arg.ref ?? column?.fk;
  if (own) return { service, table: own, col: service.keys[own] as string };
  if (column) return ground.linked(service.id, table, col);
  const like = tableLike(service, col);
  const link = like ? ground.linked(service.id, like, col) : undefined;
  const staff = ground.world.services.get('directory');
  // Whoever an input names by an address is somebody of the company.
  return link ?? (staff && /_email$/.test(name) ? { service: staff, table: 'employee', col: 'email' } : undefined);
};

/** Another table of the service that has a column of this name: what an input that belongs to no column is like. */
const tableLike = (service: LoadedService, col: string): string | undefined =>
  Object.entries(service.spec.tables).find(([, { cols }]) => cols[col] !== undefined)?.[0];

const isDay = (type: string): boolean => type === 'date' || type === 'datetime';

/** A new value in place of the row's own; undefined when nobody would ask for that change. */
const changed = (
  col: string,
  type: string,
  bounds: { low: number; high: number },
  from: { donor?: Row; row: Row },
  clock: number,
  random: Rng,
): SqlValue | undefined => {
  const current = from.row[col];
  const donated = from.donor?.[col];
  if (IS_FIXED.test(col)) return undefined;
  if (isDay(type)) return otherDay(col, current, type, clock, random);
  if (type === 'bool') return current ? 0 : 1;
  if (type === 'int' || type === 'number' || type === 'money') {
    const near = typeof current === 'number' && current !== 0 ? current : donated;
    if (typeof near !== 'number') return undefined;
    return near === current ? otherNumber(near, bounds.low, bounds.high, random) : near;
  }
  if (typeof current === 'string' && /^(title|subject|label)$/.test(col)) return newTitle(current, random);
  if (typeof donated !== 'string' || donated === current || !isSayable(col, donated)) return undefined;
  if (typeof current !== 'string') return donated;
  if (/email$/.test(col)) return newEmail(current, donated);
  return /(^|_)name$/.test(col) ? newName(from.row, current, donated) : donated;
};

/** The value of a new thing: the donor's, moved to today. */
const donatedTo = (col: string, type: string, donor: Row, clock: number, random: Rng): SqlValue | undefined => {
  const donated = donor[col];
  if (isDay(type))
    return (
      (typeof donated === 'number' ? shiftedDay(col, donated, donor, clock) : undefined) ??
      someDay(col, type, clock, random)
    );
  // A voucher's code is made to be said.
  if (/(^|_)code$/.test(col) && typeof donated === 'string' && /^[A-Z0-9-]{3,14}$/.test(donated)) return donated;
  if (!isSayable(col, donated)) return undefined;
  return typeof donated === 'string' && PROSE.test(col) && !/description|summary/.test(col) && !fitsAny(donated)
    ? undefined
    : donated;
};

/** An amount for a verb: a part of what the row is about. */
const partOf = (spec: Table, row: Row | undefined, random: Rng): number => {
  const col = Object.keys(spec.cols).find(
    (other) => spec.cols[other]?.type === 'money' && /due|balance|amount|total|price|value/.test(other) && row?.[other],
  );
  const ceiling = Number(col ? row?.[col] : 20000);
  return Math.max(100, Math.round((ceiling * random.int(10, 80)) / 100 / 100) * 100);
};

export interface From {
  /** A row as the company might have had: for new things, and for changed values that need to look real. */
  donor?: Row;
  /** The row that the argument is about. */
  row?: Row;
  /** Another row as the company might have had, for texts that an action asks for and the row's own would not do. */
  likeness?: Row;
  /** What is chosen already: an invoice beside its customer is that customer's. */
  beside?: readonly Chosen[];
  /** The argument replaces the row's own value; else it only goes with it. */
  isChange?: boolean;
}

/** Chooses a value for one argument of a create, an update or an action; undefined when none can be made up honestly. */
export const choose = (
  ground: Ground,
  service: LoadedService,
  table: string,
  name: string,
  arg: Arg,
  random: Rng,
  from: From,
): Chosen | undefined => {
  const spec = service.spec.tables[table] as Table;
  const { clock } = ground.world.spec;
  const col = arg.col ?? name;
  const column: Column | undefined = spec.cols[col];
  const target = targetOf(ground, service, table, name, col, arg, column);
  const current = from.row?.[col];
  if (target) {
    const isTaken = (value: SqlValue): boolean =>
      column?.unique === true &&
      ground
        .rows(service)(table)
        .some((row) => row[col] === value);
    return referred(ground, target, name, col, random, {
      not: current,
      isNeeded: arg.required === true,
      isTaken,
      ...(from.beside ? { beside: from.beside } : {}),
    });
  }
  const type = arg.type === 'list' ? undefined : arg.type;
  if (!type || type === 'json') return undefined;
  const asColumn: Column = column && column.type === type ? column : { type };
  const said = (value: SqlValue | undefined): Chosen | undefined => {
    if (value === undefined || value === current) return undefined;
    const options = asColumn.enum || !arg.enum ? asColumn : { ...asColumn, enum: arg.enum };
    const words =
      type === 'datetime'
        ? sayMoment(Number(value))
        : sayValue(options, value, currencyOf(service.spec, spec, from.row ?? from.donor));
    if (words === undefined || words.length > 200) return undefined;
    // A mark is said by the column's own words: `mark the requester as VIP`.
    const told = type === 'bool' ? sayColumn(col) : words;
    return {
      arg: { name, value, origin: { brief: told } },
      name: col,
      words,
      isText: type === 'text' && !options.enum,
    };
  };
  const options = arg.enum ?? column?.enum;
  if (options && type === 'text') {
    const open = options.filter((option) => option !== current);
    return open.length > 0 ? said(random.pick(open)) : undefined;
  }
  const bounds = { low: arg.min ?? column?.min ?? 0, high: arg.max ?? column?.max ?? Number.MAX_SAFE_INTEGER };
  if (from.row && from.isChange) {
    const value = changed(col, type, bounds, { ...from, row: from.row }, clock, random);
    return said(
      value ??
        (type === 'text' && PROSE.test(col) && !IS_FIXED.test(col)
          ? freeText(col, ground.rows(service)(table), current, random)
          : undefined),
    );
  }
  const like = column || from.donor ? undefined : tableLike(service, col);
  const donor = like ? random.pick(ground.spare(service)(like)) : from.donor;
  const donated = donor ? donatedTo(col, type, donor, clock, random) : undefined;
  if (donated !== undefined && donated !== current) return said(donated);
  if (isDay(type)) {
    const moved = from.row ? otherDay(col, current, type, clock, random) : undefined;
    return said(moved ?? someDay(col, type, clock, random));
  }
  if (type === 'bool') return said(current ? 0 : 1);
  if (type === 'text' && !PROSE.test(col) && isSayable(col, from.likeness?.[col])) return said(from.likeness?.[col]);
  if (type === 'text')
    return !PROSE.test(col) ? undefined : said(freeText(col, ground.rows(service)(table), current, random));
  if (type === 'money' && (name === 'amount' || !current)) return said(partOf(spec, from.row, random));
  const near = typeof current === 'number' ? otherNumber(current, bounds.low, bounds.high, random) : undefined;
  const low = Math.ceil(Math.max(1, bounds.low));
  return said(near ?? random.int(low, Math.floor(Math.min(bounds.high, low + 20))));
};
