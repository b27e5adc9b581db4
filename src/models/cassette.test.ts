import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cassette } from './cassette.js';
import type { ChatRequest, ModelClient } from './types.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  file = join(folder, 'deep', 'tape.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const counting = (): ModelClient & { asked: number } => ({
  model: 'm1',
  asked: 0,
  chat(request) {
    this.asked++;
    return Promise.resolve({ content: `${request.messages[0]?.content} ${this.asked}`, calls: [], finish: 'stop' });
  },
});
const saying = (content: string): ChatRequest => ({ messages: [{ role: 'user', content }], tools: [] });

it('records once and replays without the model, in order', async () => {
  const model = counting();
  const recording = cassette(model, file, 'record');
  await recording.chat(saying('a'));
  await recording.chat(saying('a'));
  await recording.chat(saying('b'));
  const replaying = cassette({ model: 'm1' }, file, 'replay');
  const said: string[] = [];
  for (const content of ['b', 'a', 'a', 'a']) said.push((await replaying.chat(saying(content))).content);
  expect(said).toEqual(['b 3', 'a 1', 'a 2', 'a 2']);
  expect(model.asked).toBe(3);
});

it('asks only for what is new in auto mode', async () => {
  const model = counting();
  await cassette(model, file, 'auto').chat(saying('a'));
  const again = cassette(model, file, 'auto');
  await again.chat(saying('a'));
  await again.chat(saying('b'));
  expect(model.asked).toBe(2);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});

it('a recording that was cut off loses its half line only', async () => {
  await cassette(counting(), file, 'record').chat(saying('a'));
  appendFileSync(file, '{"key":"x","requ');
  const model = counting();
  const auto = cassette(model, file, 'auto');
  await auto.chat(saying('a'));
  await auto.chat(saying('b'));
  expect(model.asked).toBe(1);
  expect((await cassette({ model: 'm1' }, file, 'replay').chat(saying('b'))).content).toBe('b 1');
});

it('refuses an unknown request and a damaged file', async () => {
  await expect(cassette({ model: 'm1' }, file, 'replay').chat(saying('a'))).rejects.toMatchObject({
    code: 'cassette_missing',
  });
  await cassette(counting(), file, 'record').chat(saying('a'));
  await expect(cassette({ model: 'other' }, file, 'replay').chat(saying('a'))).rejects.toMatchObject({
    code: 'cassette_missing',
  });
  writeFileSync(file, `nonsense\n${readFileSync(file, 'utf8')}`);
  expect(() => cassette({ model: 'm1' }, file, 'replay')).toThrowError(
    expect.objectContaining({ code: 'bad_cassette' }),
  );
});
