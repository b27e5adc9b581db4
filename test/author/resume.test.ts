/** The conversation is kept whole, and an authoring that was cut off goes on from it without asking twice. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressOf } from '../../src/kit/hash.js';
import { authorScripted, engine, lenientCertify, type Scripted } from './fixture.js';
import { good, type Script } from './scripted.js';

let folder: string;
let whole: Scripted;
let tape: string;
const file = (name: string): string => join(folder, name, 'talk.jsonl');
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-talk-'));
  whole = await authorScripted(good, { certify: lenientCertify, conversation: file('whole') });
  tape = readFileSync(file('whole'), 'utf8');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  engine.close();
});

const goOn = (path: string, script: Script = good): Promise<Scripted> =>
  authorScripted(script, { certify: lenientCertify, conversation: path });

it('keeps every turn with what was said of it, what was written, what was certified, and the end', () => {
  const lines = linesOf(file('whole'));
  const of = (kind: string): Record<string, unknown>[] => lines.filter((line) => line.kind === kind);
  expect(lines[0]).toMatchObject({ kind: 'authoring', version: 1, model: 'small' });
  expect(of('turn')).toHaveLength(whole.asked.length);
  expect(of('judged')).toHaveLength(whole.asked.length);
  expect(of('turn')[0]).toMatchObject({
    part: 'plan',
    messages: [{ role: 'system' }, { role: 'user' }],
    reply: { finish: 'stop' },
  });
  expect(of('written').map(({ part }) => part)).toContain('tables.lending');
  expect(of('certified').map(({ stage }) => stage)).toEqual(['service membership', 'service lending', 'world', 'data']);
  expect(of('result')).toMatchObject([{ outcome: 'certified', world: whole.draft.id }]);
  expect(tape).not.toMatch(/https?:|127\.0\.0\.1|authorization/i);
});

it('asks nothing again, writes nothing twice and drafts the same', async () => {
  const again = await goOn(file('whole'));
  expect(again.asked).toEqual([]);
  expect(readFileSync(file('whole'), 'utf8')).toBe(tape);
  expect(addressOf(again.draft)).toBe(addressOf(whole.draft));
  expect(again.report.spent).toEqual(whole.report.spent);
});

it.each([0.1, 0.3, 0.5, 0.7, 0.9])('goes on when it was cut off at %f of the file', async (share) => {
  const path = file(`cut-${share}`);
  mkdirSync(dirname(path));
  const cut = tape.slice(0, Math.floor(tape.length * share));
  writeFileSync(path, cut);
  const turns = cut
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"kind":"turn"')).length;
  const again = await goOn(path);
  expect(again.asked).toHaveLength(whole.asked.length - turns);
  expect(addressOf(again.draft)).toBe(addressOf(whole.draft));
  expect(readFileSync(path, 'utf8')).toBe(tape);
});

it('goes on after a budget that was too small', async () => {
  const path = file('budget');
  const short = await authorScripted(good, { certify: lenientCertify, conversation: path, budget: { rounds: 3 } });
  expect(short.report.ended?.code).toBe('budget');
  const again = await goOn(path);
  expect(again.asked).toHaveLength(whole.asked.length - 3);
  expect(addressOf(again.draft)).toBe(addressOf(whole.draft));
});

it('goes on after an endpoint that went away', async () => {
  const path = file('gone');
  const gone: Script = (asked) => (asked.part === 'rules' ? { status: 503 } : good(asked));
  const short = await goOn(path, gone);
  expect(short.report.ended?.code).toBe('endpoint_down');
  expect(linesOf(path).filter(({ kind }) => kind === 'failed')).toHaveLength(3);
  const again = await goOn(path);
  expect(again.asked.map(({ part }) => part)).toEqual(['rules', 'data of membership', 'data of lending']);
  expect(addressOf(again.draft)).toBe(addressOf(whole.draft));
});

it('is not mixed up with another request, nor with a damaged file', async () => {
  const path = file('whole');
  const other = { certify: lenientCertify, conversation: path };
  await expect(authorScripted(good, { ...other, seed: '2' })).rejects.toMatchObject({ code: 'other_conversation' });
  await expect(authorScripted(good, { ...other, source: { brief: 'A bakery in Lyon.' } })).rejects.toMatchObject({
    code: 'other_conversation',
  });
  const damaged = file('budget');
  appendFileSync(damaged, 'nonsense\n');
  await expect(goOn(damaged)).rejects.toMatchObject({ code: 'bad_conversation' });
  writeFileSync(damaged, '{"some":"json"}\n');
  await expect(goOn(damaged)).rejects.toMatchObject({ code: 'other_conversation' });
});
