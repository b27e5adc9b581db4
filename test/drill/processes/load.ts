/** Clients of a drill over HTTP: each has a session, asks of it whatever there is to ask, and goes on whatever it hears. */
import { setTimeout as pause } from 'node:timers/promises';
import { TreadleError } from '../../../src/errors.js';
import { rng } from '../../../src/kit/rng.js';
import type { OpenedSession } from '../../../src/serve/api.js';
import { connect, type RemoteTrainer } from '../../../src/serve/client/client.js';
import { Actor } from './actor.js';

const ANSWER_MS = 30_000;
const REST_MS = 20;
/** After what was not answered. */
const AGAIN_MS = 200;
/** Of what was answered is asked again. */
const AGAIN_RATE = 0.05;

export interface LoadOptions {
  url: string;
  token: string;
  task: string;
  seed: number;
  /** Sessions, branches among them, beyond which none is forked. */
  most: number;
}

export class Load {
  readonly actors: Actor[] = [];
  /** Requests that were answered. */
  answered = 0;
  readonly trainer: RemoteTrainer;
  readonly #loops: Promise<void>[] = [];
  #opening = 0;
  #isOver = false;

  constructor(readonly options: LoadOptions) {
    const { url, token } = options;
    this.trainer = connect({ url, token, retry: { retries: 0 } });
  }

  /** Of one session after another, until the load ends. */
  begin(): void {
    this.#loops.push(this.#loop());
  }

  async #loop(): Promise<void> {
    while (!this.#isOver) {
      const opened = await this.#open();
      if (opened) await this.#play(this.#actor(opened, []));
    }
  }

  #actor(opened: OpenedSession, inherited: readonly string[]): Actor {
    const n = this.actors.length;
    const { seed, most } = this.options;
    const actor = new Actor(opened, {
      name: `${seed}-${n}`,
      random: rng(seed, 'actor', String(n)),
      isAgent: n % 3 === 2,
      inherited,
      room: () => most - this.actors.length,
      forked: (branches, calls) => {
        for (const branch of branches) this.#loops.push(this.#play(this.#actor(branch, calls)));
      },
    });
    this.actors.push(actor);
    return actor;
  }

  async #play(actor: Actor): Promise<void> {
    const { random } = actor.options;
    while (!this.#isOver && !actor.isOver) {
      const isAnswered = await actor.step(this.bounded());
      if (isAnswered) this.answered++;
      if (isAnswered && random.chance(AGAIN_RATE)) await actor.again(this.bounded());
      await pause(isAnswered ? REST_MS : AGAIN_MS);
    }
  }

  /** Under one key until it is answered: whoever asks for a session gets one, and nobody else. */
  async #open(): Promise<OpenedSession | undefined> {
    const key = `open-${this.options.seed}-${this.#opening++}`;
    for (;;) {
      try {
        return await this.bounded().open({ task: this.options.task }, { key });
      } catch (thrown) {
        if (!(thrown instanceof TreadleError)) throw thrown;
        await pause(AGAIN_MS);
      }
    }
  }

  bounded(): RemoteTrainer {
    return this.trainer.with({ signal: AbortSignal.timeout(ANSWER_MS) });
  }

  /** No more is asked. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (let n = -1; n !== this.#loops.length; ) {
      n = this.#loops.length;
      await Promise.all(this.#loops);
    }
  }
}
