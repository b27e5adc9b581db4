/** Who a session's tools act for. One rule everywhere, so that a replay writes the same bytes as the first run. */
import type { Task } from '../../artifacts/task.js';
import { rng } from '../../kit/rng.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Caller } from '../../world/program/types.js';

export interface Actor extends Caller {
  title: string;
}

/** A caller is known to services by the work e-mail, the key that all of them share. */
export const callerOf = ({ name, email }: Pick<Task['actor'], 'name' | 'email'>): Caller => ({
  id: email,
  name,
  email,
});

/** The employee on whose behalf agents work where no task says so: an active one with a superior, drawn by the world's seed. */
export const actorOf = (world: LoadedWorld): Actor => {
  const directory = world.services.get('directory');
  if (!directory?.spec.tables.employee) {
    const email = `operator@${world.spec.company.domain}`;
    return { ...callerOf({ name: 'the operator', email }), title: 'Operator' };
  }
  directory.connection.bind(directory.pristine);
  const rows = directory.connection.prepare('SELECT * FROM "employee" ORDER BY rowid').all();
  const able = rows.filter((candidate) => candidate.status === 'active' && candidate.manager_id !== null);
  const row = able.length > 0 ? rng(world.spec.seed, 'actor').pick(able) : rows[0];
  return {
    ...callerOf({ name: String(row?.name ?? ''), email: String(row?.email ?? '') }),
    title: String(row?.title ?? ''),
  };
};
