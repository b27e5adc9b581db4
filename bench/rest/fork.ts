/** What a fork a test costs: a caller nobody knows yet asks its first request, of a server that is warm, in process and over HTTP. */
import { readFileSync } from 'node:fs';
import { openFake } from '../../src/fake/fake.js';
import { quantile, round } from '../serve/report.js';
import { wireTo } from '../serve/wire.js';
import { SHOP } from './documents.js';
import type { Options } from './options.js';

const request = (session: string): string =>
  `GET /products?limit=1 HTTP/1.1\r\nhost: 127.0.0.1\r\nx-treadle-session: ${session}\r\n\r\n`;

const timed = async (times: number, work: (n: number) => Promise<unknown>): Promise<number[]> => {
  const seen: number[] = [];
  for (let n = 0; n < times; n++) {
    const from = performance.now();
    await work(n);
    seen.push(performance.now() - from);
  }
  return seen;
};

export const runFork = async ({ small }: Options): Promise<Record<string, unknown>> => {
  const fake = await openFake({ documents: [{ name: 'shop', text: readFileSync(SHOP, 'utf8') }], seed: 'fork' });
  try {
    const times = small ? 200 : 2_000;
    const inProcess = async (name: string): Promise<void> => {
      const headers = { 'x-treadle-session': name };
      const answer = await fake.fetch(new Request('http://fake.test/products?limit=1', { headers }));
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.text();
    };
    const door = await fake.listen();
    const wire = await wireTo(Number(new URL(door.origin).port));
    const overHttp = async (name: string): Promise<void> => {
      const answer = await wire.send(request(name));
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.toString()}`);
    };
    await timed(times / 4, (n) => inProcess(`warm-${n}`));
    await timed(times / 4, (n) => overHttp(`warm-http-${n}`));
    const http = await timed(times, (n) => overHttp(`http-${n}`));
    const own = await timed(times, (n) => inProcess(`own-${n}`));
    wire.close();
    return {
      fork_ms: round(quantile(http, 0.5), 3),
      fork_p95_ms: round(quantile(http, 0.95), 3),
      fork_in_process_ms: round(quantile(own, 0.5), 3),
      fork_in_process_p95_ms: round(quantile(own, 0.95), 3),
      forks: times * 2,
    };
  } finally {
    await fake.close();
  }
};
