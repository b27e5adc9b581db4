import { expect, it } from 'vitest';
import { toyHost, toyTask } from '../../test/rollout/toy.js';
import type { Trace } from '../artifacts/trace.js';
import { referencePolicy } from './agents/reference.js';
import { type RolloutJob, rolloutMany, sampleSeed } from './many.js';

const job = (n: number, more: Partial<RolloutJob<Trace>> = {}): RolloutJob<Trace> => ({
  open: () => ({
    host: toyHost(),
    task: toyTask(n),
    policy: referencePolicy(toyTask(n)),
    sample: { seed: sampleSeed('s', `t${n}`, 0), index: 0 },
  }),
  close: (trace) => trace,
  ...more,
});

it('yields in order, never more at a time than allowed', async () => {
  let open = 0;
  let most = 0;
  const slow = (n: number): RolloutJob<Trace> => {
    const base = job(n);
    return {
      open: async () => {
        most = Math.max(most, ++open);
        await new Promise((done) => setImmediate(done));
        return base.open();
      },
      close: (trace) => {
        open--;
        return trace;
      },
    };
  };
  const ids: string[] = [];
  for await (const outcome of rolloutMany(
    Array.from({ length: 9 }, (_, n) => slow(n)),
    3,
  ))
    if (outcome.ok) ids.push(outcome.value.taskId);
  expect(ids).toEqual(Array.from({ length: 9 }, (_, n) => `toy-void-by-customer-${n}`));
  expect(most).toBe(3);
});

it('one job’s failure is its own', async () => {
  const bad = (message: string) => () => {
    throw new Error(message);
  };
  const jobs = [job(0), job(1, { open: bad('no session') }), job(2, { close: bad('no judge') }), job(3)];
  const seen: string[] = [];
  for await (const outcome of rolloutMany(jobs, 2))
    seen.push(outcome.ok ? outcome.value.finish : `${outcome.error.fault}: ${outcome.error.message}`);
  expect(seen).toEqual(['answered', 'infrastructure: no session', 'infrastructure: no judge', 'answered']);
});

it('draws jobs only as they are needed', async () => {
  let drawn = 0;
  const endless = function* (): Generator<RolloutJob<Trace>> {
    for (;;) yield job(drawn++);
  };
  for await (const outcome of rolloutMany(endless(), 4)) {
    expect(outcome.ok).toBe(true);
    break;
  }
  expect(drawn).toBeLessThanOrEqual(5);
});
