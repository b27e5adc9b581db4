import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fixtureParts } from '../../../test/fixtures/world.js';
import type { Json } from '../../kit/hash.js';
import { doorBefore, listenOn } from '../../serve/client/bench.fixture.js';
import { connect } from '../../serve/client/client.js';
import { type MegaMcp, serveMegaMcp } from '../../serve/megamcp.js';
import { openRegistry } from '../../serve/registry/registry.js';
import { inProcess } from '../../serve/sessions/server/in-process.js';
import { SessionServer } from '../../serve/sessions/server/session-server.js';
import type { Trainer } from '../../serve/trainer.js';
import { Engine } from '../../world/state/engine.js';
import { doctorCommand } from './doctor.js';

const TOKEN = 'admin-token-for-tests-0123456789';
const CAPACITY = 40;

let engine: Engine;
let server: SessionServer;
let served: MegaMcp;

beforeAll(async () => {
  engine = await Engine.start();
  const parts = fixtureParts(engine);
  const registry = openRegistry({});
  for (const spec of parts.services) registry.publish('service', `fixture/${spec.id}`, spec as unknown as Json);
  registry.publish('world', 'fixture', parts.world as unknown as Json);
  server = new SessionServer({ engine, registry, partsOf: () => parts, limits: { capacity: CAPACITY } });
  served = await serveMegaMcp({ server, trainers: { token: TOKEN } });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});
afterAll(async () => {
  await served.close();
  await server.shutDown();
  engine.close();
});

interface Said {
  text: string;
  json: Record<string, never> & { says: string[]; ok: boolean; left: number };
  status: unknown;
  thrown: { code?: string } | undefined;
}

const doctor = async (...args: string[]): Promise<Said> => {
  let text = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  let thrown: Said['thrown'];
  try {
    await new Command('treadle')
      .exitOverride()
      .addCommand(doctorCommand().exitOverride())
      .parseAsync(['doctor', ...args], { from: 'user' });
  } catch (error) {
    thrown = error as { code?: string };
  }
  out.mockRestore();
  const status = process.exitCode;
  process.exitCode = undefined;
  return { text, json: text.startsWith('{') ? JSON.parse(text) : {}, status, thrown };
};

const against = (url: string, ...more: string[]): string[] => ['--against', url, '--token', TOKEN, ...more];

