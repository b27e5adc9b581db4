/** What a server does ahead of its first sessions, between requests, so that none of them waits for the disk or for a compiler. */
import type { Call, Task } from '../../artifacts/task.js';
import { asTreadleError, type TreadleError } from '../../errors.js';
import type { RegistryRecord } from '../../serve/api.js';
import { warmListing } from '../../serve/mcp/tools.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { toolsOfService } from '../../serve/sessions/describe.js';
import { Session } from '../../serve/sessions/session.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { MOST_READY, readyTool } from '../../world/program/lazy-tool.js';
import type { House } from './house.js';

export interface WarmUp {
  /** No more is wanted. */
  isOver(): boolean;
  /** Somebody waits for an answer, who goes first. */
  isBusy(): boolean;
}

/** Milliseconds between two looks whether the requests are served. */
const LOOK_MS = 5;

/** Reads tasks, loads worlds, and rehearses what the tasks' references do. */
export const warmUp = async (house: Pick<House, 'registry' | 'server'>, { isOver, isBusy }: WarmUp): Promise<void> => {
  house.server.isWarming = true;
  for (const work of steps(house)) {
    do await new Promise((done) => (isBusy() ? setTimeout(done, LOOK_MS) : setImmediate(done)));
    while (isBusy() && !isOver());
    if (isOver()) return;
    attempt(work);
  }
  house.server.isWarming = false;
};

/** What cannot be read ahead is told to who asks for it. */
const attempt = (work: () => void): TreadleError | undefined => {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return asTreadleError(thrown, 'world');
  }
};

type Work = () => void;

/** Each a few milliseconds long. */
function* steps({ registry, server }: Pick<House, 'registry' | 'server'>): Generator<Work> {
  const tasks = registry.list('task');
  for (const { name, version } of tasks) yield () => server.openings.warm(`${name}@${version}`);
  const hashes = registry
    .list('world')
    .map(({ hash }) => hash)
    .slice(0, server.limits.worlds);
  const known = new Set<string>();
  for (const hash of hashes)
    yield () => {
      const world = server.worlds.get(hash);
      known.add(hash);
      for (const service of world.services.keys()) warmListing(toolsOfService(world, service));
    };
  const rehearsed = new Set<string>();
  for (const record of tasks) {
    if (rehearsed.size >= MOST_READY) return;
    yield () => {
      const task = registry.read('task', record.hash) as unknown as Task;
      const ground = server.openings.groundOf(record.hash);
      // Worlds with a task's rows are made ahead as long as no other goes for it.
      const isMade = ground === task.world || server.worlds.isLoaded(ground) || server.worlds.hasRoom;
      if (known.has(task.world) && isMade) rehearse(server.worlds.get(ground), task, record, rehearsed);
    };
  }
  for (const hash of known)
    for (const { tool } of server.worlds.get(hash).tools.values()) {
      if (rehearsed.size >= MOST_READY) return;
      rehearsed.add(`${hash} ${tool.name}`);
      yield () => void readyTool(tool);
    }
}

/**
 * Plays a task's reference on a session of nobody's where it calls tools that none before it did: they are compiled, their
 * versions hashed, and the engine has seen their statements. Nothing of it is kept, in ledgers or statistics.
 */
const rehearse = (world: LoadedWorld, task: Task, { name }: RegistryRecord, rehearsed: Set<string>): void => {
  const key = ({ tool }: Call): string => `${task.world} ${tool}`;
  const { calls } = task.reference;
  if (calls.every((call) => rehearsed.has(key(call)))) return;
  // Code runs in processes of its own, and this thread would wait for them.
  if (calls.some(({ tool }) => world.tools.get(tool)?.tool.tool.code !== undefined)) return;
  const session = Session.open(world, { id: name, services: task.services, me: callerOf(task.actor) });
  try {
    for (const call of calls) {
      session.call(call.tool, structuredClone(call.args));
      rehearsed.add(key(call));
    }
  } finally {
    session.drop();
  }
};
