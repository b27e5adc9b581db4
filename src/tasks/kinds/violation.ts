/** A world in which one rule is broken by one row: rows like those that are there, added for the task (Task.grounding). */
import type { Column, Table } from '../../artifacts/table.js';
import type { Grounding } from '../../artifacts/task.js';
import { situationOf } from '../../certify/invariants/situation.js';
import type { Rng } from '../../kit/rng.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import { idOf } from '../../world/ids.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { type Ground, prepareGround } from '../ground/ground.js';
import { brokenBy, type Rule, rulesOf } from './rules.js';

/** Counters of keys from here on: sessions count up from the world's own rows and do not get there. */
const FAR = 2_000_000;
const TRIES = 6;

const isUnique = (spec: Table, col: string): boolean =>
  spec.cols[col]?.unique === true || (spec.unique ?? []).some((cols) => cols.length === 1 && cols[0] === col);

const numberIn = (value: SqlValue | undefined): number =>
  Number(/(\d+)\D*$/.exec(String(value ?? ''))?.[1] ?? Number.NaN);

/** A running number that nothing has: one left out between those that are there, else one before them. */
const freeNumber = (column: Column, col: string, rows: readonly Row[], random: Rng): SqlValue | undefined => {
  const taken = rows.map((row) => numberIn(row[col])).filter(Number.isFinite);
  const [low, high] = [Math.min(...taken), Math.max(...taken)];
  const open = Array.from({ length: Math.min(400, Math.max(0, high - low)) }, (_, i) => low + 1 + i).filter(
    (n) => !taken.includes(n) && n < high,
  );
  const n = open.length > 0 ? random.pick(open) : low - random.int(3, 40);
  if (!Number.isFinite(n) || n <= 0) return undefined;
  return column.type === 'text' ? `${column.prefix ?? ''}${n}` : n;
};

/** A row like `donor` with `set` in it and with a key and unique values of its own; undefined where one cannot be made up. */
const rowLike = (
  ground: Ground,
  service: LoadedService,
  table: string,
  donor: Row,
  set: Row,
  random: Rng,
): Row | undefined => {
  const spec = service.spec.tables[table] as Table;
  const { gen, col: key } = spec.key;
  if (!gen) return undefined;
  const rows = ground.rows(service)(table);
  const out: Row = { ...donor, ...set };
  out[key] = idOf(gen, `${ground.world.spec.seed}/${service.id}/${table}`, FAR + random.int(0, 9_999));
  for (const [col, column] of Object.entries(spec.cols)) {
    const value = out[col];
    if (col === key || value === null || value === undefined || Object.hasOwn(set, col)) continue;
    if (column.auto === 'number' || (isUnique(spec, col) && Number.isFinite(numberIn(value)) && !column.fk)) {
      const made =
        column.auto === 'number'
          ? freeNumber(column, col, rows, random)
          : String(value).replace(
              /(\d+)(\D*)$/,
              (_, digits: string, end: string) => `${Number(digits) + random.int(400, 900)}${end}`,
            );
      if (made === undefined || rows.some((row) => row[col] === made)) return undefined;
      out[col] = made;
    } else if (isUnique(spec, col)) {
      if (column.required) return undefined;
      out[col] = null;
    }
  }
  return out;
};

export interface Violation {
  rule: Rule;
  /** The world with the rows in it; a ground of its own, to be given back with `drop`. */
  ground: Ground;
  grounding: Grounding;
  /** The trigger row that breaks the rule, and the rows of the other end that are tied to it. */
  trigger: Row;
  culprits: Row[];
  drop(): void;
}

/** What a row of the target table says of the trigger besides the key that ties them. */
const repeatedOf = (ground: Ground, { invariant: { trigger, target } }: Rule, row: Row): Row =>
  Object.fromEntries(
    Object.keys(ground.world.services.get(target.service)?.spec.tables[target.table]?.cols ?? {}).flatMap((col) => {
      const link = ground.linked(target.service, target.table, col);
      return link?.service.id === trigger.service && link.table === trigger.table ? [[col, row[link.col] ?? null]] : [];
    }),
  );

/** One row that breaks the rule, as it would be added. */
const breaking = (
  ground: Ground,
  rule: Rule,
  random: Rng,
): { service: LoadedService; table: string; row: Row } | undefined => {
  const { trigger, target, key } = rule.invariant;
  const session = ground.fresh();
  const situation = situationOf(ground.world, rule.invariant);
  const triggers = situation.triggers(session, false);
  const [ends, donors, set]: [typeof trigger, Row[], (random: Rng) => Row | undefined] =
    target.expect === 'none'
      ? [
          target,
          situation.meeting(session),
          () => {
            if (triggers.length === 0) return undefined;
            const row = random.pick(triggers);
            return { ...repeatedOf(ground, rule, row), [key.target]: row[key.trigger] ?? null };
          },
        ]
      : [
          trigger,
          triggers,
          () => {
            const near = situation.almostTriggers(session);
            return near.length > 0 ? { [key.trigger]: random.pick(near)[key.trigger] ?? null } : undefined;
          },
        ];
  const service = ground.world.services.get(ends.service);
  const donor = donors.length > 0 ? random.pick(donors) : undefined;
  const own = donor ? set(random) : undefined;
  session.drop();
  const row = service && donor && own ? rowLike(ground, service, ends.table, donor, own, random) : undefined;
  return service && row ? { service, table: ends.table, row } : undefined;
};

/** Breaks the rule once, and no other; undefined where that cannot be done with one more row. */
export const violate = (ground: Ground, rule: Rule, random: Rng): Violation | undefined => {
  for (let turn = 0; turn < TRIES; turn++) {
    const added = breaking(ground, rule, random);
    if (!added) continue;
    const { service, table, row } = added;
    const grounding: Grounding = { rounds: [{ round: 'entities', rows: [{ service: service.id, table, row }] }] };
    let world = ground.world;
    try {
      world = groundedWorld(ground.world, grounding);
    } catch {
      continue;
    }
    const drop = (): void => dropGrounded(ground.world, world);
    const broken = rulesOf(world).map((one) => ({ one, keys: brokenBy(world, one) }));
    const [key] = broken.find(({ one }) => one.policy.id === rule.policy.id)?.keys ?? [];
    if (key === undefined || broken.reduce((sum, { keys }) => sum + keys.length, 0) !== 1) {
      drop();
      continue;
    }
    const own: Ground = { ...prepareGround(world), actor: ground.actor };
    const { trigger, target, key: shared } = rule.invariant;
    const there = world.services.get(trigger.service) as LoadedService;
    const at = own
      .rows(there)(trigger.table)
      .find((one) => one[there.keys[trigger.table] as string] === key) as Row;
    const session = own.fresh();
    const culprits = situationOf(world, rule.invariant)
      .culprits(session)
      .filter((one) => one[shared.target] === at[shared.trigger]);
    session.drop();
    if (target.expect !== 'at_least_one' && culprits.length !== 1) {
      drop();
      continue;
    }
    return { rule, ground: own, grounding, trigger: at, culprits, drop };
  }
  return undefined;
};
