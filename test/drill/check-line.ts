/** A history of every kind of request against what is found of its session: each was done once, and what is there follows from them. */
import type { Durability } from '../../src/serve/durable/session/durability.js';
import type { Found, History, LineEvent, Violation } from './history.js';
import { type Ask, type Said, type Stand, standAfter, standAtBirth } from './line.js';

type Say = (rule: Violation['rule'], what: string) => void;
type Standing = Exclude<Found, { stuck: string }>;

const named = (operation: string, ask: Ask): string => `${operation} (${ask.do})`;

class Line {
  /** After each request that changed it; the first is how it began. */
  readonly past: Stand[];
  readonly answers = new Map<string, Said>();
  /** Results of calls by their name. */
  readonly results = new Map<string, string>();
  open: { operation: string; ask: Ask } | undefined;
  readonly #asks = new Map<string, Ask>();

  constructor(
    readonly durability: Durability,
    inherited: readonly string[],
    readonly say: Say,
  ) {
    this.past = [standAtBirth(inherited)];
  }

  get stand(): Stand {
    return this.past.at(-1) as Stand;
  }

  see(event: LineEvent): void {
    if (event.is === 'asked') {
      this.#asks.set(event.operation, event.ask);
      if (!this.answers.has(event.operation)) this.open = event;
    } else if (event.is === 'done') this.#done(event.operation, event.said);
    else if (event.is === 'rolled_back') this.#rolledBack(event);
    else if (event.is === 'refused' && this.open?.operation === event.operation) this.open = undefined;
  }

  #done(operation: string, said: Said): void {
    const ask = this.#asks.get(operation) as Ask;
    const what = named(operation, ask);
    const before = this.answers.get(operation);
    if (before) {
      if (JSON.stringify(before) !== JSON.stringify(said))
        this.say('answer_differs', `${what} was answered ${JSON.stringify(before)}, and again ${JSON.stringify(said)}`);
      return;
    }
    this.open = undefined;
    this.answers.set(operation, said);
    const { stand } = this;
    const next = standAfter(stand, ask, said.snapshot);
    if (ask.do === 'call') this.#called(ask.call, what, said, stand.calls.length);
    else if (ask.do === 'fork') this.#forked(ask.count, what, said, stand.calls.length);
    else if (ask.do !== 'snapshot') this.#stands(what, said, next);
    if (next !== stand) this.past.push(next);
  }

  #called(call: string, what: string, { index, result }: Said, expected: number): void {
    if (result !== undefined) this.results.set(call, result);
    if (index === undefined || index === expected) return;
    const rule = index < expected ? 'lost_silently' : 'done_twice';
    this.say(rule, `${what} was answered at ${index}, and ${expected} calls were before it`);
  }

  #forked(count: number, what: string, { branches = [] }: Said, calls: number): void {
    if (branches.length !== count) this.say('answer_differs', `${what} made ${branches.length} sessions of ${count}`);
    for (const branch of branches)
      if (branch.calls !== calls)
        this.say('cut_wrongly', `${what}: ${branch.session} has ${branch.calls} calls, and was forked from ${calls}`);
  }

  #stands(what: string, { seq = 0, calls, status }: Said, next: Stand): void {
    if (seq > next.seq) this.say('done_twice', `${what} was answered as request ${seq}, and is ${next.seq}`);
    if (seq < next.seq) this.say('lost_silently', `${what} was answered as request ${seq}, and is ${next.seq}`);
    if (calls !== next.calls.length)
      this.say('cut_wrongly', `${what} leaves ${calls} calls, and goes to ${next.calls.length}`);
    if (status !== next.status) this.say('status_differs', `${what} leaves it ${status}, not ${next.status}`);
  }

  #rolledBack({ seq, lost }: { seq: number; lost: number }): void {
    if (lost <= seq) this.say('told_wrongly', `it is back at ${seq}, and lost all up to ${lost}`);
    const { stand } = this;
    if (stand.seq <= seq) return;
    if (lost < stand.seq)
      this.say('told_wrongly', `it is back at ${seq} of ${stand.seq}, but lost is said to be all up to ${lost}`);
    if (this.durability !== 'none')
      this.say('acknowledged_lost', `it is back at ${seq} of ${stand.seq}, with durable: ${this.durability}`);
    this.past.length = seq + 1;
  }
}

/** The calls, as they are named in ledgers, and why they are other ones. */
const checkCalls = (found: readonly string[], expected: readonly string[], line: Line, say: Say): void => {
  const seen = new Set<string>();
  const last = line.open?.ask.do === 'call' ? line.open.ask.call : undefined;
  for (const [index, call] of found.entries()) {
    if (seen.has(call)) say('run_twice', `${call} is in the ledger again at ${index}`);
    else if (call !== last && !expected.includes(call))
      say('ran_unasked', `${call} is in the ledger at ${index}, and is none of those that were to be there`);
    seen.add(call);
  }
  for (const [index, call] of expected.entries())
    if (!seen.has(call)) say('lost_silently', `${call} was to be at ${index}, and the ledger has it nowhere`);
  const same = found.length === expected.length && found.every((call, i) => call === expected[i]);
  if (!same) say('cut_wrongly', `it holds ${found.length} calls, and was to hold ${expected.length}`);
};

const fits = (found: Standing, { seq, calls, status }: Stand): boolean =>
  found.seq === seq && found.status === status && found.ledger.length === calls.length;

const checkFound = (found: Standing, line: Line, say: Say): void => {
  // The last request may have been done or not, and a snapshot that nobody heard of has a name that nobody knows.
  const unnamed = found.snapshots?.find((id) => !line.stand.snapshots.has(id));
  const done = line.open && standAfter(line.stand, line.open.ask, unnamed);
  const stand = done && fits(found, done) ? done : line.stand;
  if (found.seq > stand.seq) say('done_twice', `it counted ${found.seq} requests, and was asked ${stand.seq}`);
  if (found.seq < stand.seq) say('lost_silently', `it counted ${found.seq} requests of ${stand.seq}`);
  if (found.status !== stand.status) say('status_differs', `it is ${found.status}, not ${stand.status}`);
  const snapshots = [...stand.snapshots.keys()].sort().join();
  if (found.snapshots && [...found.snapshots].sort().join() !== snapshots)
    say('snapshots_differ', `it has ${found.snapshots.join() || 'none'}, and was to have ${snapshots || 'none'}`);
  checkCalls(
    found.ledger.map(({ call }) => call),
    stand.calls,
    line,
    say,
  );
  for (const { call, result } of found.ledger) {
    const heard = line.results.get(call);
    if (heard !== undefined && heard !== result)
      say('answer_differs', `${call} was answered otherwise than it is kept`);
  }
};

/** `inherited`: of a branch, the calls that were its parent's. */
export const checkLine = (
  { events, inherited = [] }: History,
  found: Standing | undefined,
  durability: Durability,
  say: Say,
): void => {
  const line = new Line(durability, inherited, say);
  for (const event of events) line.see(event as LineEvent);
  if (found) checkFound(found, line, say);
};
