/** One session's history against what is found of it (serving.md: the final state equals the history after told rollbacks). */
import type { Durability } from '../../src/serve/durable/session/durability.js';
import { checkLine } from './check-line.js';
import type { ClientEvent, Found, History, Recorded, Violation } from './history.js';

/** What its client has to believe of an operation. */
interface Operation {
  call: string;
  state: 'sent' | 'unknown' | 'refused' | 'answered' | 'lost';
  index: number;
  result: string;
  /** What had been answered before it was sent comes before it. */
  after: number;
}

type Say = (rule: Violation['rule'], what: string) => void;

class Client {
  readonly operations = new Map<string, Operation>();

  constructor(
    readonly durability: Durability,
    readonly say: Say,
  ) {}

  see(event: ClientEvent): void {
    if (event.is === 'rolled_back') this.#rolledBack(event);
    else if (event.is === 'sent') this.#sent(event);
    else if (event.is === 'answered') this.#answered(event);
    else this.#unanswered(event);
  }

  #of(name: string): Operation {
    const operation = this.operations.get(name);
    if (!operation) throw new Error(`the history speaks of ${name} before it was sent`);
    return operation;
  }

  get #last(): number {
    return Math.max(-1, ...this.answered().map(({ index }) => index));
  }

  answered(): Operation[] {
    return [...this.operations.values()].filter(({ state }) => state === 'answered');
  }

  #sent({ operation, call }: { operation: string; call: string }): void {
    const known = this.operations.get(operation);
    if (!known) {
      this.operations.set(operation, { call, state: 'sent', index: -1, result: '', after: this.#last });
      return;
    }
    if (known.state !== 'refused' && known.state !== 'lost') return;
    known.state = 'sent';
    known.after = this.#last;
  }

  #unanswered({ is, operation }: { is: 'unknown' | 'refused'; operation: string }): void {
    const known = this.#of(operation);
    // That it was refused this time says nothing of the times before.
    if (known.state === 'sent') known.state = is;
    else if (known.state === 'refused' && is === 'unknown') known.state = is;
  }

  #answered({ operation, index, result }: { operation: string; index: number; result: string }): void {
    const known = this.#of(operation);
    if (known.state === 'answered') {
      if (known.index !== index || known.result !== result)
        this.say('answer_differs', `${operation} was answered at ${known.index}, and again otherwise at ${index}`);
      return;
    }
    const other = this.answered().find((one) => one.index === index);
    if (other) this.say('lost_silently', `${operation} was answered at ${index}, where ${other.call} had been`);
    else if (index <= known.after)
      this.say('lost_silently', `${operation} was answered at ${index}, although ${known.after} had been before it`);
    Object.assign(known, { state: 'answered', index, result });
  }

  #rolledBack({ seq, lost }: { seq: number; lost: number }): void {
    if (lost <= seq) this.say('told_wrongly', `it is back at ${seq}, and lost all up to ${lost}`);
    for (const [name, operation] of this.operations) {
      operation.after = Math.min(operation.after, seq - 1);
      if (operation.state !== 'answered' || operation.index < seq) continue;
      operation.state = 'lost';
      if (operation.index >= lost)
        this.say('told_wrongly', `${name} at ${operation.index} is gone, but lost is said to be all up to ${lost}`);
      if (this.durability !== 'none')
        this.say('acknowledged_lost', `${name} at ${operation.index} was lost, with durable: ${this.durability}`);
    }
  }
}

const checkLedger = (client: Client, ledger: readonly Recorded[], say: Say): void => {
  const byCall = new Map([...client.operations].map(([name, operation]) => [operation.call, { name, operation }]));
  const places = new Map<string, number>();
  for (const [index, { call }] of ledger.entries()) {
    const before = places.get(call);
    if (before !== undefined) say('run_twice', `${call} is in the ledger at ${before} and at ${index}`);
    else places.set(call, index);
    const known = byCall.get(call);
    if (!known) say('ran_unasked', `${call} is in the ledger at ${index}, and nobody sent it`);
    else if (known.operation.state === 'refused') say('ran_unasked', `${known.name} was refused, and ran`);
    else if (known.operation.state === 'lost') say('ran_unasked', `${known.name} was told to be lost, and is there`);
  }
  for (const { call, index, result } of client.answered()) {
    const place = places.get(call);
    if (place === undefined) say('lost_silently', `${call} was answered at ${index}, and the ledger has it nowhere`);
    else if (place !== index)
      say('answer_differs', `${call} was answered at ${index}, and the ledger has it at ${place}`);
    else if (ledger[place]?.result !== result) say('answer_differs', `${call} was answered otherwise than it is kept`);
  }
};

/** Where two ledgers differ first; undefined where they do not. */
const firstDifference = (one: readonly Recorded[], other: readonly Recorded[]): number | undefined => {
  for (let i = 0; i < Math.max(one.length, other.length); i++)
    if (one[i]?.call !== other[i]?.call || one[i]?.result !== other[i]?.result) return i;
  return undefined;
};

/** Of a client that only calls. */
const checkCalls = (
  events: readonly ClientEvent[],
  found: Exclude<Found, { stuck: string }> | undefined,
  durability: Durability,
  say: Say,
): void => {
  const client = new Client(durability, say);
  for (const event of events) client.see(event);
  if (!found) return;
  const { ledger, seq } = found;
  checkLedger(client, ledger, say);
  if (seq !== ledger.length) say('seq_differs', `it counted ${seq} requests and holds ${ledger.length}`);
};

export const checkSession = (history: History, found: Found | undefined, durability: Durability): Violation[] => {
  const { session, events } = history;
  const violations: Violation[] = [];
  const say: Say = (rule, what) => void violations.push({ rule, of: session, what });
  const isFound = found !== undefined && !('stuck' in found);
  if (!isFound) say('stuck', found?.stuck ?? 'nothing is found of it');
  if (history.isLine) checkLine(history, isFound ? found : undefined, durability, say);
  else checkCalls(events as readonly ClientEvent[], isFound ? found : undefined, durability, say);
  if (!isFound) return violations;
  const { ledger, replayed, hash } = found;
  const differs = firstDifference(ledger, replayed.ledger);
  if (differs !== undefined) say('state_differs', `its calls run again are answered otherwise from ${differs} on`);
  if (hash !== replayed.hash) say('state_differs', `its state is ${hash}, its calls make ${replayed.hash}`);
  return violations;
};
