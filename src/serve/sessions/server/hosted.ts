/**
 * The outside servers and the sandbox of one session, moved as one: what is asked of all of them happens to all or to none.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TreadleError } from '../../../errors.js';
import { elapsedMs } from '../../../kit/clock.js';
import type { Pins } from '../../api.js';
import { type OutsideService, openOutside } from '../../outside/service.js';
import { parseOutsideSpec } from '../../outside/spec.js';
import type { Registry } from '../../registry/registry.js';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.js';
import type { StartQueue } from '../../start-queue.js';
import type { CallOutcome, SessionTool } from '../../tool-host.js';
import type { Session } from '../session.js';
import type { Companions } from './companions.js';

/** Virtual seconds of a call that we know nothing of. */
const CALL_SECONDS = 5;

interface Parts {
  /** All that follows lies in it. */
  folder: string;
  services: readonly OutsideService[];
  sandbox: Sandbox | undefined;
}

/** Instances of their own kind, for opening and for `renew`. */
type Open = (folder: string) => Promise<Parts>;

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

const endAll = async ({ folder, services, sandbox }: Parts): Promise<void> => {
  await Promise.allSettled([...services.map((service) => service.close()), sandbox?.close()]);
  await remove(folder);
};

/** All of them, or none and the first failure. */
const gathered = async <T>(work: readonly Promise<T>[], undo: (made: T) => Promise<unknown>): Promise<T[]> => {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((result) => result.status === 'rejected');
  const made = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (!failed) return made;
  await Promise.allSettled(made.map(undo));
  throw failed.reason;
};

class HostedCompanions implements Companions {
  readonly isEmpty = false;
  #parts: Parts;
  #owner = new Map<string, { service: OutsideService; tool: SessionTool }>();
  #copies = 0;

  constructor(
    parts: Parts,
    readonly open: Open,
  ) {
    this.#parts = parts;
    this.#index();
  }

  get sandbox(): Sandbox | undefined {
    return this.#parts.sandbox;
  }
  get sandboxFolder(): string | undefined {
    return this.#parts.sandbox?.folder;
  }

  unforkable(): string[] {
    return this.#parts.services.filter(({ canFork }) => !canFork).map(({ id }) => id);
  }

  tools(): SessionTool[] {
    return [...this.#owner.values()].map(({ tool }) => tool);
  }

  call(session: Session, name: string, args: unknown): Promise<CallOutcome> | undefined {
    const found = this.#owner.get(name);
    if (!found) return undefined;
    const { service, tool } = found;
    const started = elapsedMs();
    return service.call(name, args).then(({ ok, result, error }) => {
      const called = { tool: name, args, service: service.id, toolVersion: tool.version };
      return session.note(called, { ok, result, error, touched: [] }, CALL_SECONDS, elapsedMs() - started);
    });
  }

  async fork(folder: string): Promise<Companions> {
    const { services, sandbox } = this.#parts;
    const made: { services: OutsideService[]; sandbox: Sandbox | undefined } = { services: [], sandbox: undefined };
    try {
      made.services = await gathered(
        services.map((service) => service.fork(join(folder, service.id))),
        (service) => service.close(),
      );
      made.sandbox = await sandbox?.fork(join(folder, 'sandbox'));
    } catch (thrown) {
      await endAll({ folder, ...made });
      throw thrown;
    }
    return new HostedCompanions({ folder, ...made }, this.open);
  }

  async save(): Promise<string> {
    const copies = join(this.#parts.folder, `saved-${++this.#copies}-${randomBytes(4).toString('hex')}`);
    try {
      await this.#each((service) => service.save(join(copies, service.id)));
      await this.#parts.sandbox?.save(join(copies, 'sandbox'));
    } catch (thrown) {
      await remove(copies);
      throw thrown;
    }
    return copies;
  }

  async load(copies: string | undefined): Promise<void> {
    if (copies === undefined) return;
    const before = await this.save();
    try {
      await this.#loadFrom(copies);
    } catch (thrown) {
      await this.#loadFrom(before);
      throw thrown;
    } finally {
      await remove(before);
    }
  }

  async #loadFrom(copies: string): Promise<void> {
    await this.#each((service) => service.load(join(copies, service.id)));
    const own = join(copies, 'sandbox');
    if (existsSync(own)) await this.#parts.sandbox?.load(own);
  }

  async discard(copies: string | undefined): Promise<void> {
    if (copies !== undefined) await remove(copies);
  }

  async renew(): Promise<void> {
    const old = this.#parts;
    this.#parts = await this.open(`${old.folder.replace(/~\d+$/, '')}~${++this.#copies}`);
    this.#index();
    await endAll(old);
  }

  async pause(): Promise<void> {
    try {
      await this.#each((service) => service.pause());
      await this.#parts.sandbox?.pause();
    } catch (thrown) {
      await this.resume().catch(() => {});
      throw thrown;
    }
  }

  async resume(): Promise<void> {
    await this.#each((service) => service.resume());
    await this.#parts.sandbox?.resume();
  }

  close(): Promise<void> {
    return endAll(this.#parts);
  }

  async #each(work: (service: OutsideService) => Promise<void>): Promise<void> {
    await Promise.all(this.#parts.services.map(work));
  }

  #index(): void {
    this.#owner = new Map(
      this.#parts.services.flatMap((service) => service.tools().map((tool) => [tool.name, { service, tool }] as const)),
    );
  }
}

const clash = (name: string, server: string): TreadleError =>
  new TreadleError({
    code: 'tool_clash',
    message: `Two tools of the session would be called ${name}`,
    value: server,
    next: 'Give the server a prefix in its description.',
  });

/** Throws `tool_clash`. Names are one where they differ in case only. */
const checkNames = (services: readonly OutsideService[], taken: Iterable<string>): void => {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  for (const service of services)
    for (const { name } of service.tools()) {
      if (names.has(name.toLowerCase())) throw clash(name, service.id);
      names.add(name.toLowerCase());
    }
};

export interface HostedRequest {
  registry: Registry;
  pins: Pins;
  sandbox: boolean;
  folder: string;
  starts: StartQueue;
  /** Names of the world's own tools. */
  taken: () => Iterable<string>;
}

/** Starts what a session asks for. Throws what a start throws, and `tool_clash`; nothing is left behind then. */
export const openCompanions = async (request: HostedRequest): Promise<Companions> => {
  const { registry, pins, starts, taken } = request;
  const specs = Object.values(pins.servers).map(({ hash }) => parseOutsideSpec(registry.read('server', hash)));
  const open: Open = async (folder) => {
    const parts: { services: OutsideService[]; sandbox: Sandbox | undefined } = { services: [], sandbox: undefined };
    try {
      parts.services = await gathered(
        specs.map((spec) => openOutside(spec, { folder: join(folder, spec.id), starts })),
        (service) => service.close(),
      );
      checkNames(parts.services, taken());
      if (request.sandbox) parts.sandbox = await openSandbox(join(folder, 'sandbox'));
      return { folder, ...parts };
    } catch (thrown) {
      await endAll({ folder, ...parts });
      throw thrown;
    }
  };
  return new HostedCompanions(await open(request.folder), open);
};
