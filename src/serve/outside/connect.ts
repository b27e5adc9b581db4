/** Starts or reaches a server and shakes hands with it, in whichever era it speaks. */
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { TreadleError } from '../../errors.js';
import { newMark, processEnvironment } from '../sandbox/environment.js';
import { type ProcessExit, startGroup } from '../sandbox/process-group.js';
import { type OutsideOutcome, TOO_LARGE } from './faults.js';
import { type HttpSpec, httpTransport } from './http.js';
import { type OutsideSpec, WORKSPACE } from './spec.js';
import { StdioTransport } from './stdio.js';

export interface Link {
  readonly client: Client;
  /** Whether no call can succeed any more. */
  readonly isLost: boolean;
  /** The last of what the server wrote to stderr. */
  diagnostics(): string;
  /** Hears of an end that nobody asked for, and of requests that will not be answered. */
  listen(heard: { onExit(exit: ProcessExit): void; onBroken(outcome: OutsideOutcome): void }): void;
  stop(): void;
  continue(): void;
  /** When a lost one has wholly ended and its end was told. */
  ended(): Promise<void>;
  /** Ends the process, or the connection. Never rejects. */
  close(): Promise<void>;
}

type StdioSpec = Extract<OutsideSpec['transport'], { stdio: unknown }>['stdio'];

const VERSION = '1';
const newClient = (mode?: 'auto' | { pin: string }): Client =>
  new Client(
    { name: 'treadle', version: VERSION },
    { capabilities: {}, ...(mode ? { versionNegotiation: { mode } } : {}) },
  );

/** What went wrong with a start; `said` is what the server wrote to stderr meanwhile. */
export const startFailure = (spec: OutsideSpec, thrown: unknown, signal: AbortSignal, said: string): TreadleError => {
  if (signal.aborted && signal.reason instanceof TreadleError) return signal.reason;
  const isLate = signal.aborted && (signal.reason as { name?: string } | undefined)?.name === 'TimeoutError';
  if (!isLate && thrown instanceof TreadleError) return thrown;
  const why = thrown instanceof Error ? thrown.message.slice(0, 300) : String(thrown);
  return new TreadleError({
    code: isLate ? 'server_start_timeout' : 'server_start_failed',
    message: isLate
      ? `${spec.id} did not answer within ${spec.startSeconds} s of its start`
      : `${spec.id} could not be started: ${why}`,
    value: said.trim().slice(-2_000) || undefined,
    next: isLate ? 'Raise `startSeconds`, or see what it waits for' : 'Run its command by hand',
    fault: 'infrastructure',
    isRetryable: isLate,
    cause: thrown,
  });
};

const startStdio = (
  stdio: StdioSpec,
  folder: string,
): { transport: StdioTransport; group: ReturnType<typeof startGroup> } => {
  const filled = (text: string): string => text.replaceAll(WORKSPACE, folder);
  const mark = newMark();
  const own = Object.fromEntries(Object.entries(stdio.env ?? {}).map(([name, value]) => [name, filled(value)]));
  const group = startGroup(filled(stdio.command), stdio.args.map(filled), {
    cwd: folder,
    env: processEnvironment(folder, mark, own),
    mark,
  });
  return { transport: new StdioTransport(group), group };
};

const connectStdio = async (
  spec: OutsideSpec,
  stdio: StdioSpec,
  folder: string,
  signal: AbortSignal,
  pin?: string,
): Promise<Link> => {
  const { transport, group } = startStdio(stdio, folder);
  const client = newClient(pin === undefined ? undefined : { pin });
  const onAbort = (): void => void transport.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw signal.reason;
    await client.connect(transport, { signal, timeout: spec.startSeconds * 1_000 });
    if (transport.isClosed) throw new Error('it ended at once');
  } catch (thrown) {
    await transport.close();
    throw thrown instanceof ProtocolError && pin === undefined
      ? thrown
      : startFailure(spec, thrown, signal, transport.diagnostics());
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return {
    client,
    get isLost() {
      return transport.isClosed;
    },
    diagnostics: () => transport.diagnostics(),
    listen: ({ onExit, onBroken }) => {
      transport.onexit = onExit;
      transport.onbroken = onBroken;
    },
    stop: () => group.stop(),
    continue: () => group.continue(),
    ended: () => transport.ended(),
    close: () => transport.close(),
  };
};

const LEAVE_MS = 2_000;

const connectHttp = async (spec: OutsideSpec, http: HttpSpec, signal: AbortSignal): Promise<Link> => {
  let isForgotten = false;
  let broken: (outcome: OutsideOutcome) => void = () => {};
  const transport = httpTransport(http, {
    onStatus: (status) => {
      if (status === 404 && transport.sessionId !== undefined) isForgotten = true;
    },
    onTooLarge: () => broken(TOO_LARGE),
  });
  const client = newClient('auto');
  const close = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
    clearTimeout(timer);
    await client.close().catch(() => {});
  };
  const onAbort = (): void => void transport.close().catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw signal.reason;
    await client.connect(transport, { signal, timeout: spec.startSeconds * 1_000 });
  } catch (thrown) {
    await client.close().catch(() => {});
    throw startFailure(spec, thrown, signal, '');
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return {
    client,
    // It answers 404 to a session that it forgot, and so to all that follows.
    get isLost() {
      return isForgotten;
    },
    diagnostics: () => '',
    listen: ({ onBroken }) => {
      broken = onBroken;
    },
    stop: () => {},
    continue: () => {},
    ended: close,
    close,
  };
};

/** Those that know no handshake any more. */
const MODERN = '2026-07-28';

/**
 * A connected server. A process is asked in the old era first, which most speak, and started once more where it knows only the new
 * one. Throws `server_start_failed`, `server_start_timeout` (with what it wrote to stderr) and `cannot_start`.
 */
export const connect = async (spec: OutsideSpec, folder: string, signal: AbortSignal): Promise<Link> => {
  if ('http' in spec.transport) return connectHttp(spec, spec.transport.http, signal);
  const { stdio } = spec.transport;
  try {
    return await connectStdio(spec, stdio, folder, signal);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    return connectStdio(spec, stdio, folder, signal, MODERN);
  }
};