describe('treadle doctor', () => {
  it('looks at the machine', async () => {
    const fine = await doctor('--sessions', '10');
    expect([fine.status, fine.thrown]).toEqual([undefined, undefined]);
    for (const what of ['node', 'cores', 'memory', 'open files']) expect(fine.text).toContain(what);
    const json = (await doctor('--json')).json as unknown as { machine: { what: string }[]; ok: boolean };
    expect(json.machine.map(({ what }) => what)).toEqual(['node', 'cores', 'memory', 'open files']);
  });

  it('measures a server, says what it takes, and leaves nothing open', async () => {
    const { json, status, thrown } = await doctor(
      ...against(served.trainers.url, '--sessions', '32', '--calls', '20', '--json'),
    );
    expect([thrown, status]).toEqual([undefined, undefined]);
    expect(json).toMatchObject({ ok: true, left: 0, opening: { asked: 32, opened: 32 } });
    const calling = json.calling as { concurrency: number; calls: number; failed: number }[];
    expect(calling[0]).toMatchObject({ concurrency: 1, calls: 20, failed: 0 });
    expect(calling.map(({ concurrency }) => concurrency)).toEqual([1, 2, 4, 8, 16, 32].slice(0, calling.length));
    expect(json.says[0]).toMatch(/^It opened 32 of 32 sessions, /);
    expect(json.says.join(' ')).toMatch(/KiB a session.*read-only calls a second/);
    expect(server.size).toBe(0);
    const text = await doctor(...against(served.trainers.url, '--sessions', '4', '--calls', '8'));
    expect(text.text).toMatch(/ 1 at once .* calls\/s/);
    expect(
      server.statistics.report().every(({ tool, failed }) => tool !== '' && Object.keys(failed).length === 0),
    ).toBe(true);
  });

  it('says when the server is full', async () => {
    const { json, status } = await doctor(
      ...against(served.trainers.url, '--sessions', '100', '--calls', '8', '--json'),
    );
    expect(status).toBe(1);
    expect(json).toMatchObject({ ok: false, left: 0, opening: { opened: CAPACITY, refused: { code: 'at_capacity' } } });
    expect(json.says[1]).toMatch(/^Its capacity of 40 sessions is the limit/);
    expect(server.size).toBe(0);
  });

  it('closes everything when it is interrupted', async () => {
    const before = process.listenerCount('SIGINT');
    const made = (): number => server.statistics.report().reduce((sum, { calls }) => sum + calls, 0);
    const earlier = made();
    const asking = doctor(...against(served.trainers.url, '--sessions', '30', '--calls', '1000000'));
    await vi.waitFor(() => expect(made()).toBeGreaterThan(earlier + 50), { timeout: 30_000 });
    process.emit('SIGINT');
    const { thrown } = await asking;
    expect(thrown).toMatchObject({ code: 'interrupted', message: expect.stringContaining('are closed') });
    expect(server.size).toBe(0);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  it('closes what opened although the answer was lost, and what it can when calls fail', async () => {
    const trainer = inProcess(server);
    let opens = 0;
    const lossy: Trainer = {
      ...trainer,
      open: async (...given) => {
        const opened = await trainer.open(...given);
        if (++opens % 5 === 0) throw new Error('lost');
        return { ...opened, token: `${opened.token.slice(0, -4)}0000` };
      },
    };
    const door = await listenOn(doorBefore(lossy));
    const { json, status } = await doctor(...against(door.origin, '--sessions', '30', '--calls', '8', '--json'));
    await door.close();
    expect(status).toBe(1);
    expect(json.says.join(' ')).toMatch(
      /Then it refused: unexpected.*Calls failed at 1 at once \(8 of 8; first failed_call: The MCP endpoint answered 401/,
    );
    expect(server.size).toBe(0);
  });

  it('gives one error for what cannot be asked', async () => {
    expect((await doctor('--against', served.trainers.url)).thrown?.code).toBe('no_token');
    expect((await doctor('--against', served.trainers.url, '--token', 'wrong')).thrown?.code).toBe('unauthorized');
    expect((await doctor(...against(served.url.replace('/mcp', '')))).thrown?.code).toBe('bad_answer');
    expect((await doctor(...against('nonsense'))).thrown?.code).toBe('bad_url');
    const gone = await listenOn(() => {});
    await gone.close();
    expect((await doctor(...against(gone.origin))).thrown?.code).toBe('no_connection');
    for (const args of [
      ['--sessions', '0'],
      ['--sessions', 'many'],
      ['--calls', '-1'],
      ['--against', ''],
    ])
      expect((await doctor(...args)).thrown?.code).toBe('bad_option');
    const empty = new SessionServer({ engine, registry: openRegistry({}), partsOf: () => fixtureParts(engine) });
    const door = await listenOn(doorBefore(inProcess(empty)));
    expect((await doctor(...against(door.origin))).thrown?.code).toBe('nothing_to_open');
    await door.close();
    await empty.shutDown();
  });

  it('reads the token from the environment', async () => {
    vi.stubEnv('TREADLE_ADMIN_TOKEN', TOKEN);
    const { json } = await doctor('--against', served.trainers.url, '--sessions', '2', '--calls', '2', '--json');
    vi.unstubAllEnvs();
    expect(json.ok).toBe(true);
    const client = connect({ url: served.trainers.url, token: TOKEN });
    expect((await client.sessions({ status: 'open' })).length).toBe(0);
    client.disconnect();
  });
});
