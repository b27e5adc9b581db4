/** A webhook on its way: to a handler in this process, or over HTTP with retries; never to a host that nobody allowed. */
import { setTimeout as sleep } from 'node:timers/promises';

/** One try: the status that came back, or why none did. */
export interface Attempt {
  status?: number;
  error?: string;
}

export interface Sendable {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface PostOptions {
  signal: AbortSignal;
  /** Milliseconds before each try after the first. */
  delays: readonly number[];
  attempted(attempt: Attempt): void;
}

const TRY_MS = 10_000;

/** Of a request that is a webhook: where one is sent to this server itself, none arises from it. */
export const SENT_HEADER = 'x-treadle-webhook';

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address that a request gave may be called: this machine's own, and hosts that were named. */
export const isAllowed = (url: string, hosts: readonly string[]): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return LOOPBACK.test(hostname) || hosts.includes(hostname) || hosts.includes(host);
};

const tryOnce = async ({ url, method, headers, body }: Sendable, signal: AbortSignal): Promise<Attempt> => {
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, [SENT_HEADER]: '1' },
      // A redirect could lead to a host that nobody allowed.
      redirect: 'manual',
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]),
    });
    await answer.body?.cancel();
    return { status: answer.status };
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    return { error: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
};

const isDone = ({ status }: Attempt): boolean => status !== undefined && status >= 200 && status < 300;

/** True once a receiver has taken it. Never rejects. */
export const post = async (sendable: Sendable, { signal, delays, attempted }: PostOptions): Promise<boolean> => {
  for (const delay of [0, ...delays]) {
    if (delay > 0) await sleep(delay, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    const attempt = await tryOnce(sendable, signal);
    attempted(attempt);
    if (isDone(attempt)) return true;
  }
  return false;
};
