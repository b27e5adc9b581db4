/** A client of many sessions, in a process of its own, that lives on when their server is killed: opens them, calls, and calls again. */
import type { OpenedSession } from '../../src/serve/api.js';
import type { SessionState } from '../../src/serve/trainer.js';
import { type Doors, faultOf, sharedMs } from '../serve/load.js';
import { type PlannedRollout, readPlans } from '../serve/plan.js';
import { ask, mcpHead, mcpTail, type Wire, wireTo } from '../serve/wire.js';

export type SessionsJob =
  /** Opens `count` sessions, plan by plan, and makes their planned calls. */
  | { drive: Doors & { plans: string; count: number } }
  /** One request of each that only reads, as soon as it can be had. */
  | { answer: Doors }
  /** How many are in another state than they were after their calls: of one in ten, for telling a state costs more than a call. */
  | { compare: Doors };

export interface Done {
  calls: number;
  failed: number;
  failures: string[];
  /** On the shared clock, when the last was answered. */
  endedAt: number;
}

interface Held {
  id: string;
  /** A whole request. */
  read: string;
  hash?: string;
}

const CONNECTIONS = 16;
const SAMPLE = 10;
const held: Held[] = [];

/** `work` of each of `items`, some at a time, each with a connection to `port`. */
const each = async <T>(
  items: readonly T[],
  port: number,
  work: (item: T, wire: Wire) => Promise<string | undefined>,
): Promise<Done> => {
  const done: Done = { calls: 0, failed: 0, failures: [], endedAt: 0 };
  let next = 0;
  const one = async (): Promise<void> => {
    let wire = await wireTo(port);
    while (next < items.length) {
      const item = items[next++] as T;
      // For a refusal the server hangs up.
      if (wire.isClosed) wire = await wireTo(port);
      const fault = await work(item, wire).catch(String);
      done.calls++;
      if (fault === undefined) continue;
      done.failed++;
      if (done.failures.length < 10) done.failures.push(fault);
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  return { ...done, endedAt: sharedMs() };
};

const admin = async <T>(wire: Wire, token: string, method: string, path: string, body?: unknown): Promise<T> => {
  const { status, body: said } = await ask(wire, { method, path, token, body });
  const text = said.toString('utf8');
  if (status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
};

const stateOf = async ({ id }: Held, wire: Wire, token: string): Promise<string> =>
  (await admin<SessionState>(wire, token, 'GET', `/v1/sessions/${id}/state`)).hash;

/** Why a call went wrong, or what is remembered of the session. */
const called = async (opened: OpenedSession, plan: PlannedRollout, agent: Wire): Promise<string | Held> => {
  const requests = plan.calls.map(({ service, tool, args }, i) => {
    const { url, token } = opened.services[service] as { url: string; token: string };
    return mcpHead(new URL(url).pathname, token) + mcpTail(i, 'tools/call', { name: tool, arguments: args });
  });
  for (const [i, { ok, sha, tool }] of plan.calls.entries()) {
    const fault = faultOf(await agent.send(requests[i] as string), ok, sha);
    if (fault !== undefined) return `${tool}: ${fault}`;
  }
  const reading = plan.calls.findLastIndex(({ ok, changes }) => ok && !changes);
  const listing = mcpHead(new URL(opened.url).pathname, opened.token) + mcpTail(0, 'tools/list');
  return { id: opened.id, read: requests[reading] ?? listing };
};

const drive = async ({
  plans: file,
  count,
  agentsPort,
  trainersPort,
  token,
}: Doors & { plans: string; count: number }) => {
  const plans = readPlans(file);
  const numbers = Array.from({ length: count }, (_, i) => plans[i % plans.length] as PlannedRollout);
  const agents: Wire[] = [];
  const done = await each(numbers, trainersPort, async (plan, wire) => {
    const { task, world, services } = plan;
    const body = { ...(task === undefined ? { world } : { task }), services };
    const opened = await admin<OpenedSession>(wire, token, 'POST', '/v1/sessions', body);
    const agent = agents.pop() ?? (await wireTo(agentsPort));
    const made = await called(opened, plan, agent);
    if (!agent.isClosed) agents.push(agent);
    if (typeof made === 'string') return made;
    if (held.push(made) % SAMPLE === 0) made.hash = await stateOf(made, wire, token);
    return undefined;
  });
  for (const agent of agents) agent.close();
  return done;
};

export const work = async (job: SessionsJob): Promise<Done> => {
  if ('drive' in job) return drive(job.drive);
  if ('compare' in job)
    return each(
      held.filter(({ hash }) => hash !== undefined),
      job.compare.trainersPort,
      async (one, wire) => {
        const hash = await stateOf(one, wire, job.compare.token);
        return hash === one.hash ? undefined : `${one.id} is in another state than it was`;
      },
    );
  return each(held, job.answer.agentsPort, async ({ read }, wire) => {
    const { status, body } = await wire.send(read);
    const isFine = status === 200 && body.includes('"result":') && !body.includes('"isError":true');
    return isFine ? undefined : `${status} ${body.toString('utf8', 0, 200)}`;
  });
};
