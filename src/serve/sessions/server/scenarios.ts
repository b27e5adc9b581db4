/** Scenarios as sessions are opened on them: read once, held against their task, and refused where that cannot be (dynamics.md). */
import type { Scenario } from '../../../artifacts/scenario.js';
import type { Task } from '../../../artifacts/task.js';
import { TreadleError } from '../../../errors.js';
import type { OpenRequest, Pin } from '../../api.js';
import type { Registry } from '../../registry/registry.js';
import type { Events, Weaver } from '../weaver.js';
import { judgedTask } from './verdicts.js';

/** As many as are remembered; each holds its events and their graph. */
const KEPT = 4_096;

/** What is said of a scenario without reading it again. */
export type Found = { pin: Pin } & Pick<Scenario, 'task' | 'taskId' | 'world' | 'worldId'>;

export const twoEngines = (message: string, value: unknown, next: string): TreadleError =>
  new TreadleError({ code: 'two_engines', message, value, next });

/** The one scenario that is asked for. Throws `two_engines`, and `bad_request` for notices of no events. */
export const askedScenario = ({ scenario, faults, notices }: OpenRequest): string | undefined => {
  if (scenario === undefined) {
    if (notices === undefined) return undefined;
    throw new TreadleError({
      code: 'bad_request',
      message: 'Notices are told of a scenario’s events, and the session is asked for without a scenario',
      value: notices,
      next: 'Leave notices out, or name a scenario.',
    });
  }
  const [first = '', ...more] = typeof scenario === 'string' ? [scenario] : scenario;
  if (more.length > 0)
    throw twoEngines(
      'A session runs one scenario, and two are asked for',
      scenario,
      'Open a session for each, or put the events of both into one scenario.',
    );
  if (faults && faults.rules.length > 0)
    throw twoEngines(
      'A session runs one engine, and a scenario and injected faults are asked for',
      { scenario: first, faults: faults.rules },
      'Leave the faults out, or put them into the scenario as events of source fault.',
    );
  return first;
};

const noWeaver = (reference: string): TreadleError =>
  new TreadleError({
    code: 'no_scenarios',
    message: 'This server cannot run scenarios',
    value: reference,
    next: 'treadle serve can; a SessionServer of your own needs a weaver (eventWeaver).',
  });

export class Scenarios {
  readonly #found = new Map<string, Found>();
  readonly #woven = new Map<string, Events>();

  constructor(
    readonly registry: Registry,
    readonly weaver: Weaver | undefined,
  ) {}

  /** Throws `unknown_record`, `no_scenarios`, `no_such_task`, `other_version` and what else reading it throws. */
  find(reference: string): Found {
    const { name, version, hash } = this.registry.resolve('scenario', reference);
    const pin = { name, version, hash };
    const known = this.#found.get(hash);
    if (known) return { ...known, pin };
    if (!this.weaver) throw noWeaver(reference);
    const { task, taskId, world, worldId } = this.#read(hash);
    const found = { pin, task, taskId, world, worldId };
    this.#checkTask(found);
    if (this.#found.size >= KEPT) this.#found.clear();
    this.#found.set(hash, found);
    return found;
  }

  /** The events as a session begins with them. `verifier`: by which it is judged; `tools`: of its world, asked for the first time only. Throws what is wrong with them. */
  begin({ pin, task }: Found, verifier: string, tools: () => Iterable<string>): Events {
    const known = this.#woven.get(pin.hash);
    if (known) return known.renewed();
    const judged = judgedTask(this.registry, task, verifier);
    const made = (this.weaver as Weaver).weave(this.#read(pin.hash), { judged, tools: new Set(tools()) });
    if (this.#woven.size >= KEPT) this.#woven.clear();
    this.#woven.set(pin.hash, made);
    return made.renewed();
  }

  #read(hash: string): Scenario {
    return this.registry.read('scenario', hash) as unknown as Scenario;
  }

  #checkTask({ pin, task, taskId, world, worldId }: Found): void {
    const known = this.registry.list('task', `${worldId}/${taskId}`);
    const isKnown = known.some(({ hash }) => hash === task) || this.#has(task);
    if (!isKnown)
      throw new TreadleError({
        code: 'no_such_task',
        message: `Scenario ${pin.name} was made for another version of task ${worldId}/${taskId} than those that are here`,
        value: task,
        next: 'Make its scenarios again (treadle dynamics), or publish the task that it was made for.',
      });
    const own = (this.registry.read('task', task) as unknown as Task).world;
    if (own !== world)
      throw new TreadleError({
        code: 'no_such_task',
        message: `Scenario ${pin.name} speaks of another version of world ${worldId} than its task does`,
        value: world,
        next: `The task's world is ${own}. Make its scenarios again (treadle dynamics).`,
      });
  }

  #has(task: string): boolean {
    try {
      this.registry.resolve('task', task);
      return true;
    } catch {
      return false;
    }
  }
}
