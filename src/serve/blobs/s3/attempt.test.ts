import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handClock } from '../../durable/clock.fixture.js';
import { type Answer, attempt } from './attempt.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** An answer of which nothing comes after its headers; `read` resolves once somebody reads its body. */
const withoutBody = (headers: Record<string, string>): { read: Promise<void> } => {
  let tell = (): void => {};
  const read = new Promise<void>((resolve) => {
    tell = resolve;
  });
  vi.stubGlobal('fetch', async (_: URL, { signal }: { signal: AbortSignal }) => {
    const start = (controller: ReadableStreamDefaultController): void =>
      signal.addEventListener('abort', () => controller.error(signal.reason));
    return new Response(new ReadableStream({ start, pull: () => tell() }, { highWaterMark: 0 }), { headers });
  });
  return { read };
};

const TIMEOUT = 30_000;
const exchange = { method: 'GET', url: new URL('http://x/'), headers: {} };

describe('the time of one try', () => {
  /** The system's word, or that it still waits, after each of the advances. */
  const statesOf = async (answer: Promise<Answer>, advances: readonly (() => void)[]): Promise<string[]> => {
    let state = 'waits';
    answer.then(
      () => {
        state = 'answered';
      },
      (thrown: Error) => {
        state = thrown.message;
      },
    );
    const states: string[] = [];
    for (const advance of advances) {
      advance();
      for (let turns = 0; turns < 5; turns++) await turn();
      states.push(state);
    }
    return states;
  };

  it('counts while the body comes', async () => {
    const clock = handClock();
    const { read } = withoutBody({});
    const answer = attempt(exchange, clock, TIMEOUT);
    await read;
    const states = await statesOf(answer, [() => clock.advance(TIMEOUT - 1), () => clock.advance(1)]);
    expect(states).toEqual(['waits', 'no answer in time']);
  });

  it('is a second longer for each MiB that is announced', async () => {
    const clock = handClock();
    const { read } = withoutBody({ 'content-length': String(20 * 2 ** 20) });
    const answer = attempt(exchange, clock, TIMEOUT);
    await read;
    const states = await statesOf(answer, [() => clock.advance(TIMEOUT + 19_999), () => clock.advance(1)]);
    expect(states).toEqual(['waits', 'no answer in time']);
  });

  it('is a second longer for each MiB that is sent', async () => {
    const clock = handClock();
    const { read } = withoutBody({});
    const answer = attempt({ ...exchange, method: 'PUT', body: new Uint8Array(3 * 2 ** 20) }, clock, TIMEOUT);
    await read;
    const states = await statesOf(answer, [() => clock.advance(TIMEOUT + 2_999), () => clock.advance(1)]);
    expect(states).toEqual(['waits', 'no answer in time']);
  });
});

it('leaves no timer behind', async () => {
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', async () => new Response('x', { headers: { 'content-length': '1' } }));
  const clock = {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) => new Promise<void>(() => signals.push(signal!)),
  };
  expect((await attempt(exchange, clock, 1)).bytes.length).toBe(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
