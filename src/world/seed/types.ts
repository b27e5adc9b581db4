/** The seeder's working data: plans of tables and columns, and rows in the making. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Company, Invariant, Link } from '../../artifacts/world.js';
import type { Rng } from '../../kit/rng.js';
import type { Row, SqlValue } from '../state/types.js';
import type { Life, VerbEffect } from './effects.js';
import type { Article, Firm } from './firms.js';
import type { Person } from './people.js';
import type { Country, Place } from './places.js';
import type { Choice, Rule } from './rules.js';

export interface SeedContext {
  company: Company;
  /** Unix seconds: nothing in the data lies behind it but what is planned. */
  clock: number;
  seed: string;
  links: readonly Link[];
  invariants: readonly Invariant[];
  /** Rows of the directory's employees where that service is not among those seeded. */
  employees?: readonly Row[];
  /** Rows made of each table beside the initial data; a few where it is absent. */
  spares?: number;
}

export type TableKind = 'person' | 'company' | 'place' | 'product' | 'line' | 'lookup' | 'document';

export interface ColPlan {
  name: string;
  /** lower_snake, without the table's own noun. */
  norm: string;
  column: Column;
  how: Choice;
  rule: Rule | undefined;
  unique: boolean;
  /** Share of rows in which an optional column is empty. */
  nulls: number;
  /** Written by verbs only: empty until one of them has run. */
  managed: boolean;
}

/** What a row points to: a foreign key, or the columns of a link that speak of the same row of another service. */
export interface RefGroup {
  id: string;
  /** `self`: whom or what the row is about; `staff`: a colleague in a role; `other`: a second one of the same table. */
  role: 'self' | 'staff' | 'other';
  /** Key of the target's plan. */
  target: string;
  cols: { col: string; toCol: string }[];
  optional: boolean;
  unique: boolean;
  /** Filled when all tables are there: cycles and rows that point to their own table. */
  deferred: boolean;
  /** Written by verbs only: empty until one of them has run. */
  managed: boolean;
  /** Without the ending that says key: `customer` of customer_id. */
  word: string;
}

export interface TablePlan {
  /** `service.table` */
  key: string;
  service: ServiceSpec;
  name: string;
  table: Table;
  noun: string;
  /** The table's name in words: `job site` where the noun is `job`. */
  words: string;
  kind: TableKind;
  staff: boolean;
  cols: ColPlan[];
  refs: RefGroup[];
  /** The document whose lines these are. */
  lineOf: RefGroup | undefined;
  life: Life | undefined;
  verbs: ReadonlyMap<string, VerbEffect>;
  /** Rule id -> first column it makes. */
  roles: ReadonlyMap<string, string>;
  currencyCol: string | undefined;
  handles: Handle[];
  /** Rows like the others that are kept out of the data: values a task may create. */
  spares: Handle[];
}

export interface Passed {
  verb: string;
  to: string;
  at: number;
}

export interface Meta {
  /** 1-based, in order of creation: the id's counter. */
  index: number;
  created: number;
  /** The last thing that happened to the row. */
  touched: number;
  status: string | undefined;
  path: Passed[];
  refs: Map<string, Handle>;
  /** Colleagues by role word, other people and firms by qualifier. */
  staff: Map<string, Handle>;
  extras: Map<string, Person | Firm | Place>;
  person?: Person | undefined;
  firm?: Firm | undefined;
  place?: Place | undefined;
  article?: Article | undefined;
  /** Gross amount in minor units that the money columns agree on. */
  gross?: number;
  starts?: number;
  ends?: number;
  spare: boolean;
}

export interface Handle {
  plan: TablePlan;
  row: Row;
  meta: Meta;
}

export interface World {
  context: SeedContext;
  rng: Rng;
  home: Country;
  sector: string;
  plans: TablePlan[];
  byKey: Map<string, TablePlan>;
  employees: Handle[];
  active: Handle[];
  /** Names that are taken, so that no two people and no two firms are confused by accident. */
  people: Set<string>;
  drawn: Person[];
  firms: Set<string>;
  drawnFirms: Firm[];
  mails: Set<string>;
  articles: Article[];
  /** Minor units by article number and currency. */
  prices: Map<string, number>;
  /** Articles of other sectors, for nouns that belong to one. */
  otherArticles: Map<string, Article[]>;
  departments: [string, string[]][];
  documents: string[];
  /** The rows behind `documents`, oldest first once somebody has asked for one. */
  spoken: { number: string; of: Handle }[];
  /** Last number given out: table, and `table.col` for running numbers; by service. */
  counters: Record<string, Record<string, number>>;
}

/** One value to make. */
export interface Cell {
  w: World;
  h: Handle;
  col: ColPlan;
  r: Rng;
}

/** Makes a value; undefined when it has nothing to offer, null when the column should stay empty. */
export type Make = (cell: Cell) => SqlValue | undefined;
