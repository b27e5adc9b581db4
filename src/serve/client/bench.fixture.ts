/** A door before a trainer, on a free port, and clients to it. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Task } from '../../artifacts/task.js';
import { guardOf } from '../http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from '../http/limits.js';
import { digestOf } from '../http/tokens.js';
import { type RestDoor, restDoor } from '../rest/door.js';
import type { Trainer } from '../trainer.js';

export const TOKEN = 'admin-token-for-tests-0123456789';

export const WRITE = { tool: 'create_customer', arguments: { name: 'Nia Wolf', email: 'nia@mail.example' } };
export const READ = { tool: 'search_customers', arguments: {} };

/** A task that WRITE fulfils; only what opening and verifying read. */
export const TASK = {
  treadle: 'task/1',
  id: 'fixture-task',
  services: ['billing'],
  brief: 'Please enter Nia Wolf as a customer.',
  milestones: [
    {
      id: 'entered',
      node: 'n',
      checks: [
        {
          id: 'there',
          kind: 'exists',
          footprint: [],
          service: 'billing',
          table: 'customer',
          where: { email: 'nia@mail.example' },
        },
      ],
    },
  ],
} as unknown as Task;

export interface Listening {
  origin: string;
  server: Server;
  close(): Promise<void>;
}

export const listenOn = async (listener: RequestListener, timeouts: object = {}): Promise<Listening> => {
  const server = createServer(timeouts, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const doorBefore = (
  trainer: Trainer,
  rest: Partial<RestDoor> = {},
  limits: Partial<HttpLimits> = {},
): RequestListener =>
  restDoor({
    trainer,
    digest: digestOf(TOKEN),
    guard: guardOf({}),
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...rest,
  });
