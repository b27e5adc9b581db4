/** `treadle gateway` around programs that speak to a model. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeServer, fakeServer, reply } from '../../src/models/fake-server.fixture.js';
import { treadle, treadleBeside } from './cli.js';

let backend: FakeServer;
let dir: string;
beforeEach(async () => {
  backend = await fakeServer((seen, response) => reply(seen, response, { content: 'Hello.' }));
  dir = mkdtempSync(join(tmpdir(), 'treadle-gateway-'));
});
afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await backend.close();
});

/** Asks once by the environment's OpenAI names, and ends with 3 when it is refused. */
const AGENT = `
const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, TREADLE_TEST_ASKS: asks } = process.env;
for (let n = 0; n < Number(asks); n++) {
  const answer = await fetch(url + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi ' + n }] }),
  });
  const body = await answer.json();
  console.log(body.choices ? body.choices[0].message.content : body.error.code);
  if (!answer.ok) process.exit(3);
}`;
const run = (asks: number, more: string[] = []) => {
  const program = ['--', process.execPath, '--input-type=module', '-e', AGENT];
  const base = ['gateway', '--base-url', `${backend.url}/v1`, '--model', 'm1', '--out', 'run.json'];
  return treadleBeside([...base, ...more, ...program], { cwd: dir, env: { TREADLE_TEST_ASKS: String(asks) } });
};

it('runs a program and records what it said', async () => {
  const { status, stdout } = await run(1);
  expect([status, stdout]).toEqual([0, expect.stringContaining('2 messages in 1 answers, 7 + 3 tokens')]);
  const { messages } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'));
  expect(messages).toEqual([
    { role: 'user', content: 'Hi 0' },
    { role: 'assistant', content: 'Hello.' },
  ]);
});

it('keeps a budget, says that the program failed, and gives one JSON value', async () => {
  const { status, stdout } = await run(3, ['--turns', '2', '--json']);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ usage: { turns: 2 }, problem: { code: 'turn_budget' }, out: 'run.json' });
});

it('names what is wrong with its options', () => {
  const base = ['gateway', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'm'];
  const missing = treadle([...base, '--', 'no-such-program-here'], { cwd: dir });
  expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('no-such-program-here')]);
  const money = treadle([...base, '--max-cost', '1', '--', 'true'], { cwd: dir });
  expect([money.status, money.stderr]).toEqual([2, expect.stringContaining('prices')]);
});
