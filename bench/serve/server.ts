/** The server under test: `treadle serve` as it is built, in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServerInfo } from '../../src/serve/api.js';
import { startNode, stop } from './processes.js';
import { say } from './report.js';
import { ask, type Wire, wireTo } from './wire.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READY_MS = 600_000;

export interface Served {
  pid: number;
  agentsPort: number;
  trainersPort: number;
  token: string;
  /** A trainer's request with the admin token. Throws for an answer other than 2xx. */
  admin<T>(method: string, path: string, body?: unknown): Promise<T>;
  stop(): Promise<void>;
  /** With -9: it saves nothing. */
  kill(): Promise<void>;
}

const newest = (dir: string): number =>
  (readdirSync(dir, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .reduce((latest, name) => Math.max(latest, statSync(join(dir, name)).mtimeMs), 0);

/** The built command line. Throws when it is missing or older than the source it was built from. */
export const builtMain = (dist: string | undefined): string => {
  const main = join(dist ?? join(ROOT, 'dist'), 'cli/main.js');
  if (!existsSync(main))
    throw new Error(`${main} is missing: run \`npm run build\` first, the server under test is the built one`);
  if (dist === undefined && statSync(main).mtimeMs < newest(join(ROOT, 'src')))
    throw new Error('dist is older than src: run `npm run build` first, the server under test is the built one');
  return main;
};

export interface ServeOptions {
  main: string;
  corpus: string;
  /** Further arguments of `treadle serve`. */
  args?: readonly string[];
  /** Of node's own. */
  nodeArgs?: readonly string[];
}

export interface Said {
  url: string;
  adminUrl: string;
  adminToken: string;
}

/** The first JSON value that the server prints: where it listens. */
const addressOf = (child: ChildProcess): Promise<Said> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      try {
        resolve(JSON.parse(text) as Said);
      } catch {
        // Not all of it yet.
      }
    });
    child.once('exit', (code) => reject(new Error(`treadle serve ended with ${code}`)));
    setTimeout(() => reject(new Error('treadle serve did not say its address')), READY_MS).unref();
  });

const portOf = (url: string): number => Number(new URL(url).port);

/** A server's process, once it has said where it listens. */
export const servedBy = async <S extends Said>(child: ChildProcess): Promise<Served & { said: S }> => {
  const said = (await addressOf(child)) as S;
  const { url, adminUrl, adminToken } = said;
  let isStopping = false;
  child.once('exit', (code, signal) => {
    if (!isStopping) say(`the server ended by itself: ${signal ?? `code ${code}`}`);
  });
  const trainersPort = portOf(adminUrl);
  let wire: Wire | undefined;
  return {
    said,
    pid: child.pid as number,
    agentsPort: portOf(url),
    trainersPort,
    token: adminToken,
    admin: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      if (wire === undefined || wire.isClosed) wire = await wireTo(trainersPort);
      const { status, body: answer } = await ask(wire, { method, path, token: adminToken, body });
      const text = answer.toString('utf8');
      if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
      return (text === '' ? undefined : text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as T;
    },
    stop: async () => {
      isStopping = true;
      wire?.close();
      await stop(child);
    },
    kill: async () => {
      isStopping = true;
      wire?.close();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
};

/** Started and listening; worlds may still be loading. */
export const serve = ({ main, corpus, args = [], nodeArgs = [] }: ServeOptions): Promise<Served> =>
  servedBy(startNode([...nodeArgs, main, 'serve', corpus, '--json', '--sessions', '0', ...args], 'pipe'));

/** Waits until the server has read ahead what it reads ahead. */
export const warmed = async (served: Served): Promise<ServerInfo> => {
  for (let n = 0; n < READY_MS / 50; n++) {
    const info = await served.admin<ServerInfo>('GET', '/v1/info');
    if (!info.warming && info.worlds.loaded >= Math.min(info.worlds.known, 256)) return info;
    await sleep(50);
  }
  throw new Error('the worlds were not loaded in time');
};
