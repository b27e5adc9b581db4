/** Opens sessions and makes their planned calls, some at a time, and leaves them as they are: for the parts that look at memory. */
import type { OpenedSession } from '../../src/serve/api.js';
import { type Doors, faultOf } from './load.js';
import { type PlannedRollout, readPlans } from './plan.js';
import { type Answer, ask, mcpHead, mcpTail, type Wire, wireTo } from './wire.js';

export interface DriveJob extends Doors {
  plans: string;
  /** Sessions by number: plan `i % plans` is the i-th session's. */
  from: number;
  to: number;
  /** At once. */
  workers: number;
}

export interface Driven {
  calls: number;
  failed: number;
  failures: string[];
}

/** A kept connection that is made anew after a refusal, for which the server hangs up, and after it broke; undefined then. */
const lineTo = (port: number) => {
  let wire: Wire | undefined;
  const say = async (request: (wire: Wire) => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      wire ??= await wireTo(port);
      const answer = await request(wire);
      if (answer.status < 300) return answer;
      wire.close();
      wire = undefined;
      return answer;
    } catch {
      wire?.close();
      wire = undefined;
      return undefined;
    }
  };
  return Object.assign(say, { close: () => wire?.close() });
};

let known: { file: string; plans: PlannedRollout[] } | undefined;

export const work = async ({
  plans: file,
  from,
  to,
  workers,
  agentsPort,
  trainersPort,
  token,
}: DriveJob): Promise<Driven> => {
  if (known?.file !== file) known = { file, plans: readPlans(file) };
  const { plans } = known;
  const done: Driven = { calls: 0, failed: 0, failures: [] };
  let next = from;
  const failed = (why: string): void => {
    done.failed++;
    if (done.failures.length < 10) done.failures.push(why);
  };
  const one = async (): Promise<void> => {
    const admin = lineTo(trainersPort);
    const agent = lineTo(agentsPort);
    while (next < to) {
      const { task, world, services, calls } = plans[next++ % plans.length] as PlannedRollout;
      const body = { ...(task === undefined ? { world } : { task }), services };
      const answer = await admin((wire) => ask(wire, { method: 'POST', path: '/v1/sessions', token, body }));
      if (answer?.status !== 201) {
        failed(`open: ${answer?.status} ${answer?.body.toString('utf8', 0, 200)}`);
        continue;
      }
      const opened = JSON.parse(answer.body.toString('utf8')) as OpenedSession;
      for (const [i, { service, tool, args, ok, sha }] of calls.entries()) {
        const { url, token: own } = opened.services[service] as { url: string; token: string };
        const head = mcpHead(new URL(url).pathname, own);
        const said = await agent((wire) => wire.send(head + mcpTail(i, 'tools/call', { name: tool, arguments: args })));
        done.calls++;
        const fault = faultOf(said, ok, sha);
        if (fault !== undefined) failed(`${tool}: ${fault}`);
      }
    }
    admin.close();
    agent.close();
  };
  await Promise.all(Array.from({ length: workers }, one));
  return done;
};
