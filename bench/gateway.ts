/**
 * What the recording gateway costs (rollout.md): the same request to a local fake backend directly and through the gateway, each
 * of the three a process of its own, whole and streamed, one after the other in turn; then 512 rollouts in flight, each with its
 * own token, of which none may lose an answer. `--requests N` (3000; `--small`: 100), `--rollouts N` (512).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { elapsedMs } from '../src/kit/clock.js';
import { median, quantile } from '../src/kit/quantiles.js';

const after = (args: readonly string[], option: string): string | undefined =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

interface Timed {
  text: string;
  status: number;
  firstMs: number;
  wholeMs: number;
}

const send = (url: string, token: string, body: string): Promise<Timed> =>
  new Promise((resolve, reject) => {
    const started = elapsedMs();
    let firstMs = 0;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(`${url}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        if (chunks.length === 0) firstMs = elapsedMs() - started;
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          text: Buffer.concat(chunks).toString('utf8'),
          status: response.statusCode ?? 0,
          firstMs,
          wholeMs: elapsedMs() - started,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });

const child = async <T>(file: string): Promise<{ process: ChildProcess; said: T }> => {
  const started = fork(fileURLToPath(new URL(`gateway/${file}`, import.meta.url)));
  const [said] = (await once(started, 'message')) as [T];
  return { process: started, said };
};

/** A history as a harness has it after ten calls, with eight tools: about 20 kB. */
const tools = Array.from({ length: 8 }, (_, n) => ({
  type: 'function',
  function: {
    name: `tool_${n}`,
    description: 'Looks something up, or changes it. '.repeat(8),
    parameters: { type: 'object', properties: { id: { type: 'string' }, amount: { type: 'number' } } },
  },
}));
const history = [
  { role: 'system', content: 'You work for a company and use its tools. '.repeat(40) },
  { role: 'user', content: 'Please settle the open invoices. '.repeat(10) },
  ...Array.from({ length: 10 }, (_, n) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'tool_1', arguments: `{"id":"inv_${n}"}` } }],
    },
    { role: 'tool', tool_call_id: `c${n}`, content: '{"id":"inv","lines":[{"amount":12.5,"text":"x"}]}'.repeat(20) },
  ]).flat(),
];
const bodyOf = (stream: boolean, more: object = {}): string =>
  JSON.stringify({ model: 'm', messages: history, tools, stream, ...more });

const rounded = (ms: number): number => Number(ms.toFixed(3));

/** Milliseconds that the gateway adds: the difference of medians, and of the 95th percentiles. */
const compare = async (direct: string, through: string, token: string, stream: boolean, count: number) => {
  // What runs once, and compiling, is not the price of a request.
  const warmUp = Math.ceil(count / 5);
  const body = bodyOf(stream);
  const times = { direct: [] as Timed[], through: [] as Timed[] };
  for (let n = -warmUp; n < count; n++) {
    // In turn, and each first half of the time, so that load from elsewhere meets both alike.
    const ways = n % 2 === 0 ? (['direct', 'through'] as const) : (['through', 'direct'] as const);
    for (const way of ways) {
      const timed = await send(way === 'direct' ? direct : through, token, body);
      if (timed.status !== 200) throw new Error(`${way}: ${timed.status} ${timed.text.slice(0, 200)}`);
      if (n >= 0) times[way].push(timed);
    }
  }
  const added = (of: (values: number[]) => number, ms: 'firstMs' | 'wholeMs'): number =>
    rounded(of(times.through.map((each) => each[ms])) - of(times.direct.map((each) => each[ms])));
  const p95 = (values: number[]): number => quantile(values, 0.95);
  return {
    direct_ms: rounded(median(times.direct.map(({ wholeMs }) => wholeMs))),
    added_ms: added(median, 'wholeMs'),
    added_p95_ms: added(p95, 'wholeMs'),
    added_to_first_byte_ms: added(median, 'firstMs'),
  };
};

const TURNS = 3;

/** One rollout of a few turns; how many answers did not come whole. */
const converse = async (url: string, token: string, index: number): Promise<number> => {
  const messages: object[] = [{ role: 'user', content: `Rollout ${index}` }];
  let dropped = 0;
  for (let n = 0; n < TURNS; n++) {
    const stream = (index + n) % 2 === 0;
    const body = JSON.stringify({ model: 'm', messages, tools, stream, n: 1, delay_ms: 1000, pieces: 16 });
    const answer = await send(url, token, body).catch(() => undefined);
    const isWhole =
      answer?.status === 200 && answer.text.includes('word15') && (!stream || answer.text.includes('[DONE]'));
    if (!isWhole) dropped++;
    const content = `1: ${Array.from({ length: 16 }, (_, at) => `word${at} `).join('')}`;
    messages.push({ role: 'assistant', content }, { role: 'user', content: `Go on, ${n}` });
  }
  return dropped;
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const count = Number(after(args, '--requests') ?? (small ? 100 : 3000));
  const rollouts = Number(after(args, '--rollouts') ?? 512);
  const backend = await child<number>('backend.mjs');
  const gateway = await child<string>('gateway.mjs');
  const tell = async <T>(message: object): Promise<T> => {
    gateway.process.send(message);
    return ((await once(gateway.process, 'message')) as [T])[0];
  };
  try {
    const direct = `http://127.0.0.1:${backend.said}/v1`;
    const through = `${gateway.said}/v1`;
    const open = { kind: 'openai', baseUrl: direct, model: 'm' };
    const token = await tell<string>({ open });
    const cpuBefore = await tell<number>({ cpu: true });
    const plain = await compare(direct, through, token, false, count);
    const cpuBetween = await tell<number>({ cpu: true });
    const streamed = await compare(direct, through, token, true, count);
    const cpuAfter = await tell<number>({ cpu: true });

    const tokens: string[] = [];
    for (let n = 0; n < rollouts; n++) tokens.push(await tell<string>({ open }));
    const started = elapsedMs();
    const lost = await Promise.all(tokens.map((each, n) => converse(through, each, n)));
    const seconds = (elapsedMs() - started) / 1000;
    let unrecorded = 0;
    for (const each of tokens) {
      const kept = await tell<{ messages: number; turns: number }>({ close: each });
      if (kept.turns !== TURNS || kept.messages !== 2 * TURNS) unrecorded++;
    }
    const peak = Number(await (await fetch(`http://127.0.0.1:${backend.said}/peak`)).text());
    return {
      bench: 'gateway',
      requests: count,
      gateway_overhead_ms: Math.max(plain.added_ms, streamed.added_ms),
      plain,
      streamed,
      gateway_cpu_ms_a_request: {
        plain: rounded((cpuBetween - cpuBefore) / Math.ceil(count * 1.2)),
        streamed: rounded((cpuAfter - cpuBetween) / Math.ceil(count * 1.2)),
      },
      in_flight: { rollouts, turns: TURNS, peak_at_backend: peak, seconds: rounded(seconds), unrecorded },
      dropped: lost.reduce((sum, each) => sum + each, 0) + unrecorded,
    };
  } finally {
    agent.destroy();
    backend.process.disconnect();
    gateway.process.disconnect();
  }
};
