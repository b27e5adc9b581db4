/** A world with a task's own rows in it: the initial state that the task's sessions start on (weft.txt 3.1.2). */
import type { Grounding } from '../artifacts/task.js';
import { TreadleError } from '../errors.js';
import { canonicalJson } from '../kit/hash.js';
import type { LoadedService, LoadedWorld, WorldTool } from './loaded.js';
import type { State } from './state/state.js';
import type { SqlValue } from './state/types.js';

type Added = Grounding['rounds'][number]['rows'];

const refused = (value: unknown, message: string): TreadleError =>
  new TreadleError({
    code: 'bad_grounding',
    message,
    value,
    next: 'Make the task anew on this world: treadle tasks.',
    fault: 'verifier',
  });

const insert = (service: LoadedService, state: State, rows: Added): void => {
  const { connection, spec } = service;
  connection.bind(state);
  connection.begin();
  for (const { table, row } of rows) {
    if (!spec.tables[table]) {
      connection.rollback();
      throw refused(`${service.id}.${table}`, 'A task adds rows to a table the world lacks');
    }
    const cols = Object.keys(row);
    const values = Object.values(row).map((value): SqlValue => (typeof value === 'boolean' ? Number(value) : value));
    const names = cols.map((col) => `"${col}"`).join(', ');
    try {
      connection.prepare(`INSERT INTO "${table}" (${names}) VALUES (${cols.map(() => '?').join(', ')})`).run(values);
    } catch (thrown) {
      connection.rollback();
      throw refused(
        canonicalJson(row),
        `A row that a task adds to ${service.id}.${table} does not fit: ${(thrown as Error).message}`,
      );
    }
  }
  try {
    connection.commit();
  } catch (thrown) {
    connection.rollback();
    throw refused(service.id, `Rows that a task adds lead nowhere: ${(thrown as Error).message}`);
  }
};

/**
 * The world as the task finds it; the given one where the task adds nothing. Give its pages back with `dropGrounded`. Costs one
 * insert a row, once; sessions on it fork as those of any world do. Throws `bad_grounding`.
 */
export const groundedWorld = (world: LoadedWorld, grounding: Grounding | undefined): LoadedWorld => {
  const added = grounding?.rounds.flatMap(({ rows }) => rows) ?? [];
  if (added.length === 0) return world;
  const services = new Map(world.services);
  try {
    for (const id of new Set(added.map(({ service }) => service))) {
      const service = world.services.get(id);
      if (!service) throw refused(id, 'A task adds rows to a service the world lacks');
      const pristine = service.pristine.fork();
      services.set(id, { ...service, pristine });
      insert(
        service,
        pristine,
        added.filter((row) => row.service === id),
      );
    }
  } catch (thrown) {
    dropStates(world, services);
    throw thrown;
  }
  const tools = new Map<string, WorldTool>();
  for (const [name, { service, tool }] of world.tools)
    tools.set(name, { service: services.get(service.id) as LoadedService, tool });
  return { ...world, services, tools };
};

const dropStates = (world: LoadedWorld, services: ReadonlyMap<string, LoadedService>): void => {
  for (const [id, { pristine }] of services) if (pristine !== world.services.get(id)?.pristine) pristine.drop();
};

/** Gives back what `groundedWorld` made of `world`; its sessions must be dropped first. */
export const dropGrounded = (world: LoadedWorld, grounded: LoadedWorld): void => {
  if (grounded !== world) dropStates(world, grounded.services);
};
