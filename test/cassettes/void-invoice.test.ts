/**
 * A model's rollout from its cassette, offline. Record anew, against any endpoint, when the request changes on purpose:
 * TREADLE_RECORD_URL=http://127.0.0.1:8000/v1 TREADLE_RECORD_MODEL=NAME npx vitest run test/cassettes
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Trace } from '../../src/artifacts/trace.js';
import { cassette } from '../../src/models/cassette.js';
import { endpoint } from '../../src/models/client.js';
import { modelPolicy } from '../../src/rollout/agents/model.js';
import { rolloutTask } from '../../src/rollout/rollout.js';
import { judgeAnswer } from '../../src/verify/answer.js';
import { toyHost, toyTask } from '../rollout/toy.js';

const file = fileURLToPath(new URL('./void-invoice.jsonl', import.meta.url));
const { TREADLE_RECORD_URL: baseUrl, TREADLE_RECORD_MODEL: recorded } = process.env;
const modelName = (): string =>
  (JSON.parse(readFileSync(file, 'utf8').split('\n')[0] as string) as { request: { model: string } }).request.model;

const client = () =>
  baseUrl && recorded
    ? cassette(endpoint({ baseUrl, model: recorded }), file, 'record')
    : cassette({ model: modelName() }, file, 'replay');

it('voids the invoice and answers, as recorded', async () => {
  const host = toyHost();
  const task = toyTask();
  const trace = await rolloutTask({ host, task, policy: modelPolicy(client(), { temperature: 0 }) });
  expect(Trace.safeParse(trace).success).toBe(true);
  expect(trace.problem).toBeUndefined();
  expect(trace.finish).toBe('answered');
  expect(host.rows.map(({ status }) => status)).toEqual(['open', 'void', 'open']);
  expect(task.answer && judgeAnswer(task.answer, trace.answer)).toMatchObject({ pass: true });
});

it('holds no address and no key', () => {
  const tape = readFileSync(file, 'utf8');
  expect(tape).not.toMatch(/https?:|authorization|bearer|api[_-]?key|sk-/i);
});
