/** Clients of a drill over HTTP: each has sessions of its own, names every call, and goes on whatever it hears. */
import { setTimeout as pause } from 'node:timers/promises';
import { TreadleError } from '../../../src/errors.js';
import { connect, type RemoteTrainer } from '../../../src/serve/client/client.js';
import { type Call, DrillClient } from '../client.js';

const callOf = (n: number): Omit<Call, 'operation'> =>
  n % 11 === 10
    ? { tool: 'no_such_tool', args: { n } }
    : { tool: 'createCustomer', args: { name: `Customer ${n}`, email: `c${n}@mail.example` } };

const ANSWER_MS = 30_000;
const REST_MS = 20;
/** After what was not answered. */
const AGAIN_MS = 200;

export class Load {
  readonly clients: DrillClient[] = [];
  readonly #trainer: RemoteTrainer;
  readonly #loops: Promise<void>[] = [];
  #isOver = false;

  constructor(
    url: string,
    token: string,
    readonly task: string,
  ) {
    this.#trainer = connect({ url, token, retry: { retries: 0 } });
  }

  /** Of one session, once it is opened, until the load ends. */
  begin(): void {
    this.#loops.push(this.#loop());
  }

  async #loop(): Promise<void> {
    let client: DrillClient | undefined;
    while (!this.#isOver) {
      let isAnswered = false;
      if (client === undefined) client = await this.#open();
      else isAnswered = await this.ask(client);
      await pause(isAnswered ? REST_MS : AGAIN_MS);
    }
  }

  async #open(): Promise<DrillClient | undefined> {
    try {
      const { id } = await this.#bounded().open({ task: this.task });
      const client = new DrillClient(id, callOf);
      this.clients.push(client);
      return client;
    } catch (thrown) {
      // Of a session whose opening nobody heard nothing is promised.
      if (!(thrown instanceof TreadleError)) throw thrown;
      return undefined;
    }
  }

  #bounded(): RemoteTrainer {
    return this.#trainer.with({ signal: AbortSignal.timeout(ANSWER_MS) });
  }

  ask(client: DrillClient): Promise<boolean> {
    return client.ask(({ tool, args, operation }) =>
      this.#bounded().call(client.session, { tool, arguments: args, operation }),
    );
  }

  /** No more is asked. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  get trainer(): RemoteTrainer {
    return this.#trainer;
  }
}
