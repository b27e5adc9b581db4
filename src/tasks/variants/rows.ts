/** More rows for a variant to be about: like the world's own, under names of its spare rows (Task.grounding). */
import type { Table } from '../../artifacts/table.js';
import type { Grounding } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { brokenRows } from '../../verify/invariants.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import type { Grounded } from '../atomic/candidate.js';
import { Copier } from '../ground/copies.js';
import { type Ground, prepareGround } from '../ground/ground.js';

const broken = (world: LoadedWorld): number => {
  const states = Object.fromEntries([...world.services.values()].map(({ id, pristine }) => [id, pristine]));
  return world.spec.invariants.reduce((sum, one) => sum + brokenRows(world, one, states, world.spec.clock).length, 0);
};

/** The name of a spare row that no row has; nothing where rows are named by a number of their own. */
const otherName = (ground: Ground, service: LoadedService, table: string, random: Rng): Row => {
  const spec = service.spec.tables[table] as Table;
  const { label } = spec;
  const column = label ? spec.cols[label] : undefined;
  if (!label || column?.type !== 'text' || column.auto || column.enum || column.fk) return {};
  const rows = ground.rows(service)(table);
  const free = ground
    .spare(service)(table)
    .map((row) => row[label] ?? null)
    .filter((name) => name !== null && !rows.some((row) => row[label] === name));
  return free.length > 0 ? { [label]: random.pick(free) } : {};
};

/** The ground with up to `count` more rows in a table, which are what families may act on there; undefined where none fits the world and its rules. */
export const withMore = (
  ground: Ground,
  service: LoadedService,
  table: string,
  count: number,
  random: Rng,
): Grounded | undefined => {
  const copier = new Copier(ground, random.int(0, 9_999));
  const rows: Row[] = [];
  for (const donor of random.sample(ground.rows(service)(table), count)) {
    const row = copier.add(service, table, donor, otherName(ground, service, table, random), random);
    if (row) rows.push(row);
  }
  copier.drop();
  if (rows.length === 0) return undefined;
  const grounding: Grounding = {
    rounds: [{ round: 'entities', rows: rows.map((row) => ({ service: service.id, table, row })) }],
  };
  const world = groundedWorld(ground.world, grounding);
  const drop = (): void => dropGrounded(ground.world, world);
  if (broken(world) > broken(ground.world)) {
    drop();
    return undefined;
  }
  const own = prepareGround(world);
  const key = service.keys[table] as string;
  const keys = new Set(rows.map((row) => row[key]));
  const subjects: Ground['subjects'] = (there, name) => {
    const all = own.rows(there)(name);
    return there.id === service.id && name === table ? all.filter((row) => keys.has(row[key] ?? null)) : all;
  };
  return { ground: { ...own, actor: ground.actor, spare: ground.spare, subjects }, grounding, drop };
};
