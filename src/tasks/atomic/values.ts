/** Values for arguments that a person decides on: new things, changes, reasons, dates to come. */

import type { Column, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import type { PlannedArg } from '../ground/plan.js';
import { currencyOf, sayLabel, sayMoment, sayValue } from '../ground/say.js';

/** A chosen argument, and how the request says it. */
export interface Chosen {
  arg: PlannedArg;
  /** Column or argument name, for wording. */
  name: string;
  words: string;
  /** The row meant, when the value is a key. */
  refers?: { service: LoadedService; table: string; row: Row; descriptors: Descriptor[] };
}

const REASONS = [
  'requested by the customer',
  'entered by mistake',
  'agreed by phone this morning',
  'plans have changed',
  'found during the weekly review',
  'decided at the team meeting',
  'a duplicate of an earlier one',
  'asked for by management',
];
const NOTES = [
  'Please confirm by e-mail.',
  'Agreed with the team.',
  'Call before coming by.',
  'Second request this month.',
  'Handle before the end of the week.',
  'Keep the original on file.',
];

const WORDY = /reason|cause|why|resolution|outcome|note|comment|remark|message|summary|description/;

/** What other rows say in the same column, where they say something; else a phrase that fits anywhere. */
const freeText = (col: string, others: readonly Row[], current: SqlValue | undefined, random: Rng): string => {
  const said = [
    ...new Set(
      others
        .map((row) => row[col])
        .filter(
          (text): text is string => typeof text === 'string' && text.length > 3 && text.length < 90 && text !== current,
        ),
    ),
  ];
  if (/reason|cause|why|resolution|outcome/.test(col))
    return said.length > 1 ? random.pick(said) : random.pick(REASONS);
  return random.pick(NOTES);
};

/** Looks like a key of some other system: nobody would say it. */
const KEYLIKE =
  /^([a-z]{2,6}[_-])?(?=[0-9a-z]*[0-9])(?=[0-9a-z]*[a-z])[0-9a-z]{6,}$|^[a-z]{2,6}_[0-9]+$|^[0-9a-f]{8}-[0-9a-f]{4}-/i;

const isFree = (value: SqlValue | undefined): value is string | number =>
  value !== null && value !== undefined && value !== '' && !(typeof value === 'string' && KEYLIKE.test(value));

const LIVE = /^(active|open|available|approved|enabled|in_service|published|draft|new|current)$/;

interface Target {
  service: LoadedService;
  table: string;
  /** Column whose value the argument takes: the key, or the key that two services share. */
  col: string;
}

/** A row the argument may point to: one that can be told apart by its label and is not out of use. */
const referred = (
  ground: Ground,
  target: Target,
  name: string,
  col: string,
  random: Rng,
  not?: SqlValue,
): Chosen | undefined => {
  const { service, table } = target;
  const spec = service.spec.tables[table];
  if (!spec) return undefined;
  for (const row of random.sample(ground.rows(service)(table), 8)) {
    const value = row[target.col] ?? null;
    if (value === null || value === not || (spec.cols.status?.enum && !LIVE.test(String(row.status)))) continue;
    const descriptors = singleOut(ground, service, table, row, random, 'label');
    if (descriptors?.length !== 1) continue;
    const words = sayLabel(spec, row);
    if (words)
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
  col: string,
  arg: Arg,
  column: Column | undefined,
): Target | undefined => {
  const own = arg.ref ?? column?.fk;
  if (own) return { service, table: own, col: service.keys[own] as string };
  return column ? ground.linked(service.id, table, col) : undefined;
};

const dated = (name: string, type: string, clock: number, random: Rng): number => {
  const back = /birth|hired|since|from_date|occurred|incident/.test(name);
  const day = startOfDay(clock) + (back ? -1 : 1) * random.int(3, 45) * DAY;
  return type === 'date' ? day : day + random.int(32, 70) * 900;
};

/** Chooses a value for one argument of a create, an update or an action; undefined when none can be made up honestly. */
export const choose = (
  ground: Ground,
  service: LoadedService,
  table: string,
  name: string,
  arg: Arg,
  random: Rng,
  from: { donor?: Row; row?: Row },
): Chosen | undefined => {
  const spec = service.spec.tables[table] as Table;
  const col = arg.col ?? name;
  const column: Column | undefined = spec.cols[col];
  const target = targetOf(ground, service, table, col, arg, column);
  const current = from.row?.[col];
  if (target) return referred(ground, target, name, col, random, current);
  const type = arg.type === 'list' ? undefined : arg.type;
  if (!type || type === 'json') return undefined;
  const asColumn: Column = column && column.type === type ? column : { type };
  const said = (value: SqlValue): Chosen | undefined => {
    if (type === 'datetime') {
      const moment = sayMoment(Number(value));
      return { arg: { name, value, origin: { brief: moment } }, name: col, words: moment };
    }
    const words = sayValue(
      asColumn.enum || !arg.enum ? asColumn : { ...asColumn, enum: arg.enum },
      value,
      currencyOf(service.spec, spec, from.row ?? from.donor),
    );
    return words === undefined || words.length > 200
      ? undefined
      : { arg: { name, value, origin: { brief: words } }, name: col, words };
  };
  const options = arg.enum ?? column?.enum;
  if (options && type === 'text') {
    const open = options.filter((option) => option !== current);
    return open.length > 0 ? said(random.pick(open)) : undefined;
  }
  const donatedDate = from.donor?.[col];
  if ((type === 'date' || type === 'datetime') && !from.row && typeof donatedDate === 'number')
    return said(donatedDate);
  if (type === 'date' || type === 'datetime') return said(dated(col, type, ground.world.spec.clock, random));
  if (type === 'bool') return said(current ? 0 : 1);
  const donated = from.donor?.[col];
  if (isFree(donated) && donated !== current) return said(donated);
  if (type === 'text')
    return column && !WORDY.test(col) ? undefined : said(freeText(col, ground.rows(service)(table), current, random));
  if (type === 'money') {
    const ceiling = Number(
      from.row?.[
        Object.keys(spec.cols).find((other) => /due|balance|amount|total/.test(other) && from.row?.[other]) ?? ''
      ] ?? 20000,
    );
    return said(Math.max(100, Math.round((ceiling * random.int(10, 80)) / 100 / 100) * 100));
  }
  const low = Math.ceil(arg.min ?? column?.min ?? 1);
  const high = Math.floor(Math.min(arg.max ?? column?.max ?? low + 9, low + 20));
  return high >= low ? said(random.int(low, high)) : undefined;
};
