/** One session's instance of an outside MCP server. */
import { resolve } from 'node:path';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { hazardOf } from '../mcp/hazards.js';
import { copyFolder, FOLDER_LIMITS, type FolderLimits } from '../sandbox/copy-folder.js';
import { claimFolder, removeFolder, replaceFolder } from '../sandbox/folders.js';
import type { StartQueue } from '../start-queue.js';
import type { SessionTool } from '../tool-host.js';
import { connect, type Link, startFailure } from './connect.js';
import { agentFault, CallBroken, GONE, type OutsideOutcome, outcomeOfFailure, serverFault } from './faults.js';
import { NO_PATHS, type Paths, pathsOf } from './paths.js';
import { outcomeOfResult } from './result.js';
import type { OutsideSpec } from './spec.js';
import { listTools, type OutsideTool, showTools } from './tools.js';
import { Turns } from './turns.js';

export interface OutsideExit {
  code: number | null;
  signal: string | null;
  /** The last 64 KB of its stderr. */
  stderr: string;
  /** Whether the next call starts it again; its folder, where that is its state, is as it was. */
  startsAgain: boolean;
}

export interface OutsideOptions {
  /** Absent or empty; the instance's own until it is closed, and then removed. */
  folder: string;
  starts: StartQueue;
  /** When the process has ended by itself. */
  onExit?: (exit: OutsideExit) => void;
  /** Of the folder, when it is copied. */
  limits?: FolderLimits;
}

export interface OutsideService {
  readonly id: string;
  /** Whether `fork`, `save` and `load` are possible. */
  readonly canFork: boolean;
  tools(): SessionTool[];
  /** Never throws. Calls run one after the other; `signal` cuts this one off. */
  call(name: string, args: unknown, signal?: AbortSignal): Promise<OutsideOutcome>;
  /** Another instance with the same state. Throws `not_forkable`, what a start and what `copyFolder` throw. */
  fork(folder: string): Promise<OutsideService>;
  /** Keeps the state in a folder that is absent or empty. Throws `not_forkable` and as `copyFolder`. */
  save(folder: string): Promise<void>;
  /** Has the state that `save` kept, in a process started for it. When the copy fails, nothing has changed. */
  load(folder: string): Promise<void>;
  /** Stops the process (SIGSTOP), once calls that run have ended; calls are refused until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Breaks off what runs, ends the process and removes the folder. Closing twice is allowed. */
  close(): Promise<void>;
}

/** A server that keeps crashing is not started for ever. */
const MOST_RESTARTS = 3;

const CLOSED = serverFault('server_closed', 502, 'The server behind this tool was closed.');
const PAUSED = serverFault('server_paused', 409, 'The session is paused.');
const CUT = serverFault('call_cut', 504, 'The call was cut off.');

/** A call that waits behind others is cut at once; its turn then passes without it. */
const orCut = (turn: Promise<OutsideOutcome>, signal: AbortSignal): Promise<OutsideOutcome> =>
  new Promise((resolve) => {
    const onCut = (): void => resolve(CUT);
    if (signal.aborted) onCut();
    signal.addEventListener('abort', onCut, { once: true });
    void turn.then(resolve).finally(() => signal.removeEventListener('abort', onCut));
  });

class HostedServer implements OutsideService {
  readonly id: string;
  readonly canFork: boolean;
  readonly #spec: OutsideSpec;
  readonly #options: OutsideOptions;
  readonly #turns = new Turns();
  readonly #paths: Paths;
  readonly #end = new AbortController();
  #tools: readonly OutsideTool[] = [];
  #byName = new Map<string, OutsideTool>();
  #link: Link | undefined;
  #call: AbortController | undefined;
  #isPaused = false;
  #restarts = 0;
  #closing: Promise<void> | undefined;

  constructor(spec: OutsideSpec, options: OutsideOptions) {
    this.#spec = spec;
    this.#options = { ...options, folder: resolve(options.folder) };
    this.id = spec.id;
    this.canFork = spec.keeps !== 'unknown';
    this.#paths = 'stdio' in spec.transport ? pathsOf(this.#options.folder) : NO_PATHS;
  }

  /** Starts the process; lists the tools, unless an origin listed them already. */
  async open(tools?: readonly OutsideTool[]): Promise<this> {
    try {
      this.#link = await this.#start(async (link, signal) => {
        this.#tools =
          tools ?? showTools(await listTools(link.client, this.#spec, signal), this.#spec, this.#paths.hide);
      });
    } catch (thrown) {
      await removeFolder(this.#options.folder).catch(() => {});
      throw thrown;
    }
    this.#byName = new Map(this.#tools.map((tool) => [tool.shown.name, tool]));
    return this;
  }

  tools(): SessionTool[] {
    return this.#tools.map(({ shown }) => shown);
  }

  call(name: string, args: unknown, signal?: AbortSignal): Promise<OutsideOutcome> {
    const turn = this.#turns.take(async () => {
      const tool = this.#byName.get(name);
      if (!tool) return agentFault('unknown_tool', 404, `There is no tool called ${String(name).slice(0, 80)}.`);
      const given = args ?? {};
      const wrong = typeof given !== 'object' || Array.isArray(given) ? 'Arguments are an object' : hazardOf(given);
      if (wrong !== undefined) return agentFault('invalid_arguments', 400, `${wrong}.`);
      try {
        return await this.#callNow(tool, given as { [key: string]: Json }, signal);
      } catch (thrown) {
        const outcome = outcomeOfFailure(thrown);
        return { ...outcome, result: this.#paths.hideAll(outcome.result) };
      }
    });
    return signal ? orCut(turn, signal) : turn;
  }

