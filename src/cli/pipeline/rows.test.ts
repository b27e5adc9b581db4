/** Rows of reviewed tasks alone. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtureParts } from '../../../test/fixtures/world.js';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Review } from '../../artifacts/review.js';
import type { Task } from '../../artifacts/task.js';
import { Corpus } from '../../corpus/corpus.js';
import { addReview } from '../../corpus/review/records.js';
import { addressOf } from '../../kit/hash.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { Engine } from '../../world/state/engine.js';
import { keepTraces } from './rollouts.js';
import { exportCorpus } from './rows.js';

it('takes tasks whose current hash was accepted, and says of the others why not', async () => {
  const engine = await Engine.start();
  const dir = mkdtempSync(join(tmpdir(), 'treadle-rows-'));
  try {
    const corpus = Corpus.open(dir, true);
    corpus.writeWorld({ ...fixtureParts(engine, { only: ['billing', 'directory'] }), certificates: {} });
    const tasks = [0, 1, 2, 3].map((n) => toyTask(n));
    const proof = (task: Task) => ({
      treadle: 'certificate/1' as const,
      kind: 'task' as const,
      subject: addressOf(task),
      name: task.id,
      pass: true,
      findings: [],
    });
    const certificates = Object.fromEntries(tasks.map((task) => [task.id, proof(task)]));
    corpus.writeTasks('fixture', { tasks, certificates, dropped: [] });
    const rolled = tasks.map(async (task) => {
      const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
      return { trace, verdict: toyVerdict(trace) };
    });
    keepTraces(corpus, 'fixture', await Promise.all(rolled));
    const decide = (n: number, decision: Review['decision'], subject = addressOf(toyTask(n))): void =>
      addReview(corpus, {
        treadle: 'review/1',
        subject,
        name: toyTask(n).id,
        by: 'ada',
        decision,
        comment: '',
        at: '2026-01-02T03:04:05Z',
      });
    decide(0, 'accept');
    decide(1, 'reject');
    decide(2, 'accept', addressOf('as it was'));
    decide(3, 'comment');
    const out = join(dir, 'rows');
    const report = await exportCorpus(corpus, { out, seed: '1', onlyAccepted: true });
    const one = { tasks: 1, rollouts: 1 };
    expect(report.reviewed).toEqual({
      accepted: 1,
      leftOut: { rejected: one, changed_since_review: one, not_reviewed: one },
    });
    expect(report.rows).toBe(1);
    const [row = ''] = readFileSync(join(out, 'data', 'train.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(row)).toMatchObject({ metadata: { task_id: toyTask(0).id } });
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('tasks that a person accepted');
    const all = await exportCorpus(corpus, { out, seed: '1' });
    expect([all.rows, all.reviewed]).toEqual([4, undefined]);
  } finally {
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
