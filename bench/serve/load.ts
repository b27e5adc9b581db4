/** The load generator, in a process of its own: plans are read and requests written out before the clock starts. */

import { cpuSeconds } from '../../src/kit/clock.js';
import { sha256 } from '../../src/kit/hash.js';
import type { OpenedSession, Verdict } from '../../src/serve/api.js';
import { type PlannedRollout, readPlans } from './plan.js';
import { cpuSecondsOf, type Pids } from './processes.js';
import { type Answer, ask, mcpHead, mcpTail, type Wire, wireTo } from './wire.js';

export interface Doors {
  agentsPort: number;
  trainersPort: number;
  token: string;
}

export interface Run extends Doors {
  /** Of the server, whose CPU time is read when the last call is answered. */
  pid: Pids;
  /** On the shared clock; absent: each rollout's own start. */
  startedAt: number | null;
  /** Kept connections to the trainers' door. */
  trainers: number;
}

export type LoadJob = { prepare: string } | { run: Run };

export interface LoadResult {
  wallMs: number;
  ttftMs: number[];
  endMs: number[];
  openMs: number[];
  calls: number;
  sessions: number;
  failed: number;
  failures: string[];
  uploadBytes: number;
  verifyMs: number;
  /** CPU seconds: the server's since it was started, and this process's own, up to the last answer. */
  serverCpu: number;
  ownCpu: number;
  verified: number;
  verdictsWrong: number;
}

/** Milliseconds on a clock that all processes of this machine share. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

let plans: PlannedRollout[] = [];
let requests: string[][] = [];

const prepare = (file: string): { rollouts: number; calls: number } => {
  plans = readPlans(file);
  requests = plans.map(({ calls }) =>
    calls.map(({ tool, args }, i) => mcpTail(i + 10, 'tools/call', { name: tool, arguments: args })),
  );
  return { rollouts: plans.length, calls: requests.reduce((sum, list) => sum + list.length, 0) };
};

/** A few kept connections to the trainers' door, as a trainer's HTTP client has: who finds none free waits in line. */
const trainerPool = (port: number, token: string, most: number) => {
  const free: Wire[] = [];
  const line: ((wire: Wire) => void)[] = [];
  let made = 0;
  const take = async (): Promise<Wire> => {
    const known = free.pop();
    if (known) return known;
    if (made < most) {
      made++;
      return wireTo(port);
    }
    return new Promise((resolve) => line.push(resolve));
  };
  const give = (wire: Wire): void => {
    const next = line.shift();
    if (next) next(wire);
    else free.push(wire);
  };
  return {
    request: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const wire = await take();
      try {
        const answer = await ask(wire, { method, path, token, body });
        const text = answer.body.toString('utf8');
        if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
        return (text === '' ? undefined : JSON.parse(text)) as T;
      } finally {
        give(wire);
      }
    },
    close: (): void => {
      for (const wire of free) wire.close();
    },
  };
};

/** What the agent's sandbox is given: where its tools are, and the task. */
const uploadOf = (opened: OpenedSession): number => {
  const servers = Object.entries(opened.services).map(([id, { token, url }]) => [
    id,
    { type: 'http', url, headers: { Authorization: `Bearer ${token}` } },
  ]);
  return (
    Buffer.byteLength(JSON.stringify({ mcpServers: Object.fromEntries(servers) })) +
    Buffer.byteLength(opened.brief ?? '')
  );
};

interface Rolled {
  opened: OpenedSession;
  answers: Answer[];
  openMs: number;
  ttftMs: number;
  endMs: number;
}

type Pool = ReturnType<typeof trainerPool>;

const rollOut = async (index: number, pool: Pool, port: number, startedAt: number): Promise<Rolled> => {
  const plan = plans[index] as PlannedRollout;
  const tails = requests[index] as string[];
  const { task, world, services } = plan;
  const opened = await pool.request<OpenedSession>('POST', '/v1/sessions', {
    ...(task === undefined ? { world } : { task }),
    services,
  });
  const openMs = sharedMs() - startedAt;
  const heads = new Map(
    Object.entries(opened.services).map(([id, { url, token }]) => [id, mcpHead(new URL(url).pathname, token)] as const),
  );
  const wire = await wireTo(port);
  for (const [n, head] of [...heads.values()].entries()) {
    const listed = await wire.send(head + mcpTail(n + 1, 'tools/list'));
    if (listed.status !== 200 || !listed.body.includes('"tools":[')) throw new Error(`tools/list: ${listed.status}`);
  }
  const answers: Answer[] = [];
  let ttftMs = 0;
  for (const [i, { service }] of plan.calls.entries()) {
    answers.push(await wire.send((heads.get(service) as string) + (tails[i] as string)));
    if (i === 0) ttftMs = sharedMs() - startedAt;
  }
  const endMs = sharedMs() - startedAt;
  wire.close();
  return { opened, answers, openMs, ttftMs, endMs };
};

