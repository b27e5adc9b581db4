/** What a session starts from, resolved in the registry once and remembered by hash: a thousand opens at once read nothing. */
import type { Task } from '../../../artifacts/task.js';
import type { WorldSpec } from '../../../artifacts/world.js';
import { TreadleError } from '../../../errors.js';
import { addressOf } from '../../../kit/hash.js';
import type { Caller } from '../../../world/program/types.js';
import type { OpenRequest, Pin, Pins } from '../../api.js';
import type { Registry } from '../../registry/registry.js';
import { verifierOf } from '../../registry/verifier.js';
import { callerOf } from '../caller.js';
import { askedScenario, type Found, type Scenarios } from './scenarios.js';
import { warmVerdict } from './verdicts.js';
import { worldKey } from './world-cache.js';

/** The part of a task that an open session needs; its checks are read when they are run. */
interface TaskOpening {
  world: string;
  services: readonly string[];
  actor: Task['actor'];
  brief: string;
  /** As an opening's; one text for all sessions of the task. */
  ground: string;
  /** Hash of the verifier it was published with. */
  verifier: string;
}

interface WorldPins {
  world: Pin;
  services: Record<string, Pin>;
}

export interface Opening {
  pins: Pins;
  /** The world that its sessions start on, as the cache is asked for it. */
  ground: string;
  services: readonly string[];
  /** Absent where no task says on whose behalf: the world's own choice, once it is loaded. */
  me?: Caller;
  brief?: string;
  scenario?: Found;
}

const KEPT = 50_000;

const remember = <T>(kept: Map<string, T>, key: string, made: T): T => {
  if (kept.size >= KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(key, made);
  return made;
};

const pinOf = ({ name, version, hash }: Pin): Pin => ({ name, version, hash });

export class Openings {
  readonly #tasks = new Map<string, TaskOpening>();
  readonly #worlds = new Map<string, WorldPins>();

  constructor(
    readonly registry: Registry,
    readonly scenarios: Scenarios,
  ) {}

  /** Throws `bad_request`, `unknown_record`, `unknown_service`, and what `Scenarios.find` throws. */
  of(request: OpenRequest): Opening {
    const asked = askedScenario(request);
    const servers = this.#servers(request.servers ?? []);
    if (asked !== undefined) return this.#ofScenario(asked, request, servers);
    if (request.task !== undefined) return this.#ofTask(request.task, request, servers);
    if (request.world === undefined)
      throw new TreadleError({
        code: 'bad_request',
        message: 'A session needs a task, a scenario or a world',
        value: request,
        next: 'Send {"task": "<name>"}, {"scenario": "<name>"} or {"world": "<name>"}; the registry lists them.',
      });
    const pins = this.#world(this.registry.resolve('world', request.world));
    const services = this.#offered(pins, request.services ?? Object.keys(pins.services));
    return { pins: { world: pins.world, services: pins.services, servers }, ground: pins.world.hash, services };
  }

  /** Reads a task's opening ahead, so that the first session on it does not wait for the disk. */
  warm(reference: string): void {
    const record = this.registry.resolve('task', reference);
    const task = this.#task(record.hash);
    this.#world(this.registry.resolve('world', task.world));
    warmVerdict(this.registry, record.hash, this.#verifier(record).hash);
  }

  #ofScenario(reference: string, request: OpenRequest, servers: Record<string, Pin>): Opening {
    const scenario = this.scenarios.find(reference);
    if (request.task !== undefined && this.registry.resolve('task', request.task).hash !== scenario.task)
      throw new TreadleError({
        code: 'bad_request',
        message: 'The scenario belongs to another task than the one asked for',
        value: request.task,
        next: `Leave the task out: the scenario's is ${scenario.worldId}/${scenario.taskId}.`,
      });
    const opening = this.#ofTask(scenario.task, request, servers);
    return { ...opening, pins: { ...opening.pins, scenario: scenario.pin }, scenario };
  }

  #ofTask(reference: string, request: OpenRequest, servers: Record<string, Pin>): Opening {
    const record = this.registry.resolve('task', reference);
    const task = this.#task(record.hash);
    const pins = this.#world(this.registry.resolve('world', task.world));
    if (request.world !== undefined && this.registry.resolve('world', request.world).hash !== task.world)
      throw new TreadleError({
        code: 'bad_request',
        message: 'The task belongs to another world than the one asked for',
        value: request.world,
        next: `Leave the world out, or ask for ${pins.world.name}.`,
      });
    return {
      // Written out: a spread may give each object a shape of its own.
      pins: {
        world: pins.world,
        services: pins.services,
        task: pinOf(record),
        verifier: this.#verifier(record),
        servers,
      },
      ground: task.ground,
      services: this.#offered(pins, request.services ?? task.services),
      me: callerOf(task.actor),
      brief: task.brief,
    };
  }

  /** What the world cache is asked for on behalf of a task's sessions. */
  groundOf(taskHash: string): string {
    return this.#task(taskHash).ground;
  }

  /** The request of a task. */
  briefOf(taskHash: string): string {
    return this.#task(taskHash).brief;
  }

  #task(hash: string): TaskOpening {
    const known = this.#tasks.get(hash);
    if (known) return known;
    const task = this.registry.read('task', hash) as unknown as Task;
    const { world, services, actor, brief, grounding } = task;
    const hasRows = grounding?.rounds.some(({ rows }) => rows.length > 0) === true;
    const ground = hasRows ? worldKey(world, hash) : world;
    return remember(this.#tasks, hash, {
      world,
      ground,
      services,
      actor,
      brief,
      verifier: addressOf(verifierOf(task)),
    });
  }

  #world(record: Pin): WorldPins {
    const known = this.#worlds.get(record.hash);
    if (known) return known;
    const spec = this.registry.read('world', record.hash) as unknown as WorldSpec;
    const services = Object.fromEntries(
      spec.services.map((ref) => [ref.id, pinOf(this.#service(`${record.name}/${ref.id}`, ref.hash))]),
    );
    return remember(this.#worlds, record.hash, { world: pinOf(record), services });
  }

  /** Worlds may share a service, so the hash alone may find it under another's name. */
  #service(name: string, hash: string): Pin {
    const own = this.registry.list('service', name).find((record) => record.hash === hash);
    return own ?? this.registry.resolve('service', hash);
  }

  /** The newest of the task's name, which may have been mended since; an older version of a task keeps its own. */
  #verifier(task: Pin): Pin {
    const newest = this.registry.resolve('task', task.name);
    const own = newest.hash === task.hash ? task.name : this.#task(task.hash).verifier;
    return pinOf(this.registry.resolve('verifier', own));
  }

  #servers(references: readonly string[]): Record<string, Pin> {
    return Object.fromEntries(
      references.map((reference) => {
        const record = this.registry.resolve('server', reference);
        return [record.name, pinOf(record)];
      }),
    );
  }

  #offered(pins: WorldPins, services: readonly string[]): readonly string[] {
    const unknown = services.find((id) => !(id in pins.services));
    if (unknown === undefined) return services;
    throw new TreadleError({
      code: 'unknown_service',
      message: `World ${pins.world.name} has no such service`,
      value: unknown,
      next: `It has ${Object.keys(pins.services).join(', ')}.`,
    });
  }
}
