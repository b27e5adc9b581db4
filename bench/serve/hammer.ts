/** Sends one request a connection again and again, the next when the last is answered, and says how long it took. */
import { cpuSecondsOf, type Pids } from './processes.js';
import { type Answer, wireTo } from './wire.js';

export interface HammerJob {
  port: number;
  /** One whole HTTP request a connection. */
  requests: string[];
  /** All connections together. */
  count: number;
  /** What every answer must hold, and must not. */
  holds: string;
  lacks?: string;
  /** 200 when absent. */
  status?: number;
  /** Of the server, whose CPU time is told. */
  pid: Pids;
}

export interface Hammered {
  perSecond: number;
  cpuUs: number;
  failed: number;
  failure?: string;
}

export const work = async ({
  port,
  requests,
  count,
  holds,
  lacks,
  status: wanted = 200,
  pid,
}: HammerJob): Promise<Hammered> => {
  const wires = await Promise.all(requests.map(() => wireTo(port)));
  let left = count;
  let failed = 0;
  let failure: string | undefined;
  const isFine = ({ status, body }: Answer): boolean =>
    status === wanted && body.includes(holds) && (lacks === undefined || !body.includes(lacks));
  const one = async (n: number): Promise<void> => {
    const wire = wires[n];
    const request = requests[n];
    while (wire !== undefined && request !== undefined && left-- > 0) {
      const answer = await wire.send(request);
      if (isFine(answer)) continue;
      failed++;
      failure ??= `${answer.status} ${answer.body.toString('utf8', 0, 300)}`;
    }
  };
  const cpu = cpuSecondsOf(pid);
  const from = performance.now();
  await Promise.all(wires.map((_, n) => one(n)));
  const ms = performance.now() - from;
  const cpuUs = ((cpuSecondsOf(pid) - cpu) * 1e6) / count;
  for (const wire of wires) wire.close();
  return { perSecond: (count / ms) * 1000, cpuUs, failed, ...(failure === undefined ? {} : { failure }) };
};
