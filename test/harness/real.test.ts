/**
 * Harnesses run for real: each does a task of a built world, its model being the task's reference behind the gateway. They are
 * programs of somebody else's and take up to half a minute of CPU each, so only those run that TREADLE_REAL_HARNESSES names
 * (`node test/harness/run.mjs` installs them and names them); all others are skipped, loudly.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Trace } from '../../src/artifacts/trace.js';
import { harnessOf } from '../../src/rollout/harness/found.js';
import { HARNESS_KINDS } from '../../src/rollout/harness/registry.js';
import { MAIN, treadle } from '../e2e/cli.js';
import { type Played, playReference } from './built.js';

const wanted = (process.env.TREADLE_REAL_HARNESSES ?? '').split(',').filter(Boolean);
const given = process.env.TREADLE_REAL_CORPUS;
for (const { id } of HARNESS_KINDS)
  if (!wanted.includes(id))
    console.warn(`!! SKIPPED: ${id} is not run for real here. node test/harness/run.mjs ${id} installs it and does.`);

const root = mkdtempSync(join(tmpdir(), 'treadle-real-'));
const work = join(root, 'work');
let corpus = given ?? '';
beforeAll(() => {
  if (wanted.length === 0) return;
  expect(existsSync(MAIN)).toBe(true);
  if (corpus !== '') return;
  corpus = join(root, 'corpus');
  const built = treadle(['build', 'a family bakery with 3 shops in Lyon', '--out', corpus, '--tasks', '6']);
  expect(built.status, built.stderr).toBe(0);
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What they show a model beside the world's tools, for one: that the world's are not all there is. */
const OWN_TOOL: Record<string, RegExp> = { openclaw: /^exec$/, hermes: /^terminal$/, 'claude-code': /^Bash$/ };

describe.each(HARNESS_KINDS.filter(({ id }) => wanted.includes(id)))('$id', (kind) => {
  it('completes a task of a built world through the gateway', { timeout: 600_000 }, async () => {
    const found = await harnessOf(kind);
    const played: Played = await playReference(corpus, join(work, '..'), { kind, found });
    const { trace, verdict, task, requests, jailed } = played;
    console.log(
      `${kind.id} ${found.version}${jailed ? ' under bubblewrap' : ' without bubblewrap'}: ${trace.finish}, ${trace.usage.turns} turns, ${trace.usage.calls} calls, ${verdict.pass ? 'passed' : 'FAILED'}`,
    );
    expect(Trace.parse(trace)).toEqual(trace);
    expect(trace.problem).toBeUndefined();
    expect(verdict.pass).toBe(true);
    expect(trace).toMatchObject({ finish: 'answered', answer: task.reference.answer });
    expect(trace.producer).toMatchObject({ policy: 'harness', name: kind.id, model: 'm1', version: found.version });
    expect(trace.ledger.map(({ ok }) => ok)).toEqual(task.reference.calls.map(() => true));
    // The model saw its names, the trace has ours: those of the ledger, in its order.
    const called = trace.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name));
    expect(called).toEqual(trace.ledger.map(({ tool }) => tool));
    const shown = requests.at(-1)?.tools?.map((tool) => tool.function.name) ?? [];
    expect(shown.filter((name) => name.includes('treadle__')).length).toBeGreaterThan(trace.ledger.length);
    expect(shown.some((name) => OWN_TOOL[kind.id]?.test(name))).toBe(true);
    // Told what it must know, and given nothing that it must not.
    const heard = JSON.stringify(trace.messages);
    expect(heard).toContain(JSON.stringify(task.brief).slice(1, -1));
    expect(heard).not.toContain('trd_');
    expect(readdirSync(root).filter((name) => name.startsWith('treadle-harness-'))).toEqual([]);
  });
});

it('names only harnesses that there are', () => {
  const known: string[] = HARNESS_KINDS.map(({ id }) => id);
  expect(wanted.filter((id) => !known.includes(id))).toEqual([]);
});
