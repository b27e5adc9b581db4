/** Servers of one document, each a process of its own: the fake as `treadle serve DOCUMENT --rest`, and Prism with static answers. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startNode, stop } from '../serve/processes.js';
import { builtMain } from '../serve/server.js';
import { wireTo } from '../serve/wire.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PRISM = `${HERE}node_modules/@stoplight/prism-cli/dist/index.js`;

/** Installs Prism where it is not there. Throws where it cannot be had. */
export const prismMain = (): string => {
  if (!existsSync(PRISM)) {
    const flags = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
    const { status } = spawnSync('npm', flags, { cwd: HERE, stdio: 'inherit' });
    if (status !== 0) throw new Error('Prism cannot be installed: npm reaches no registry');
  }
  return PRISM;
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

export interface Serving {
  port: number;
  pid: number;
  /** Milliseconds from the process's start to its first answer. */
  startedMs: number;
  stop(): Promise<void>;
}

const PATIENCE_MS = 120_000;

/** Asked again and again until something answers: the port is open before that, or not. */
const answered = async (port: number, request: string, from: number): Promise<number> => {
  for (;;) {
    const status = await wireTo(port)
      .then(async (wire) => {
        try {
          return (await wire.send(request)).status;
        } finally {
          wire.close();
        }
      })
      .catch(() => undefined);
    const ms = performance.now() - from;
    if (status !== undefined) return ms;
    if (ms > PATIENCE_MS) throw new Error(`nothing answers on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

export const getOf = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n\r\n`;

const started = async (args: readonly string[], port: number, first: string): Promise<Serving> => {
  const from = performance.now();
  const child = startNode(args, 'pipe');
  child.stdout?.resume();
  try {
    const startedMs = await answered(port, getOf(first), from);
    return { port, pid: child.pid as number, startedMs, stop: () => stop(child) };
  } catch (thrown) {
    await stop(child);
    throw thrown;
  }
};

/** The built command; `first` is a path that answers. */
export const serveFake = async (
  document: string,
  first: string,
  nodeArgs: readonly string[] = [],
): Promise<Serving> => {
  const [port, admin] = [await freePort(), await freePort()];
  const args = ['serve', document, '--rest', '--port', String(port), '--admin-port', String(admin)];
  return started([...nodeArgs, builtMain(undefined), ...args], port, first);
};

export const servePrism = async (document: string, first: string): Promise<Serving> => {
  const port = await freePort();
  return started([prismMain(), 'mock', document, '-p', String(port), '-h', '127.0.0.1', '-v', 'fatal'], port, first);
};
