/**
 * Progressive grounding (weft.txt 3.1.2): what the cases of an errand are about is added to the world's initial data in three
 * rounds: the entity a case begins with; rows that tie it to what later steps deal with, in the states those steps need; and
 * history and near-duplicates, which a careless agent would take for them. What would break one of the world's rules is not added.
 */
import type { Table } from '../../artifacts/table.js';
import type { Grounding } from '../../artifacts/task.js';
import { DAY } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { brokenRows } from '../../verify/invariants.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { otherNumber } from '../atomic/figures.js';
import { Copier } from '../ground/copies.js';
import type { Ground } from '../ground/ground.js';
import type { Errand } from './errands.js';

type Round = Grounding['rounds'][number]['round'];
type Added = Grounding['rounds'][number]['rows'][number];

export interface Anchor {
  service: string;
  table: string;
  key: string | number;
}

/** An errand with the rows that one case of it is about, those of its first steps first. */
export interface PlannedCase {
  errand: Errand;
  anchors: Anchor[];
}

interface Held {
  service: LoadedService;
  table: string;
  row: Row;
}

/** Rows that belong to no step, for each case. */
const MOST_CONTEXT = 3;

/** States of the table from which the tool's verb may be done; undefined where any will do. */
const statesFor = (spec: Table, verb: string): readonly string[] | undefined =>
  spec.machine?.moves.find((move) => move.verb === verb)?.from;

const isOver = (spec: Table, row: Row): boolean =>
  spec.machine !== undefined &&
  !spec.machine.moves.some(({ from }) => from.includes(String(row[spec.machine?.col ?? ''])));

/** Columns of a table that tie it to a row that is held already, by foreign key or by a key that two services share. */
const tiesTo = (world: LoadedWorld, service: LoadedService, table: string, held: readonly Held[]): Row => {
  const out: Row = {};
  const tie = (col: string, value: SqlValue | undefined): void => {
    if (!Object.hasOwn(out, col) && value !== null && value !== undefined) out[col] = value;
  };
  for (const one of [...held].reverse()) {
    if (one.service.id === service.id)
      for (const [col, column] of Object.entries(service.spec.tables[table]?.cols ?? {}))
        if (column.fk === one.table) tie(col, one.row[service.keys[one.table] as string]);
    for (const { from, to } of world.spec.links) {
      if (
        from.service === service.id &&
        from.table === table &&
        to.service === one.service.id &&
        to.table === one.table
      )
        tie(from.col, one.row[to.col]);
      if (
        to.service === service.id &&
        to.table === table &&
        from.service === one.service.id &&
        from.table === one.table
      )
        tie(to.col, one.row[from.col]);
    }
  }
  return out;
};

class Rounds {
  readonly rows: Record<Round, Added[]> = { entities: [], relations: [], context: [] };
  readonly #ground: Ground;
  readonly #random: Rng;
  readonly #broken: Map<string, number>;
  #copier: Copier;

  constructor(ground: Ground, random: Rng) {
    this.#ground = ground;
    this.#random = random;
    this.#copier = new Copier(ground);
    this.#broken = this.#count();
  }

