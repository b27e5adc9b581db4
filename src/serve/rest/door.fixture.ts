/** A door before a fake trainer of the fixture world, and requests to it as careless and hostile clients make them. */
import { request } from 'node:http';
import type { TreadleError } from '../../errors.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { doorBefore, type Listening, listenOn, TOKEN, taskOn } from '../client/bench.fixture.js';
import { type FakeOptions, type FakeTrainer, fakeTrainer } from '../client/trainer.fixture.js';
import type { HttpLimits } from '../http/limits.js';
import type { Trainer } from '../trainer.js';
import type { RestDoor } from './door.js';

export type Body = Record<string, unknown> & { error?: { code: string; message: string; value?: unknown } };

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Empty where the text is not JSON. */
  json: Body;
}

export interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  key?: string;
  body?: string | Buffer;
}

export interface Door {
  origin: string;
  trainer: FakeTrainer;
  server: Listening;
  defects: TreadleError[];
  /** With the admin token, unless `headers` say otherwise, on a connection of its own. */
  ask(asked: Asked): Promise<Answered>;
  opened(): Promise<string>;
}

export const AUTH = { authorization: `Bearer ${TOKEN}` };

export const codeOf = ({ status, json }: Answered): string => `${status} ${json.error?.code}`;

const parsed = (text: string): Body => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

const askAt = (origin: string, { method = 'POST', path, headers, json, key, body }: Asked): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const all = {
      ...AUTH,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    };
    const sent = request({ hostname, port, method, path, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    sent.on('error', reject);
    sent.end(json === undefined ? body : JSON.stringify(json));
  });

export interface DoorOptions {
  fake?: FakeOptions;
  /** What stands between the door and the fake. */
  trainer?: (fake: FakeTrainer) => Trainer;
  rest?: Partial<RestDoor>;
  limits?: Partial<HttpLimits>;
  timeouts?: object;
}

export const openDoor = async (
  world: LoadedWorld,
  { fake = {}, trainer: between = (one) => one, rest, limits, timeouts }: DoorOptions,
): Promise<Door> => {
  const trainer = fakeTrainer(world, { tasks: [taskOn(world.spec)], ...fake });
  const defects: TreadleError[] = [];
  const onDefect = (error: TreadleError): unknown => defects.push(error);
  const server = await listenOn(doorBefore(between(trainer), { onDefect, ...rest }, limits), timeouts);
  const ask = (asked: Asked): Promise<Answered> => askAt(server.origin, asked);
  const opened = async (): Promise<string> =>
    (await ask({ path: '/v1/sessions', json: { world: 'fixture' } })).json.id as string;
  return { origin: server.origin, trainer, server, defects, ask, opened };
};
