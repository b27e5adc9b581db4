/** treadle serve api.yaml --rest: a stateful fake of an API on a port, until it is told to stop. */
import { isUrl } from '../../author/openapi/read.js';
import { TreadleError } from '../../errors.js';
import { type Fake, openFake } from '../../fake/fake.js';
import type { Json } from '../../kit/hash.js';
import { SESSION_HEADER } from '../../serve/face/callers.js';
import { CONTROL } from '../../serve/face/control.js';
import type { WebhookOptions } from '../../serve/face/webhooks/webhooks.js';
import type { Listening } from '../../serve/http/listen.js';
import { type MegaMcp, serveMegaMcp } from '../../serve/megamcp.js';
import { IDLE_TIMES } from '../../serve/sessions/server/residence.js';
import { readInputs } from '../pipeline/input.js';
import { withOwn } from '../pipeline/own.js';
import { type Ui, warn } from '../ui.js';
import type { ServeOptions } from './serving.js';

export interface RestOptions {
  rest?: boolean;
  strict?: boolean;
  needsKey?: boolean;
  control: boolean;
  overrides?: string;
  seed: string;
  webhook?: string;
  webhookSecret?: string;
  webhookHost: string[];
}

/** As the command has them: `data` are files of rows here. */
export interface FakeServeOptions extends Omit<ServeOptions, 'data' | 'faultSeed'>, RestOptions {
  data: string[];
  faultSeed?: string;
}

const refuse = (flag: string, why: string, next: string): TreadleError =>
  new TreadleError({ code: 'not_for_documents', message: why, value: flag, next });

/** What makes no sense for a document, told before anything is compiled. */
const checkOptions = (options: FakeServeOptions): void => {
  const { workers, stdio, task, scenario, durable, blobs, tokensOnly } = options;
  if (workers > 1) throw refuse('--workers', 'A fake of an API is served by one process', 'Leave it out.');
  if (tokensOnly)
    throw refuse('--tokens-only', 'Callers of a document have forks of their own', 'Leave it out, or build a corpus.');
  if (stdio)
    throw refuse(
      '--stdio',
      'A fake of an API answers over HTTP',
      'Leave --stdio out, or build a corpus and serve that.',
    );
  if (task !== undefined || scenario !== undefined)
    throw refuse(task ?? scenario ?? '', 'A document has no tasks', 'Build a corpus from it: treadle build api.yaml.');
  if (durable !== 'none' || blobs !== undefined)
    throw refuse(
      '--durable',
      'The forks of a fake end with its process',
      'Leave it out, or build a corpus and serve that.',
    );
};

/** The secret is better kept out of lists of processes: TREADLE_WEBHOOK_SECRET. */
const webhooksOf = ({ webhook, webhookSecret, webhookHost }: FakeServeOptions): WebhookOptions => {
  if (webhook !== undefined && !isUrl(webhook))
    throw new TreadleError({
      code: 'bad_webhook',
      message: 'Webhooks are sent to an http(s) address',
      value: webhook,
      next: 'Write --webhook http://127.0.0.1:3000/hooks.',
    });
  return { to: webhook, secret: webhookSecret ?? process.env.TREADLE_WEBHOOK_SECRET, hosts: webhookHost };
};

const sourceOf = async (given: readonly string[], options: FakeServeOptions) => {
  const input = await withOwn(await readInputs(given), given[0], {
    ...(options.data.length > 0 ? { data: options.data } : {}),
    ...(options.overrides === undefined ? {} : { overrides: options.overrides }),
  });
  if (input.kind !== 'document')
    throw refuse(given[0] ?? '', 'This is no API document', 'Give an OpenAPI document as JSON or YAML.');
  const { name, text, others = [], own } = input;
  return { documents: [{ name, text }, ...others], tables: own?.tables, overrides: own?.overrides };
};

interface Counts {
  operations: number;
  bound: number;
  rows: number;
}

/** Of what the document has twice. */
const MOST_SHOWN = 5;

const countsOf = ({ rest, face, rows }: Fake): Counts => ({
  operations: rest.operations.length,
  bound: face.bindings.length,
  rows,
});

const say = (ui: Ui, fake: Fake, door: Listening, mega: MegaMcp, options: FakeServeOptions): void => {
  const { operations, bound, rows } = countsOf(fake);
  const url = door.origin;
  ui.give({
    url,
    ...(options.control ? { mcpUrl: `${url}${CONTROL}/mcp`, controlUrl: `${url}${CONTROL}` } : {}),
    agentsUrl: mega.url,
    adminUrl: mega.trainers.url,
    adminToken: mega.trainers.token,
    title: fake.document.title,
    ...countsOf(fake),
    unbound: fake.face.unbound as unknown as Json,
  });
  const rest = options.strict ? 'refused with 501' : 'answered from examples and schemas';
  ui.say(`${ui.style('bold', fake.document.title || fake.service)}  ${url}`);
  const others = bound === operations ? '' : `; the others are ${rest}`;
  ui.say(`${bound} of ${operations} operations keep state, over ${rows} rows${others}`);
  for (const { operation, hiddenBy } of fake.rest.router.collisions().slice(0, MOST_SHOWN))
    warn(`${operation} is never reached: ${hiddenBy} answers in its place`);
  ui.say('');
  const get = fake.face.bindings.find(
    ({ operation, answer }) => /^GET [^{]*$/.test(operation) && answer.kind === 'rows',
  );
  if (get) ui.say(ui.style('dim', `  curl ${url}${get.operation.slice(4)}`));
  ui.say(ui.style('dim', `  an API key of your own, or ${SESSION_HEADER}: NAME, is a fork of your own`));
  if (options.control)
    ui.say(
      ui.style(
        'dim',
        `  ${url}${CONTROL}: GET /session /diff /calls /webhooks, POST /reset /fork /clock /mcp, DELETE /session`,
      ),
    );
  ui.say('');
  ui.say(`trainers   ${mega.trainers.url}  token ${mega.trainers.token}   (all forks: GET /v1/sessions?run=rest)`);
  ui.say('Why an operation does what it does: treadle explain DOCUMENT "GET /path". Stop with Ctrl-C.');
};

export const serveFake = async (given: readonly string[], options: FakeServeOptions, ui: Ui): Promise<void> => {
  checkOptions(options);
  const source = await sourceOf(given, options);
  const [park, disk, store] = options.resting as [number, number, number];
  const fake = await openFake({
    ...source,
    seed: options.seed,
    strict: options.strict === true,
    needsKey: options.needsKey === true,
    control: options.control,
    faults: options.fault,
    faultSeed: options.faultSeed,
    webhooks: webhooksOf(options),
    limits: { capacity: options.capacity, idleSeconds: options.idle, idle: { ...IDLE_TIMES, park, disk, store } },
    onDefect: (error) => warn(`server: ${error.line()}`),
  });
  let mega: MegaMcp | undefined;
  try {
    const { host, adminPort, allowHost: hosts } = options;
    const port = options.port || options.restPort;
    const admin = process.env.TREADLE_ADMIN_TOKEN;
    mega = await serveMegaMcp({
      server: fake.server,
      agents: { host },
      trainers: { port: adminPort, ...(admin ? { token: admin } : {}) },
      allowed: { hosts },
    });
    const door = await fake.listen({ host, port, allowed: { hosts } });
    say(ui, fake, door, mega, options);
    await new Promise<void>((resolve) => {
      process.once('SIGINT', () => resolve());
      process.once('SIGTERM', () => resolve());
    });
  } finally {
    await mega?.close();
    await fake.close();
  }
};
