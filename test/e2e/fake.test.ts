/** `treadle serve DOCUMENT --rest` with faults and webhooks, as its users see it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { TILL } from '../../src/fake/testing/till.fixture.js';
import { MAIN, scratch, treadle } from './cli.js';

vi.setConfig({ testTimeout: 120_000 });
const dir = scratch();
const api = join(dir, 'till.json');
writeFileSync(api, JSON.stringify(TILL));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('makes operations fail by rule, and sends signed webhooks', async () => {
  const taken: { signature: unknown; body: unknown }[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      taken.push({ signature: request.headers['stripe-signature'], body: JSON.parse(text) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const server = spawn(
    process.execPath,
    [MAIN, 'serve', api, '--rest', '--json', '--fault', 'createCustomer=503x1', '--webhook', hooks],
    { env: { ...process.env, TREADLE_WEBHOOK_SECRET: 'abc' } },
  );
  const [text] = (await once(server.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(String(text)) as { url: string };
  const own = `${url}/_treadle/s/me`;
  const create = () =>
    fetch(`${own}/customers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ana', email: 'ana@mail.example' }),
    });
  expect([(await create()).status, (await create()).status]).toEqual([503, 201]);
  await vi.waitFor(() => expect(taken).toHaveLength(1), { timeout: 30_000 });
  expect(taken).toMatchObject([
    { signature: expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/), body: { data: { object: { name: 'Ana' } } } },
  ]);
  const { webhooks } = (await (await fetch(`${own}/_treadle/webhooks`)).json()) as { webhooks: object[] };
  expect(webhooks).toMatchObject([{ event: 'customer.created' }]);
  server.kill('SIGTERM');
  expect((await once(server, 'exit'))[0]).toBe(0);
  receiver.close();
});

it('refuses rules and addresses that mean nothing, in one line', () => {
  const said = (...args: string[]): string => treadle(['serve', api, '--rest', ...args]).stderr.trim();
  expect(said('--fault', 'createCustmer=503')).toMatch(/^error unknown_operation: .*createCustomer.*$/);
  expect(said('--webhook', 'localhost')).toMatch(/^error bad_webhook: [^\n]*$/);
});