  /** Rows that break each of the world's rules. */
  #count(): Map<string, number> {
    const { world } = this.#ground;
    const states = this.#copier.states();
    return new Map(
      world.spec.invariants.map((one) => [one.id, brokenRows(world, one, states, world.spec.clock).length]),
    );
  }

  get #breaks(): boolean {
    return [...this.#count()].some(([id, n]) => n > (this.#broken.get(id) ?? 0));
  }

  #add(round: Round, service: LoadedService, table: string, donor: Row, set: Row): Row | undefined {
    const row = this.#copier.add(service, table, donor, set, this.#random);
    if (row) this.rows[round].push({ service: service.id, table, row });
    return row;
  }

  /** A name of another of its kind: two entities of one name would be one too many where nobody asked for that. */
  #renamed(service: LoadedService, table: string): Row {
    const label = service.spec.tables[table]?.label;
    const column = label ? service.spec.tables[table]?.cols[label] : undefined;
    if (!label || column?.auto || column?.type !== 'text' || column.enum || column.fk) return {};
    const spare = this.#ground.spare(service)(table);
    const taken = new Set(this.#copier.rows(service, table).map((row) => row[label]));
    const free = spare.map((row) => row[label] ?? null).filter((value) => value !== null && !taken.has(value));
    return free.length > 0 ? { [label]: this.#random.pick(free) } : {};
  }

  /** The row that a step deals with, tied to what is held. */
  #subject(round: Round, service: LoadedService, table: string, verb: string, held: readonly Held[]): Held | undefined {
    const spec = service.spec.tables[table] as Table;
    const ties = tiesTo(this.#ground.world, service, table, held);
    if (held.length > 0 && Object.keys(ties).length === 0) return undefined;
    const states = statesFor(spec, verb);
    const all = this.#copier.rows(service, table);
    const col = spec.machine?.col;
    const donors = all.filter((row) => (states && col ? states.includes(String(row[col])) : !isOver(spec, row)));
    for (const donor of this.#random.sample(donors, 3)) {
      const row = this.#add(round, service, table, donor, { ...this.#renamed(service, table), ...ties });
      if (row) return { service, table, row };
    }
    return undefined;
  }

  /** The same but for a day or a figure; or one of the same that is long over. */
  #likeness({ service, table, row }: Held): void {
    const spec = service.spec.tables[table] as Table;
    const random = this.#random;
    const days = Object.entries(spec.cols).filter(([col, { type }]) => type === 'date' && typeof row[col] === 'number');
    const sums = Object.entries(spec.cols).filter(([col, { type }]) => type === 'money' && Number(row[col]) > 0);
    const shift = random.int(1, 6) * (random.chance(0.5) ? DAY : -DAY);
    const set: Row = Object.fromEntries(days.map(([col]) => [col, Number(row[col]) + shift]));
    const [sum] = random.shuffle(sums);
    const other =
      sum && otherNumber(Number(row[sum[0]]), sum[1].min ?? 0, sum[1].max ?? Number.MAX_SAFE_INTEGER, random);
    if (sum && other !== undefined && sums.length === 1) set[sum[0]] = other;
    if (Object.keys(set).length > 0) this.#add('context', service, table, row, set);
    const past = this.#copier.rows(service, table).filter((one) => isOver(spec, one));
    if (past.length === 0 || !random.chance(0.5)) return;
    const ties = Object.fromEntries(
      Object.entries(spec.cols).flatMap(([col, { fk }]) => (fk ? [[col, row[col] ?? null]] : [])),
    );
    this.#add('context', service, table, random.pick(past), ties);
  }

  /** The verb that first moves a row of the tool's table: the state it needs is the one to begin in. */
  #firstMove(errand: Errand, tool: string): string {
    const { world } = this.#ground;
    const first = world.tools.get(tool);
    const spec = first?.service.spec.tables[first.tool.tool.table];
    for (const step of errand.steps.slice(errand.steps.findIndex((one) => one.tool === tool))) {
      const found = world.tools.get(step.tool);
      if (found?.service !== first?.service || found?.tool.tool.table !== first?.tool.tool.table) continue;
      const verb = found?.tool.tool.id.split('.')[1] ?? '';
      if (spec && statesFor(spec, verb)) return verb;
    }
    return '';
  }

  /** Plans a case; undefined where the world has nothing that its steps could begin with. */
  plan(errand: Errand): PlannedCase {
    const { world } = this.#ground;
    const held: Held[] = [];
    const kept = { ...this.rows };
    for (const round of Object.keys(this.rows) as Round[]) kept[round] = [...this.rows[round]];
    for (const { tool } of errand.steps) {
      const found = world.tools.get(tool);
      if (!found || found.service.role === 'core') continue;
      const { service } = found;
      const { op, table } = found.tool.tool;
      if (op === 'create' || held.some((one) => one.service === service && one.table === table)) continue;
      const made = this.#subject(
        held.length === 0 ? 'entities' : 'relations',
        service,
        table,
        this.#firstMove(errand, tool),
        held,
      );
      if (made) held.push(made);
    }
    for (const one of this.#random.sample(held, MOST_CONTEXT)) this.#likeness(one);
    if (this.#breaks) {
      // The rows of this case go; those before it stay.
      this.#restart(kept);
      return { errand, anchors: [] };
    }
    const anchors = held.map(({ service, table, row }) => ({
      service: service.id,
      table,
      key: row[service.keys[table] as string] as string | number,
    }));
    return { errand, anchors };
  }

  #restart(rows: Record<Round, Added[]>): void {
    const { serial } = this.#copier;
    this.#copier.drop();
    this.#copier = new Copier(this.#ground, serial);
    for (const round of ['entities', 'relations', 'context'] as const) this.rows[round] = [];
    const all = (['entities', 'relations', 'context'] as const).flatMap((round) =>
      rows[round].map((added) => ({ round, added })),
    );
    for (const { round, added } of all) {
      const service = this.#ground.world.services.get(added.service);
      if (service && this.#copier.put(service, added.table, added.row as Row)) this.rows[round].push(added);
    }
  }

  drop(): void {
    this.#copier.drop();
  }
}

/** Cases of the errands in turn, `count` of them, and the rows that they need beyond the world's own. */
export const planCases = (
  ground: Ground,
  errands: readonly Errand[],
  count: number,
  random: Rng,
): { cases: PlannedCase[]; grounding: Grounding } => {
  const rounds = new Rounds(ground, random);
  const cases: PlannedCase[] = [];
  for (let i = 0; errands.length > 0 && i < count; i++) cases.push(rounds.plan(errands[i % errands.length] as Errand));
  const { entities, relations, context } = rounds.rows;
  rounds.drop();
  const grounding: Grounding = {
    rounds: [
      { round: 'entities', rows: entities },
      { round: 'relations', rows: relations },
      { round: 'context', rows: context },
    ],
  };
  return { cases, grounding };
};
