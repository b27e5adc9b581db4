/** A drill's client of one session who asks for all there is, one thing after another, and writes down what was sent and heard. */
import { TreadleError } from '../../../src/errors.js';
import { canonicalJson } from '../../../src/kit/hash.js';
import type { Rng } from '../../../src/kit/rng.js';
import type { OpenedSession, SessionInfo } from '../../../src/serve/api.js';
import type { RemoteTrainer } from '../../../src/serve/client/client.js';
import { nameOfCall } from '../client.js';
import type { LineEvent } from '../history.js';
import { type Ask, type Said, type Stand, standAfter, standAtBirth } from '../line.js';
import { mcpCall } from './mcp.js';

const TOOL = 'createCustomer';

/** Said before anything was done: another thing may be asked. Whatever else is said, it may have been done. */
const SURELY_NOT = new Set(['rolled_back', 'wrong_seq', 'disk_low', 'log_full']);

export interface ActorOptions {
  /** Unlike any other of the drill's. */
  name: string;
  random: Rng;
  /** By the agents' door, where calls can go there. */
  isAgent: boolean;
  /** The calls that its session was forked with. */
  inherited: readonly string[];
  /** How many branches there may be more. */
  room(): number;
  /** Its session was forked. */
  forked(branches: readonly OpenedSession[], inherited: readonly string[]): void;
}

interface Open {
  operation: string;
  ask: Ask;
  /** Of a call: what its name stands for. */
  args: unknown;
  wasUnknown: boolean;
}

const stanceIn = ({ seq, calls, status }: SessionInfo): Said => ({ seq, calls, status });

export class Actor {
  readonly events: LineEvent[] = [];
  /** Why its last request was not answered. */
  why = '';
  readonly #past: Stand[];
  #made = 0;
  #open: Open | undefined;
  /** What was answered last, to be asked again. */
  #last: (Open & { said: Said }) | undefined;

  constructor(
    readonly opened: OpenedSession,
    readonly options: ActorOptions,
  ) {
    this.#past = [standAtBirth(options.inherited)];
  }

  get session(): string {
    return this.opened.id;
  }
  get stand(): Stand {
    return this.#past.at(-1) as Stand;
  }
  get isOver(): boolean {
    return this.stand.status === 'closed' && this.#open === undefined;
  }
  /** Something was sent and is not known to be done. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  #choice(): Ask {
    const { random, room } = this.options;
    const { status, snapshots } = this.stand;
    const known = [...snapshots.keys()];
    const isPaused = status === 'paused';
    const what = random.weighted([
      ['call', isPaused ? 0 : 60],
      ['snapshot', 8],
      ['restore', known.length > 0 ? 8 : 0],
      ['drop', known.length > 2 ? 6 : 0],
      ['reset', isPaused ? 0 : 2],
      ['pause', isPaused ? 1 : 5],
      ['resume', isPaused ? 60 : 1],
      ['fork', room() > 1 ? 6 : 0],
      ['close', 1],
    ] as const);
    if (what === 'restore' || what === 'drop') return { do: what, snapshot: random.pick(known) };
    if (what === 'fork') return { do: what, count: random.int(1, Math.min(3, room())) };
    return what === 'call' ? this.#call().ask : { do: what };
  }

  #call(): { ask: Extract<Ask, { do: 'call' }>; args: unknown } {
    const who = `${this.options.name}-${this.#made}`;
    const args = { name: `Customer ${who}`, email: `c${who}@mail.example` };
    return { ask: { do: 'call', call: nameOfCall(TOOL, args) }, args };
  }

  #next(ask: Ask | undefined): Open {
    const { args, ...call } = this.#call();
    const chosen = ask ?? this.#choice();
    return {
      operation: `${this.options.name}.${this.#made++}`,
      ask: chosen.do === 'call' ? call.ask : chosen,
      args,
      wasUnknown: false,
    };
  }

  /** Asks once: what is open still, or `ask`, or what it chooses. True where it was answered. */
  async step(trainer: RemoteTrainer, ask?: Ask): Promise<boolean> {
    this.#open ??= this.#next(ask);
    const open = this.#open;
    this.events.push({ is: 'asked', operation: open.operation, ask: open.ask });
    try {
      const said = await this.#send(trainer, open);
      this.#open = undefined;
      this.events.push({ is: 'done', operation: open.operation, said });
      const next = standAfter(this.stand, open.ask, said.snapshot);
      if (next !== this.stand) this.#past.push(next);
      this.#last = { ...open, said };
      return true;
    } catch (thrown) {
      this.#failed(open, thrown);
      return false;
    }
  }

