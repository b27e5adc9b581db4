import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptAnswers, printOf } from './once.js';
import type { Answer } from './problem.js';

const answer = (body: string, status = 200): Answer => ({ status, type: 'application/json', body });

describe('kept answers', () => {
  it('end after their time', async () => {
    let now = 0;
    const answers = keptAnswers(() => now, { keys: 10, bytes: 1e6, ms: 100 });
    let runs = 0;
    const run = async (): Promise<Answer> => answer(String(++runs));
    await answers.once('a', 'p', run);
    now = 99;
    expect((await answers.once('a', 'p', run)).body).toBe('1');
    now = 100;
    expect((await answers.once('a', 'other', run)).body).toBe('2');
    expect(answers.size).toBe(1);
  });

  it('are bounded in bytes, counted as sent', async () => {
    const answers = keptAnswers(() => 0, { keys: 100, bytes: 10_000, ms: 100 });
    for (let i = 0; i < 50; i++) await answers.once(`k${i}`, 'p', async () => answer('ü'.repeat(1000)));
    expect(answers.bytes).toBeLessThanOrEqual(10_000);
    expect(answers.size).toBe(3);
    await answers.once('huge', 'p', async () => answer('x'.repeat(20_000)));
    expect([answers.bytes, answers.size]).toEqual([0, 0]);
  });

  it('never forget a request that still runs, and refuse new ones instead', async () => {
    const answers = keptAnswers(() => 0, { keys: 2, bytes: 1e6, ms: 1 });
    let finish = (_: Answer): void => {};
    const slow = new Promise<Answer>((resolve) => {
      finish = resolve;
    });
    const [first, second] = [answers.once('a', 'p', () => slow), answers.once('b', 'p', () => slow)];
    expect(() => answers.once('c', 'p', async () => answer(''))).toThrowError(
      expect.objectContaining({ code: 'too_many_running', isRetryable: true }),
    );
    const again = answers.once('a', 'p', async () => answer('run twice'));
    finish(answer('slow'));
    expect(await Promise.all([first, second, again])).toEqual(Array(3).fill(answer('slow')));
  });

  it('run each key once until it ends, whatever the order (model)', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      print: fc.constantFrom('p', 'p', 'p', 'q'),
      status: fc.constantFrom(200, 409, 503),
      wait: fc.constantFrom(0, 0, 30, 200),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let now = 0;
        const answers = keptAnswers(() => now, { keys: 100, bytes: 1e6, ms: 100 });
        const model = new Map<string, { print: string; body: string; until: number }>();
        for (const [i, { key, print, status, wait }] of steps.entries()) {
          now += wait;
          const known = model.get(key);
          const isKnown = known !== undefined && known.until > now;
          let ran = false;
          const run = async (): Promise<Answer> => {
            ran = true;
            return answer(String(i), status);
          };
          if (isKnown && known.print !== print) {
            expect(() => answers.once(key, print, run)).toThrowError(
              expect.objectContaining({ code: 'idempotency_conflict' }),
            );
            continue;
          }
          const { body } = await answers.once(key, print, run);
          expect({ ran, body }).toEqual({ ran: !isKnown, body: isKnown ? known.body : String(i) });
          if (!isKnown && status !== 503) model.set(key, { print, body: String(i), until: now + 100 });
          else if (!isKnown) model.delete(key);
        }
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});

it('prints tell method, target and body apart', () => {
  const prints = [
    printOf('POST', '/a', 'b'),
    printOf('POST', '/a', ''),
    printOf('DELETE', '/a', 'b'),
    printOf('POST', '/a\nb', ''),
    printOf('POST', '/a?b', ''),
  ];
  expect(new Set(prints).size).toBe(prints.length);
});
