/** What the tests of the session server share: servers that end with each test, and short ways to ask them. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type FixtureServer, fixtureServer } from '../../../../test/fixtures/server.js';
import type { Json } from '../../../kit/hash.js';
import { Engine } from '../../../world/state/engine.js';
import type { OpenedSession } from '../../api.js';
import type { CallOutcome } from '../../tool-host.js';
import type { ServerLimits } from './options.js';

let engine: Engine;
let made: FixtureServer[] = [];

/** Call it once at the top of a test file. */
export const withServers = (): void => {
  beforeAll(async () => {
    engine = await Engine.start();
  });
  afterEach(async () => {
    await Promise.all(made.map(({ server }) => server.shutDown()));
    made = [];
  });
  afterAll(() => engine.close());
};

export const start = (limits: Partial<ServerLimits> = {}, options = {}): FixtureServer => {
  const fixture = fixtureServer(engine, limits, options);
  made.push(fixture);
  return fixture;
};

export const TASK = { task: 'fixture/new-customer-1' };

/** The value of what must not answer later. */
export const now = <T>(value: T | Promise<T>): T => {
  if (value instanceof Promise) throw new Error('answered later');
  return value;
};
export const open = (fixture: FixtureServer, request: object = TASK): OpenedSession =>
  now(fixture.server.open(request));
export const call = ({ server }: FixtureServer, { id }: { id: string }, tool: string, args: Json = {}): CallOutcome =>
  now(server.live(id).call(tool, args));
export const add = (fixture: FixtureServer, session: { id: string }, n: number): CallOutcome =>
  call(fixture, session, 'create_customer', { name: `New ${n}`, email: `new${n}@mail.example` });
export const stateOf = ({ server }: FixtureServer, { id }: { id: string }) => now(server.live(id).state());
export const code = (code: string) => expect.objectContaining({ code });

export const toDisk = async ({ server }: FixtureServer, { id }: { id: string }): Promise<void> => {
  server.live(id).park();
  await server.live(id).leaveMemory();
};
