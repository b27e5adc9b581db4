/** A composed task with rows of its own through the gyms: its reward, and the share of its milestones. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Task } from '../../src/artifacts/task.js';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { serveNemoGym } from '../../src/serve/gym/nemo/serve.js';
import { serveOpenEnv } from '../../src/serve/gym/openenv/serve.js';
import { groundedTask, publishTask } from '../fixtures/grounded.js';
import { newCustomer } from '../fixtures/server.js';
import { type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { openSocket, request } from './wire.fixture.js';

let gym: GymFixture;
let doors: { openEnv: GymListening; nemo: GymListening };
let task: Task;
let name: string;
beforeAll(async () => {
  gym = await gymFixture();
  const { registry } = gym.server;
  task = groundedTask(registry.read('task', ZED) as unknown as Task, 'Vogt');
  name = publishTask({ registry }, task);
  doors = {
    openEnv: await serveOpenEnv({ trainer: gym.trainer }),
    nemo: await serveNemoGym({ trainer: gym.trainer }),
  };
});
afterAll(async () => {
  await Promise.all([doors.openEnv.close(), doors.nemo.close()]);
  await gym.close();
});

interface Judged {
  found: unknown;
  reward: unknown;
  milestones: unknown;
}

const search = { query: 'Mara Vogt 11' };

const throughOpenEnv = async (answer: string): Promise<Judged> => {
  const socket = await openSocket(`${doors.openEnv.url}/ws`);
  const step = async (data: object) => (await socket.ask({ type: 'step', data })).data;
  await socket.ask({ type: 'reset', data: { task: name } });
  const call = (tool_name: string, args: object) => step({ type: 'call_tool', tool_name, arguments: args });
  const seen = (await call('search_customers', search)).observation as { result: unknown };
  await call('create_customer', newCustomer);
  const { reward, metadata } = await step({ type: 'finish', answer });
  socket.raw.close();
  return { found: seen.result, reward, milestones: (metadata as { milestones: number }).milestones };
};

const throughNemo = async (answer: string): Promise<Judged> => {
  const row = { responses_create_params: { input: [], tools: [] }, verifier_metadata: { task: name } };
  const seeded = await request(`${doors.nemo.url}/seed_session`, 'POST', row);
  const cookie = seeded.headers.get('set-cookie')?.split(';')[0] as string;
  const post = async (path: string, body: object) =>
    (await request(`${doors.nemo.url}${path}`, 'POST', body, { cookie })).body;
  const found = await post('/search_customers', search);
  await post('/create_customer', newCustomer);
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] };
  const { reward, milestones } = await post('/verify', { ...row, response: { output: [said] } });
  return { found, reward, milestones };
};

it.each([
  ['OpenEnv', throughOpenEnv],
  ['NeMo Gym', throughNemo],
])('%s: all milestones are the reward, some are their share', async (_, through) => {
  const whole = await through(task.reference.answer);
  expect(whole).toMatchObject({ found: { data: [{ name: 'Mara Vogt 11' }] }, reward: 1, milestones: 1 });
  const [first] = task.reference.answer.split('\n');
  expect(await through(`${first}\n2. 7`)).toMatchObject({ reward: 0, milestones: 0.5 });
  expect(await through('')).toMatchObject({ reward: 0, milestones: 0 });
});
