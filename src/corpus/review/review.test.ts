/** Records, standings, samples and bounds. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Review } from '../../artifacts/review.js';
import type { TreadleError } from '../../errors.js';
import { upperBound } from '../../kit/binomial.js';
import { addressOf } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { Corpus } from '../corpus.js';
import { boundsOf } from './bounds.js';
import { addReview, readReviews } from './records.js';
import { drawSample, type SampleTask, walkOrder } from './sample.js';
import { acceptance, type Standing, standings, voidReviews } from './standing.js';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-review-'));
  corpus = Corpus.open(dir, true);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const record = (task: string, decision: Review['decision'], by = 'ada', comment = ''): Review => ({
  treadle: 'review/1',
  subject: addressOf(task),
  name: task.split('@')[0] as string,
  by,
  decision,
  comment,
  at: '2026-01-02T03:04:05Z',
});
const file = (): string => join(dir, 'reviews.jsonl');

describe('records', () => {
  it('are kept in order, and only ever added to', () => {
    expect(readReviews(corpus)).toEqual([]);
    const all = [record('a', 'accept'), record('b', 'reject', 'bo', 'wrong "row"\n\u2028'), record('a', 'comment')];
    for (const [n, review] of all.entries()) {
      const before = n === 0 ? '' : readFileSync(file(), 'utf8');
      addReview(corpus, review);
      expect(readFileSync(file(), 'utf8').startsWith(before)).toBe(true);
    }
    expect(readReviews(corpus)).toEqual(all);
  });
  it('outlive a line cut off at any byte, and the next one is whole', () => {
    addReview(corpus, record('a', 'accept', 'Zoë'));
    const first = readFileSync(file());
    addReview(corpus, record('b', 'reject', 'Zoë', 'straße'));
    const both = readFileSync(file());
    for (let cut = first.length; cut < both.length; cut++) {
      writeFileSync(file(), both.subarray(0, cut));
      expect(readReviews(corpus)).toHaveLength(1);
      addReview(corpus, record('c', 'accept'));
      expect(readReviews(corpus).map(({ name }) => name)).toEqual(['a', 'c']);
    }
  });
  it('that were edited wrongly are refused by their line', () => {
    addReview(corpus, record('a', 'accept'));
    for (const line of ['{"treadle"', '[]', '{"treadle":"review/1"}', 'null']) {
      const before = readFileSync(file());
      appendFileSync(file(), `${line}\n`);
      let thrown: TreadleError | undefined;
      try {
        readReviews(corpus);
      } catch (error) {
        thrown = error as TreadleError;
      }
      expect(thrown?.line()).toContain('line 2');
      writeFileSync(file(), before);
    }
  });
});

describe('standings', () => {
  it('take each reviewer’s last word, and a rejection outweighs', () => {
    const said = (...records: Review[]): Standing | undefined => standings(records).get(addressOf('a'));
    expect(said(record('a', 'comment'))).toBeUndefined();
    expect(said(record('a', 'reject'), record('a', 'accept'))).toBe('accepted');
    expect(said(record('a', 'accept'), record('a', 'reject'))).toBe('rejected');
    expect(said(record('a', 'reject', 'bo'), record('a', 'accept'))).toBe('rejected');
    expect(said(record('a', 'accept'), record('a', 'comment'))).toBe('accepted');
  });
  it('are void once the task has changed', () => {
    const why = acceptance([
      record('a', 'accept'),
      record('b', 'reject'),
      record('c@old', 'accept'),
      record('d', 'comment'),
    ]);
    expect(why('a', addressOf('a'))).toBeUndefined();
    expect(why('b', addressOf('b'))).toBe('rejected');
    expect(why('c', addressOf('c@new'))).toBe('changed_since_review');
    expect(why('d', addressOf('d'))).toBe('not_reviewed');
    expect(why('e', addressOf('e'))).toBe('not_reviewed');
    const reviews = [record('a', 'accept'), record('c@old', 'accept'), record('c@old', 'comment')];
    expect(voidReviews(reviews, new Set([addressOf('a')])).map(({ name }) => name)).toEqual(['c']);
  });
});

const population = (seed: string, size: number): SampleTask[] => {
  const random = rng('population', seed);
  return Array.from({ length: size }, (_, n) => ({
    id: `t${n}`,
    hash: addressOf(`${seed} ${n}`),
    world: `w${random.int(0, 9)}`,
    kind: random.weighted([
      ['atomic/action', 6],
      ['atomic/lookup', 3],
      ['composed', 1],
    ]),
    profile: random.chance(0.1) ? 'expert' : 'none',
  }));
};
const ids = (tasks: readonly SampleTask[]): string[] => tasks.map(({ id }) => id);

describe('samples', () => {
  it('hold every task once, the same for a seed, another for another', () => {
    for (const size of [1, 2, 3, 7, 64, 301]) {
      const tasks = population('walk', size);
      const order = walkOrder(tasks, 's');
      expect(ids(order).toSorted()).toEqual(ids(tasks).toSorted());
      expect(walkOrder(tasks.toReversed(), 's')).toEqual(order);
      if (size > 60) expect(walkOrder(tasks, 't')).not.toEqual(order);
    }
  });
  it('of every length are in proportion to the kinds, and a longer one holds the shorter', () => {
    const tasks = population('share', 400);
    const share = (some: readonly SampleTask[], kind: string): number =>
      some.filter((task) => task.kind === kind).length / some.length;
    for (const size of [16, 59, 100, 200]) {
      const { drawn } = drawSample(tasks, size, 0, 's');
      expect(drawn).toHaveLength(size);
      for (const kind of ['atomic/action', 'atomic/lookup', 'composed'])
        expect(Math.abs(share(drawn, kind) - share(tasks, kind))).toBeLessThan(4 / size);
      expect(drawSample(tasks, size + 50, 0, 's').drawn.slice(0, size)).toEqual(drawn);
    }
  });
  it('give every task the same chance', () => {
    const tasks = population('chance', 60);
    const times = new Map<string, number>();
    const runs = 2000;
    for (let run = 0; run < runs; run++)
      for (const { id } of drawSample(tasks, 12, 0, String(run)).drawn) times.set(id, (times.get(id) ?? 0) + 1);
    // Expected 400 of 2,000 each; five deviations of a binomial are 90.
    for (const { id } of tasks) expect(Math.abs((times.get(id) ?? 0) - 400), id).toBeLessThan(90);
  });
  it('add what small strata lack, and never twice', () => {
    const tasks = population('each', 200);
    const { drawn, added } = drawSample(tasks, 10, 5, 's');
    expect(drawn).toEqual(drawSample(tasks, 10, 0, 's').drawn);
    const all = [...drawn, ...added];
    expect(new Set(ids(all)).size).toBe(all.length);
    for (const kind of ['atomic/action', 'atomic/lookup', 'composed'])
      expect(all.filter((task) => task.kind === kind).length).toBeGreaterThanOrEqual(5);
    expect(all.filter(({ profile }) => profile === 'expert').length).toBeGreaterThanOrEqual(5);
  });
});

describe('bounds', () => {
  const tasks = population('bounds', 120);
  const sample = drawSample(tasks, 40, 3, 's');
  const decide = (some: readonly SampleTask[], rejected: readonly SampleTask[]): Map<string, Standing> =>
    new Map(some.map(({ hash }) => [hash, rejected.some((one) => one.hash === hash) ? 'rejected' : 'accepted']));

  it('are exact, over what was drawn in proportion alone', () => {
    const all = [...sample.drawn, ...sample.added];
    const { overall, ifOpenAreDefects } = boundsOf(tasks, sample, decide(all, sample.drawn.slice(0, 2)));
    expect(overall).toMatchObject({ tasks: 120, sampled: 40, decided: 40, rejected: 2, bound: upperBound(2, 40) });
    expect(ifOpenAreDefects).toBe(overall.bound);
  });
  it('tell what holds if the open ones are defects', () => {
    const { overall, ifOpenAreDefects } = boundsOf(tasks, sample, decide(sample.drawn.slice(0, 30), []));
    expect(overall.bound).toBe(upperBound(0, 30));
    expect(ifOpenAreDefects).toBe(upperBound(10, 40));
  });
  it('say nothing of a stratum nobody read, and list it', () => {
    const read = sample.drawn.filter(({ kind }) => kind !== 'composed');
    const { by } = boundsOf(tasks, sample, decide(read, []));
    expect(by.kind.composed).toMatchObject({ decided: 0, bound: null });
    expect(Object.values(by.world).reduce((sum, { tasks: n }) => sum + n, 0)).toBe(120);
    const nothing = boundsOf(tasks, { drawn: [], added: [] }, new Map());
    expect([nothing.overall.bound, nothing.ifOpenAreDefects]).toEqual([null, null]);
  });
  it('are the share itself where all were read', () => {
    const few = tasks.slice(0, 4);
    const whole = drawSample(few, 59, 0, 's');
    const { overall } = boundsOf(few, whole, decide(few, few.slice(0, 1)));
    expect(overall).toMatchObject({ isCensus: true, bound: 0.25 });
  });
  it('leave decisions outside the sample out', () => {
    const inSample = new Set([...sample.drawn, ...sample.added].map(({ hash }) => hash));
    const others = tasks.filter(({ hash }) => !inSample.has(hash));
    expect(boundsOf(tasks, sample, decide(others, others)).overall).toMatchObject({ decided: 0, bound: null });
  });
});
