/** One OpenEnv environment: one episode at a time, each a session of its own, so that every episode leaves its ledger. */
import { boundary, TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import type { OpenRequest, RecordKind } from '../../api.js';
import type { Trainer } from '../../trainer.js';
import { rewardOf } from '../reward.js';
import { turns } from '../turns.js';
import { type Action, answerText, FINISH, type ResetRequest } from './actions.js';
import {
  callObservation,
  finishResult,
  type ShownTool,
  type StepResult,
  shownTools,
  stepResult,
} from './observations.js';

/** What an episode is where the client names no task. */
export interface Defaults {
  /** The first, or the one that `seed` picks. */
  tasks?: readonly string[] | undefined;
  /** A world to act in without a task. */
  world?: string | undefined;
}

interface Episode {
  session: string;
  about: Record<string, Json>;
  id: string | null;
  steps: number;
  names: ReadonlySet<string>;
  tools: ShownTool[];
  /** Set once it is over; the name of the request that ended it may ask again. */
  finished?: { result: StepResult; operation: string | undefined };
}

export interface EnvironmentState {
  episode_id: string | null;
  step_count: number;
  session_id: string;
  done: boolean;
  [more: string]: Json;
}

const notReset = (): TreadleError =>
  new TreadleError({
    code: 'not_reset',
    message: 'There is no episode yet, and this server has no default task',
    next: 'Reset with data.task, data.scenario or data.world first.',
  });

const LOST = new Set(['unknown_session', 'session_closed', 'session_expired']);

/** What an episode begins on, by the record that is looked for first. */
const startOf = ({ scenario, task, world }: OpenRequest): [RecordKind, string] => {
  if (typeof scenario === 'string') return ['scenario', scenario];
  return task === undefined ? ['world', world as string] : ['task', task];
};

export class Environment {
  readonly id: string;
  /** Made over HTTP: it lives until it is closed or idle. The others live as long as their socket. */
  readonly held: boolean;
  /** Sockets that speak to it now. */
  attached = 0;
  usedAt = 0;
  readonly #trainer: Trainer;
  readonly #defaults: Defaults;
  readonly #idleSeconds: number;
  readonly #turns = turns();
  #episode: Episode | undefined;
  #closed = false;

  constructor(id: string, held: boolean, trainer: Trainer, defaults: Defaults, idleSeconds: number) {
    this.id = id;
    this.held = held;
    this.#trainer = trainer;
    this.#defaults = defaults;
    this.#idleSeconds = idleSeconds;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get hasDefault(): boolean {
    return (this.#defaults.tasks?.length ?? 0) > 0 || this.#defaults.world !== undefined;
  }

  /** Ends the episode there is and begins another. Throws what `Trainer.open` does, `not_reset` where there is nothing to begin. */
  reset(request: ResetRequest): Promise<StepResult> {
    return this.#turn(() => this.#begin(request));
  }

  /** Throws `episode_done`, `not_reset`, and what the trainer does. What the agent gets wrong is an observation. */
  step(action: Action, operation?: string): Promise<StepResult> {
    return this.#turn(async () => {
      const again = operation === undefined ? undefined : this.#episode?.finished;
      if (again?.operation === operation && again !== undefined) return again.result;
      const episode = await this.#current();
      if (action.type === 'list_tools') {
        const tools = episode.tools as unknown as Json[];
        const reward = episode.finished?.result.reward ?? null;
        return { observation: { tools }, reward, done: episode.finished !== undefined, metadata: {} };
      }
      if (episode.finished)
        throw new TreadleError({
          code: 'episode_done',
          message: 'The episode is over',
          next: 'Reset to begin another.',
        });
      if (action.type === 'finish') return this.#finish(episode, action.answer, operation);
      if (action.tool === FINISH && !episode.names.has(FINISH))
        return this.#finish(episode, answerText((action.args as { answer?: unknown } | null)?.answer), operation);
      const outcome = await this.#lossless(
        this.#trainer.call(episode.session, {
          tool: action.tool,
          arguments: action.args,
          ...(operation === undefined ? {} : { operation }),
        }),
      );
      episode.steps++;
      return { observation: callObservation(action.tool, outcome), reward: null, done: false, metadata: {} };
    });
  }

  /** Works before a reset where there is a default to begin with. */
  tools(): Promise<ShownTool[]> {
    return this.#turn(async () => (await this.#current()).tools);
  }

  state(): EnvironmentState {
    const episode = this.#episode;
    return {
      ...episode?.about,
      episode_id: episode?.id ?? null,
      step_count: episode?.steps ?? 0,
      session_id: this.id,
      done: episode?.finished !== undefined,
    };
  }

  /** Waits for the step under way; those behind it are refused. Never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turns.take(() => this.#end());
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(() => {
      if (this.#closed)
        throw new TreadleError({
          code: 'session_closed',
          message: 'The environment was closed',
          next: 'Open another.',
        });
      return work();
    });
  }

  #request({ task, scenario, world, seed = 0, labels }: ResetRequest): OpenRequest {
    const { tasks = [], world: usual } = this.#defaults;
    const common = { idleSeconds: this.#idleSeconds, ...(labels ? { labels } : {}) };
    if (scenario !== undefined) {
      const own = task === undefined ? {} : { task };
      return { scenario, ...own, ...(world === undefined ? {} : { world }), ...common };
    }
    if (task !== undefined) return { task, ...(world === undefined ? {} : { world }), ...common };
    if (world !== undefined) return { world, ...common };
    const picked = tasks[seed % Math.max(tasks.length, 1)];
    if (picked !== undefined) return { task: picked, ...common };
    if (usual !== undefined) return { world: usual, ...common };
    throw notReset();
  }

  async #begin(reset: ResetRequest): Promise<StepResult> {
    const request = this.#request(reset);
    if (this.#episode) {
      // A task that does not exist must not cost the client the episode it has.
      const [kind, reference] = startOf(request);
      await this.#trainer.resolve(kind, reference);
      await this.#end();
    }
    const opened = await this.#trainer.open(request);
    try {
      const tools = await this.#trainer.tools(opened.id);
      const { pins, brief } = opened;
      const about: Record<string, Json> = {
        ...(pins.task ? { task: `${pins.task.name}@${pins.task.version}` } : {}),
        world: `${pins.world.name}@${pins.world.version}`,
        treadle_session: opened.id,
      };
      this.#episode = {
        session: opened.id,
        about,
        id: reset.episodeId ?? null,
        steps: 0,
        names: new Set(tools.map(({ name }) => name)),
        tools: shownTools(tools),
      };
      const told: Record<string, Json> = brief === undefined ? {} : { brief };
      const session = { session_id: this.id, episode_id: this.#episode.id };
      return stepResult({ ...about, ...told }, { ...about, ...told, ...session });
    } catch (thrown) {
      await boundary('infrastructure', () => this.#trainer.close(opened.id));
      throw thrown;
    }
  }

  async #current(): Promise<Episode> {
    if (!this.#episode) await this.#begin({});
    return this.#episode!;
  }

  async #finish(episode: Episode, answer: string, operation: string | undefined): Promise<StepResult> {
    const verdict = await this.#lossless(this.#trainer.verify(episode.session, { answer }));
    const result = finishResult(rewardOf(verdict));
    episode.steps++;
    episode.finished = { result, operation };
    await boundary('infrastructure', () => this.#trainer.close(episode.session, answer));
    return result;
  }

  /** A session that the server has let go of is no episode any more: the client is told, and may reset. */
  async #lossless<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof TreadleError && LOST.has(thrown.code)) this.#episode = undefined;
      throw thrown;
    }
  }

  async #end(): Promise<void> {
    const episode = this.#episode;
    this.#episode = undefined;
    if (episode && !episode.finished) await boundary('infrastructure', () => this.#trainer.close(episode.session));
  }
}