interface CallResult {
  result?: { content: { text: string }[]; isError?: boolean };
}

/** Why an answer is not the planned one. */
export const faultOf = (answer: Answer | undefined, ok: boolean, sha: string): string | undefined => {
  if (answer === undefined) return 'no answer';
  const said = answer.body.toString('utf8');
  if (answer.status !== 200) return `${answer.status} ${said.slice(0, 160)}`;
  const { result } = JSON.parse(said) as CallResult;
  const text = result?.content[0]?.text;
  if (text === undefined) return said.slice(0, 160);
  if ((result?.isError !== true) !== ok) return `ok is not ${ok}: ${text.slice(0, 160)}`;
  return sha256(text) === sha ? undefined : `another result: ${text.slice(0, 160)}`;
};

const run = async ({ agentsPort, trainersPort, token, startedAt, trainers, pid }: Run): Promise<LoadResult> => {
  const cpuFrom = cpuSeconds();
  const pool = trainerPool(trainersPort, token, trainers);
  const from = startedAt ?? sharedMs();
  const settled = await Promise.allSettled(plans.map((_, i) => rollOut(i, pool, agentsPort, startedAt ?? sharedMs())));
  const wallMs = sharedMs() - from;
  const serverCpu = cpuSecondsOf(pid);
  const ownCpu = cpuSeconds() - cpuFrom;
  const failures: string[] = [];
  const rolled: Rolled[] = [];
  let failed = 0;
  for (const [i, each] of settled.entries()) {
    const { calls, world } = plans[i] as PlannedRollout;
    const answers = each.status === 'fulfilled' ? each.value.answers : [];
    if (each.status === 'fulfilled') rolled.push(each.value);
    else failures.push(`rollout ${i}: ${String(each.reason)}`);
    for (const [n, { ok, sha, tool }] of calls.entries()) {
      const fault = faultOf(answers[n], ok, sha);
      if (fault === undefined) continue;
      failed++;
      if (failures.length < 20) failures.push(`rollout ${i} ${world} call ${n} ${tool}: ${fault}`);
    }
  }
  const verifyFrom = sharedMs();
  let verified = 0;
  let verdictsWrong = 0;
  const judge = async (i: number): Promise<void> => {
    const each = settled[i];
    if (each?.status !== 'fulfilled') return;
    const { answer, pass } = plans[i] as PlannedRollout;
    const path = `/v1/sessions/${each.value.opened.id}`;
    if (pass !== undefined) {
      const verdict = await pool.request<Verdict>('POST', `${path}/verify`, { answer });
      verified++;
      if (verdict.pass !== pass) verdictsWrong++;
    }
    await pool.request('POST', `${path}/close`, { answer });
  };
  await Promise.all(plans.map((_, i) => judge(i)));
  const verifyMs = sharedMs() - verifyFrom;
  pool.close();
  return {
    wallMs,
    ttftMs: rolled.map(({ ttftMs }) => ttftMs),
    endMs: rolled.map(({ endMs }) => endMs),
    openMs: rolled.map(({ openMs }) => openMs),
    calls: plans.reduce((sum, { calls }) => sum + calls.length, 0),
    sessions: rolled.reduce((sum, { opened }) => sum + Object.keys(opened.services).length, 0),
    failed,
    failures,
    uploadBytes: rolled.reduce((sum, { opened }) => sum + uploadOf(opened), 0),
    verifyMs,
    serverCpu,
    ownCpu,
    verified,
    verdictsWrong,
  };
};

export const work = async (job: LoadJob): Promise<unknown> => ('prepare' in job ? prepare(job.prepare) : run(job.run));
