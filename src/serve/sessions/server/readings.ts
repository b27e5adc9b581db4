/** What is read of a session without changing it. */
import type { Json } from '../../../kit/hash.js';
import type { SessionLedger } from '../../api.js';
import type { SessionTool } from '../../tool-host.js';
import type { SessionState } from '../../trainer.js';
import { toolGroups, toolsOfService } from '../describe.js';
import type { Session } from '../session.js';
import type { LiveSession } from './live-session.js';

/** Tools of all services, or of one. */
export const toolGroupsOf = (
  { house, start, companions }: LiveSession,
  offered: ReadonlySet<string>,
  service?: string,
): (readonly SessionTool[])[] => {
  const world = house.worlds.get(start.ground);
  if (service !== undefined) return [toolsOfService(world, service)];
  const own = toolGroups(world, offered);
  const { tools = [] } = start.woven ?? {};
  if (companions.isEmpty && tools.length === 0) return own;
  return [...own, companions.tools(), tools].filter(({ length }) => length > 0);
};

/** The ledger with wall-clock times. */
export const recordOf = ({ start: { id, labels, pins }, book }: LiveSession): SessionLedger => ({
  session: id,
  labels,
  pins,
  entries: [...book.served()],
});

export const stateOf = (session: Session): SessionState => ({
  hash: session.hash(),
  clock: session.clock,
  changes: session.diff() as unknown as Record<string, Json>,
  files: session.workspace.list(),
});

/** A service's database as a SQLite file. Throws `unknown_service`. */
export const databaseOf = (session: Session, service: string, which: 'initial' | 'final'): Uint8Array => {
  const loaded = session.world.services.get(service);
  if (which === 'initial' && loaded) return loaded.pristine.bytes();
  return session.view(service).bytes();
};