  /** Asks again for what was answered last. */
  async again(trainer: RemoteTrainer): Promise<void> {
    if (this.#open || !this.#last) return;
    const { said: before, ...open } = this.#last;
    try {
      const said = await this.#send(trainer, open, before);
      this.events.push({ is: 'done', operation: open.operation, said });
    } catch (thrown) {
      this.#failed(open, thrown);
    }
  }

  /** A session that was closed and is open again says so to who looks. */
  async look(trainer: RemoteTrainer): Promise<void> {
    const { seq, lost, status } = await trainer.session(this.session);
    // What one that is closed still shows was told when it was closed.
    if (lost !== undefined && status !== 'closed') this.#rolledBack(seq, lost);
  }

  #rolledBack(seq: number, lost: number): void {
    this.events.push({ is: 'rolled_back', seq, lost });
    if (this.#past.length > seq + 1) this.#past.length = seq + 1;
    this.#last = undefined;
  }

  #failed(open: Open, thrown: unknown): void {
    if (!(thrown instanceof TreadleError)) throw thrown;
    const { code, value, message } = thrown;
    const { operation } = open;
    this.why = `${open.ask.do}: ${code}: ${message}`;
    if (code === 'rolled_back') {
      const { seq, lost } = value as { seq: number; lost: number };
      this.#rolledBack(seq, lost);
    }
    const isSure = SURELY_NOT.has(code) && (code === 'rolled_back' || !open.wasUnknown);
    this.events.push({ is: isSure ? 'refused' : 'unknown', operation, why: code });
    open.wasUnknown ||= !isSure;
    if (isSure && this.#open === open) this.#open = undefined;
  }

  async #send(trainer: RemoteTrainer, { operation, ask, args }: Open, before?: Said): Promise<Said> {
    const { session } = this;
    const once = { key: operation };
    switch (ask.do) {
      case 'call':
        return this.#called(trainer, operation, args);
      case 'snapshot':
        return trainer.snapshot(session, once);
      case 'fork':
        return this.#forked(await trainer.fork(session, { count: ask.count }, once), before);
      case 'restore':
        return stanceIn(await trainer.restore(session, ask.snapshot, once));
      case 'drop':
        await trainer.dropSnapshot(session, ask.snapshot, once);
        return stanceIn(await trainer.session(session));
      case 'close':
        return this.#closed(await trainer.close(session), before !== undefined);
      default:
        return stanceIn(await trainer[ask.do](session, once));
    }
  }

  async #called(trainer: RemoteTrainer, operation: string, args: unknown): Promise<Said> {
    const { token, url } = this.opened;
    if (this.options.isAgent)
      return { result: canonicalJson(await mcpCall({ url, token, tool: TOOL, args, operation, ms: 30_000 })) };
    const { entry, result } = await trainer.call(this.session, { tool: TOOL, arguments: args, operation });
    return { index: entry.index, result: canonicalJson(result) };
  }

  /** Closing refuses nobody, so what was lost before stands in its answer, however often it is closed. */
  #closed(info: SessionInfo, isAgain: boolean): Said {
    if (info.lost !== undefined && !isAgain) this.#rolledBack(info.seq - 1, info.lost);
    return stanceIn(info);
  }

  /** Asked again, branches are told as they are then. */
  #forked(made: readonly OpenedSession[], before: Said | undefined): Said {
    const sessions = made.map(({ id }) => id).join();
    if (before?.branches?.map(({ session }) => session).join() === sessions) return before;
    if (!before) this.options.forked(made, this.stand.calls);
    return { branches: made.map(({ id, calls }) => ({ session: id, calls })) };
  }
}
