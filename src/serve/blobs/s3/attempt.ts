/** One request to an object store and all of its answer, within a time that grows with what is sent or announced. */
import type { Clock } from '../../durable/clock.js';

export interface Exchange {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** No blob is larger, 1 GiB; more is neither sent nor read. */
export const MOST_BYTES = 2 ** 30;

/** Besides the timeout, a second for each MiB of the body. */
const msFor = (bytes: number): number => Math.ceil((bytes / 2 ** 20) * 1000);

/** `system` is what is told: never a URL, a header or a body, which may hold what nobody shall read. */
export class Broken extends Error {
  readonly system: string;
  constructor(system: string) {
    super(system);
    this.system = system;
  }
}

const systemOf = (thrown: unknown): string => {
  if (thrown instanceof Broken) return thrown.system;
  const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
  const found = cause?.code ?? code;
  return typeof found === 'string' ? found : 'connection lost';
};

/** Undefined where the answer does not say, or says nonsense. */
const announced = (headers: Headers): number | undefined => {
  const text = headers.get('content-length');
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

const readAll = async (response: Response): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MOST_BYTES) throw new Broken('an answer without end');
    chunks.push(chunk);
  }
  const wanted = announced(response.headers);
  if (wanted !== undefined && wanted !== length) throw new Broken(`${length} of ${wanted} bytes came`);
  return Buffer.concat(chunks, length);
};

/** Follows no redirect: what is signed is for one host. Throws `Broken` where no whole answer came. */
export const attempt = async (exchange: Exchange, clock: Clock, timeoutMs: number): Promise<Answer> => {
  const { method, url, headers, body } = exchange;
  const cut = new AbortController();
  const done = new AbortController();
  let allowed = timeoutMs + msFor(body?.byteLength ?? 0);
  const began = clock.now();
  const watch = async (): Promise<void> => {
    for (let left = allowed; left > 0; left = began + allowed - clock.now()) {
      await clock.sleep(left, done.signal);
      if (done.signal.aborted) return;
    }
    cut.abort(new Broken('no answer in time'));
  };
  void watch();
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal: cut.signal,
      ...(body ? { body } : {}),
    });
    const length = announced(response.headers) ?? 0;
    if (length > MOST_BYTES) throw new Broken('an answer without end');
    allowed += msFor(length);
    return { status: response.status, headers: response.headers, bytes: await readAll(response) };
  } catch (thrown) {
    cut.abort();
    throw new Broken(cut.signal.reason instanceof Broken ? cut.signal.reason.system : systemOf(thrown));
  } finally {
    done.abort();
  }
};
