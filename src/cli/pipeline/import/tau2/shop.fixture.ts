/** The small shop opened, with what tests of its tools need. */
import { expect } from 'vitest';
import type { Json } from '../../../../kit/hash.js';
import { Session } from '../../../../serve/sessions/session.js';
import { type LoadedService, loadWorld } from '../../../../world/loaded.js';
import { Engine } from '../../../../world/state/engine.js';
import { readTau2 } from './read.js';
import { type Kind, recordReader } from './records.js';
import { assertFaithful } from './replays.js';
import { retailService } from './service.js';
import { writeFolder } from './tau2.fixture.js';
import { worldOf } from './world.js';

export interface Shop {
  open(): Session;
  /** A call that must succeed. */
  call(session: Session, tool: string, args: object): Json;
  record(session: Session, kind: Kind, id: string): { [key: string]: Json };
  /** What a call says that must be refused and change nothing. */
  refused(tool: string, args: object): Json;
  close(): void;
}

/** Writes the small folder into `dir` and imports it. */
export const openShop = async (dir: string): Promise<Shop> => {
  const engine = await Engine.start();
  const folder = readTau2(writeFolder(dir));
  const world = loadWorld(engine, worldOf(engine, folder, retailService(), '1'));
  const service = world.services.get('retail') as LoadedService;
  assertFaithful(service, folder.db);
  const open = (): Session => Session.open(world, { id: 's', me: { id: 'me', name: 'Me', email: 'me@mail.example' } });
  return {
    open,
    call: (session, tool, args) => {
      const { ok, result } = session.call(tool, args);
      expect(ok, JSON.stringify(result)).toBe(true);
      return result;
    },
    record: (session, kind, id) => recordReader(service, session.view('retail'))(kind, id) as { [key: string]: Json },
    refused: (tool, args) => {
      const session = open();
      const hash = session.hash();
      const { ok, result, entry } = session.call(tool, args);
      expect(ok, JSON.stringify(result)).toBe(false);
      expect(entry.error?.fault).toBe('agent');
      expect(session.hash()).toBe(hash);
      session.drop();
      return result;
    },
    close: () => engine.close(),
  };
};
