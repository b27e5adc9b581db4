/** Requests a second of the fake against Prism's static answers, on one document, in turn in rounds of one run. */
import type { Hammered, HammerJob } from '../serve/hammer.js';
import { startWorker } from '../serve/processes.js';
import { median, round, say } from '../serve/report.js';
import { wireTo } from '../serve/wire.js';
import { SHOP } from './documents.js';
import type { Options } from './options.js';
import { getOf, type Serving, serveFake, servePrism } from './servers.js';

const CONNECTIONS = 16;
const KINDS = ['get', 'list', 'create'] as const;
type Kind = (typeof KINDS)[number];

const BODY = JSON.stringify({ name: 'Oat biscuits', category: 'bakery', price: 2.4, stock: 14 });
const CREATE = `POST /products HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`;

/** The same requests for both, but for the id, which has to be there. */
const requestsOf = async ({ port }: Serving): Promise<Record<Kind, string>> => {
  const wire = await wireTo(port);
  const answer = await wire.send(getOf('/products?limit=20'));
  wire.close();
  const { data } = JSON.parse(answer.body.toString()) as { data: { id: string }[] };
  return { get: getOf(`/products/${data[0]?.id}`), list: getOf('/products?limit=20'), create: CREATE };
};

const jobOf = ({ port, pid }: Serving, request: string, kind: Kind, count: number): HammerJob => ({
  port,
  pid,
  count,
  holds: kind === 'list' ? '"data":' : '"name":',
  status: kind === 'create' ? 201 : 200,
  requests: Array.from({ length: CONNECTIONS }, () => request),
});

const middle = (list: Hammered[], of: (one: Hammered) => number): number => round(median(list.map(of)), 0);

export const runPrism = async ({ small }: Options): Promise<Record<string, unknown>> => {
  const [rounds, count] = small ? [2, 400] : [7, 4_000];
  const prism = await servePrism(SHOP, '/products');
  try {
    const fake = await serveFake(SHOP, '/products');
    const hammer = await startWorker('hammer');
    try {
      const servers = { fake, prism };
      const requests = { fake: await requestsOf(fake), prism: await requestsOf(prism) };
      const seen = new Map<string, Hammered[]>();
      // The first round warms everybody up and is not counted.
      for (let n = 0; n <= rounds; n++)
        for (const kind of KINDS)
          for (const who of ['fake', 'prism'] as const) {
            const size = who === 'prism' ? Math.ceil(count / 4) : count;
            const hammered = await hammer.ask<Hammered>(jobOf(servers[who], requests[who][kind], kind, size));
            if (hammered.failure !== undefined) say(`failed: ${who} ${kind}: ${hammered.failure}`);
            if (n > 0) seen.set(`${who} ${kind}`, [...(seen.get(`${who} ${kind}`) ?? []), hammered]);
          }
      const ratios = KINDS.map((kind) => {
        const [ours = [], theirs = []] = [seen.get(`fake ${kind}`), seen.get(`prism ${kind}`)];
        return round(median(ours.map(({ perSecond }, i) => perSecond / (theirs[i]?.perSecond ?? Number.NaN))), 2);
      });
      return {
        ratio_prism: Math.min(...ratios),
        ratios_prism: Object.fromEntries(KINDS.map((kind, i) => [kind, ratios[i]])),
        requests_per_s: Object.fromEntries(
          [...seen].map(([name, list]) => [name, middle(list, (one) => one.perSecond)]),
        ),
        request_cpu_us: Object.fromEntries([...seen].map(([name, list]) => [name, middle(list, (one) => one.cpuUs)])),
        failed: [...seen.values()].flat().reduce((sum, { failed }) => sum + failed, 0),
        prism_startup_s: round(prism.startedMs / 1000, 2),
      };
    } finally {
      await Promise.all([hammer.stop(), fake.stop()]);
    }
  } finally {
    await prism.stop();
  }
};
