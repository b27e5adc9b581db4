/** A door before a trainer, on a free port, and clients to it. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Task } from '../../artifacts/task.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { addressOf, type Json } from '../../kit/hash.js';
import { guardOf } from '../http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from '../http/limits.js';
import { inFront } from '../http/listen.js';
import { PlainLines } from '../http/plain/lines.js';
import { digestOf } from '../http/tokens.js';
import { type RestDoor, type RestDoorForms, restDoor } from '../rest/door.js';
import type { Trainer } from '../trainer.js';

export const TOKEN = 'admin-token-for-tests-0123456789';

export const WRITE = { tool: 'create_customer', arguments: { name: 'Nia Wolf', email: 'nia@mail.example' } };
export const READ = { tool: 'search_customers', arguments: {} };

const milestone = (email: string): Json => ({
  id: 'entered',
  node: 'enter',
  checks: [{ id: 'there', kind: 'exists', footprint: [], service: 'billing', table: 'customer', where: { email } }],
});

/** Verifiers of other tasks than TASK's. */
export const VERIFIERS: [Json, Json] = [
  { treadle: 'verifier/1', milestones: [milestone('a@mail.example')] },
  { treadle: 'verifier/1', milestones: [milestone('b@mail.example')] },
];

/** A task that WRITE fulfils. */
export const taskOn = (world: WorldSpec): Task =>
  Task.parse({
    treadle: 'task/1',
    id: 'enter-nia',
    kind: 'atomic',
    world: addressOf(world),
    worldId: world.id,
    services: ['billing'],
    actor: { name: 'Ada Ek', email: 'ada@fixture.example', title: 'Clerk' },
    brief: 'Please enter Nia Wolf (nia@mail.example) as a customer.',
    snapshot: world.snapshot,
    clock: world.clock,
    nodes: [
      { id: 'enter', family: 'create', intent: 'enter a customer', service: 'billing', chain: ['create_customer'] },
    ],
    edges: [],
    bindings: [],
    disclosure: { persona: 'brief', stages: [] },
    milestones: [milestone('nia@mail.example')],
    reference: { calls: [{ service: 'billing', tool: WRITE.tool, args: WRITE.arguments }], answer: '', sources: [] },
    lineage: { template: 'create', seed: 'fixture' },
  });

export interface Listening {
  origin: string;
  server: Server;
  close(): Promise<void>;
}

/** A door of both forms is served in both, as `listen` does. */
export const listenOn = async (door: RequestListener | RestDoorForms, timeouts: object = {}): Promise<Listening> => {
  const forms = typeof door === 'function' ? { listener: door } : door;
  const server = createServer(timeouts, forms.listener);
  const lines = 'plain' in forms ? inFront(server, new PlainLines(forms.plain, DEFAULT_LIMITS)) : undefined;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        lines?.close();
        lines?.cut();
      }),
  };
};

export const doorBefore = (
  trainer: Trainer,
  rest: Partial<RestDoor> = {},
  limits: Partial<HttpLimits> = {},
): RestDoorForms =>
  restDoor({
    trainer,
    digest: digestOf(TOKEN),
    guard: guardOf({}),
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...rest,
  });