  fork(folder: string): Promise<OutsideService> {
    return this.#turns.take(async () => {
      await this.#copyTo(folder);
      return new HostedServer(this.#spec, { ...this.#options, folder }).open(this.#tools);
    });
  }

  save(folder: string): Promise<void> {
    return this.#turns.take(() => this.#copyTo(folder));
  }

  load(folder: string): Promise<void> {
    return this.#turns.take(async () => {
      this.#mustBeForkable();
      const own = this.#options.folder;
      const next = `${own}.next`;
      await removeFolder(next);
      if (this.#spec.keeps === 'workspace') await copyFolder(folder, next, this.#options.limits ?? FOLDER_LIMITS);
      else await claimFolder(next);
      await this.#drop();
      await replaceFolder(own, next);
      this.#link = await this.#start();
      if (this.#isPaused) this.#link.stop();
    });
  }

  pause(): Promise<void> {
    return this.#turns.take(async () => {
      this.#isPaused = true;
      this.#link?.stop();
    });
  }

  async resume(): Promise<void> {
    return this.#turns.take(async () => {
      this.#isPaused = false;
      this.#link?.continue();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#end.abort(new TreadleError({ code: 'server_closed', message: 'The server was closed', value: this.id }));
    this.#call?.abort(new CallBroken(CLOSED));
    await this.#drop();
    // A start or a copy that was under way.
    await this.#turns.take(() => this.#drop());
    await removeFolder(this.#options.folder);
  }

  async #callNow(tool: OutsideTool, args: { [key: string]: Json }, signal?: AbortSignal): Promise<OutsideOutcome> {
    if (signal?.aborted) return CUT;
    if (this.#isPaused) return PAUSED;
    const link = await this.#ready();
    const breaker = new AbortController();
    this.#call = breaker;
    const onCut = (): void => breaker.abort(new CallBroken(CUT));
    signal?.addEventListener('abort', onCut, { once: true });
    try {
      const { name } = tool.definition;
      const given = this.#paths.revealAll(args) as { [key: string]: Json };
      const result = await link.client.callTool(
        { name, arguments: given },
        { signal: breaker.signal, timeout: this.#spec.callSeconds * 1_000, toolDefinition: tool.definition },
      );
      const outcome = outcomeOfResult(result);
      return { ...outcome, result: this.#paths.hideAll(outcome.result) };
    } catch (thrown) {
      throw breaker.signal.aborted ? breaker.signal.reason : link.isLost ? new CallBroken(GONE) : thrown;
    } finally {
      signal?.removeEventListener('abort', onCut);
      this.#call = undefined;
    }
  }

  /** The running server, started again where that is honest. Throws a CallBroken. */
  async #ready(): Promise<Link> {
    if (this.#closing) throw new CallBroken(CLOSED);
    if (this.#link && !this.#link.isLost) return this.#link;
    // Two processes must never work in one folder.
    await this.#link?.ended();
    if (!this.#mayStartAgain()) throw new CallBroken(GONE);
    this.#restarts++;
    try {
      this.#link = await this.#start();
      return this.#link;
    } catch {
      throw new CallBroken(this.#closing ? CLOSED : GONE);
    }
  }

  #mayStartAgain(): boolean {
    return this.canFork && this.#restarts < MOST_RESTARTS;
  }

  #start(then?: (link: Link, signal: AbortSignal) => Promise<void>): Promise<Link> {
    const { folder, starts } = this.#options;
    return starts.run(async (queued) => {
      const late = AbortSignal.timeout(this.#spec.startSeconds * 1_000);
      const signal = AbortSignal.any([queued, late, this.#end.signal]);
      const link = await connect(this.#spec, folder, signal);
      try {
        await then?.(link, signal);
        if (signal.aborted) throw signal.reason;
      } catch (thrown) {
        await link.close();
        throw startFailure(this.#spec, thrown, signal, link.diagnostics());
      }
      this.#hear(link);
      return link;
    }, this.#end.signal);
  }

  #hear(link: Link): void {
    link.listen({
      onBroken: (outcome) => this.#call?.abort(new CallBroken(outcome)),
      onExit: ({ code, signal }) => {
        const exit = { code, signal, stderr: link.diagnostics(), startsAgain: this.#mayStartAgain() };
        try {
          this.#options.onExit?.(exit);
        } catch {
          // A listener's defect must not keep the transport from being closed.
        }
      },
    });
  }

  async #drop(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    await link?.close();
  }

  #mustBeForkable(): void {
    if (this.#closing)
      throw new TreadleError({ code: 'server_closed', message: 'The server was closed', value: this.id });
    if (!this.canFork)
      throw new TreadleError({
        code: 'not_forkable',
        message: `Nobody knows where ${this.id} keeps its state, so it cannot be copied`,
        value: this.id,
        next: "Describe it with keeps: 'workspace' or 'nothing' if that is true of it",
      });
  }

  /** The process stands still meanwhile, so that the copy is of one moment. */
  async #copyTo(folder: string): Promise<void> {
    this.#mustBeForkable();
    if (this.#spec.keeps === 'nothing') return claimFolder(folder);
    const link = this.#link;
    link?.stop();
    try {
      await copyFolder(this.#options.folder, folder, this.#options.limits ?? FOLDER_LIMITS);
    } finally {
      if (!this.#isPaused) link?.continue();
    }
  }
}

/**
 * Hosts a server for one session: a process of its own with a folder of its own, or a connection to a URL. Throws
 * `folder_not_empty`, `cannot_start`, `server_start_failed`, `server_start_timeout`, `server_bad_answer`, `too_many_tools`, and
 * what the start queue throws; nothing is left behind then.
 */
export const openOutside = async (spec: OutsideSpec, options: OutsideOptions): Promise<OutsideService> => {
  await claimFolder(options.folder);
  return new HostedServer(spec, options).open();
};
