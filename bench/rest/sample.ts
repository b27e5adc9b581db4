/** A sample of documents: whether their operations answer valid requests as documented, and whether what is created comes back. */
import { type Fake, openFake } from '../../src/fake/fake.js';
import { elapsedMs } from '../../src/kit/clock.js';
import type { Caller } from '../../src/serve/face/callers.js';
import type { FaceOperation } from '../../src/serve/face/types.js';
import { faultOf, type Seen, seenOf } from './answers.js';
import { askOf } from './asked.js';
import type { Clerk } from './ids.js';
import { packedFake } from './packed.js';
import { pairsOf, tripOf } from './round-trip.js';
import { count, type Tally } from './tally.js';

export interface Counts {
  documents: number;
  refused: number;
  operations: number;
  bound: number;
  asked: number;
  notAsked: number;
  /** Answered with success, in a body that the document has. */
  valid: number;
  /** Refused, in an error that the document has. */
  refusals: number;
  /** Operations with nothing behind them that answer as documented. */
  examples: number;
  examplesAsked: number;
  trips: number;
  tripsHold: number;
  /** No request could be made, or the client never sees what the new row is called. */
  tripsUnseen: number;
  slowestMs: number;
}

export const none = (): Counts => ({
  documents: 0,
  refused: 0,
  operations: 0,
  bound: 0,
  asked: 0,
  notAsked: 0,
  valid: 0,
  refusals: 0,
  examples: 0,
  examplesAsked: 0,
  trips: 0,
  tripsHold: 0,
  tripsUnseen: 0,
  slowestMs: 0,
});

export interface Reasons {
  notAsked: Tally;
  faults: Tally;
  refusals: Tally;
  examples: Tally;
  trips: Tally;
  defects: Tally;
}

export const noReasons = (): Reasons => ({
  notAsked: new Map(),
  faults: new Map(),
  refusals: new Map(),
  examples: new Map(),
  trips: new Map(),
  defects: new Map(),
});

/** Other rows are tried where the first one is not in a status that the operation takes. */
const TURNS = 4;

const clerkOf = async (fake: Fake, session: string): Promise<Clerk> => {
  const caller = (await fake.callers.named(session)) as Caller;
  const { place } = caller.live;
  const spec = place.at === 'active' ? place.session.world.services.get(fake.service)?.spec : undefined;
  if (!spec) throw new Error('the session has no service');
  return { fake, session, caller, spec, lists: new Map() };
};

const answered = async (clerk: Clerk, operation: FaceOperation, session: string): Promise<Seen | string> => {
  let seen: Seen | string = 'nothing';
  for (let turn = 0; turn < TURNS; turn++) {
    const asked = await askOf(clerk, operation, session, turn);
    if (typeof asked === 'string') return typeof seen === 'string' ? asked : seen;
    seen = await seenOf(await clerk.fake.fetch(asked.request));
    // Only a conflict of state, or a row that was not there, is another row's matter.
    if (![404, 409, 422, 400].includes(seen.status)) return seen;
  }
  return seen;
};

export const sampleDocument = async (
  name: string,
  text: string,
  { counts, reasons, most, packed }: { counts: Counts; reasons: Reasons; most: number; packed: boolean },
): Promise<void> => {
  counts.documents++;
  const from = elapsedMs();
  let fake: Fake;
  try {
    fake = await openFake({
      documents: [{ name, text }],
      seed: 'rest',
      ...(packed ? { compiled: await packedFake(name, text, 'rest') } : {}),
      onDefect: (error) => count(reasons.defects, `${error.line()} ${error.stack?.split('\n')[1] ?? ''}`, name),
    });
  } catch (thrown) {
    counts.refused++;
    count(
      reasons.defects,
      `not opened: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
      name,
    );
    return;
  }
  try {
    counts.slowestMs = Math.max(counts.slowestMs, elapsedMs() - from);
    const clerk = await clerkOf(fake, 'clerk');
    const { operations, checks } = fake.rest;
    counts.operations += operations.length;
    counts.bound += fake.face.bindings.length;
    const bound = operations.filter(({ binding }) => binding !== undefined);
    // Every nth of a large document, so that one document is not the whole sample.
    const every = Math.max(1, Math.ceil(bound.length / most));
    for (const [i, operation] of bound.entries()) {
      if (i % every !== 0) continue;
      const { label } = operation.http;
      const seen = await answered(clerk, operation, `op-${i}`);
      if (typeof seen === 'string') {
        counts.notAsked++;
        count(reasons.notAsked, seen, `${name} ${label}`);
        continue;
      }
      counts.asked++;
      const fault = faultOf(operation.http, seen, checks);
      if (fault !== undefined) count(reasons.faults, fault, `${name} ${label}`);
      else if (seen.status < 400) counts.valid++;
      else {
        counts.refusals++;
        count(reasons.refusals, `${seen.status} ${seen.text}`, `${name} ${label} [${operation.binding?.tool}]`);
      }
    }
    for (const [i, operation] of operations.filter(({ binding }) => binding === undefined).entries()) {
      if (i >= most) break;
      const asked = await askOf(clerk, operation, 'clerk');
      if (typeof asked === 'string') continue;
      const seen = await seenOf(await fake.fetch(asked.request));
      counts.examplesAsked++;
      const fault =
        faultOf(operation.http, seen, checks) ?? (seen.status < 400 ? undefined : `${seen.status} ${seen.text}`);
      if (fault === undefined) counts.examples++;
      else count(reasons.examples, fault, `${name} ${operation.http.label}`);
    }
    const pairs = pairsOf(clerk);
    const skip = Math.max(1, Math.ceil(pairs.length / most));
    for (const [i, pair] of pairs.entries()) {
      if (i % skip !== 0) continue;
      const trip = await tripOf(clerk, pair, `trip-${i}`);
      if (trip === undefined) {
        counts.tripsUnseen++;
        continue;
      }
      counts.trips++;
      if (trip.holds) counts.tripsHold++;
      else count(reasons.trips, trip.why ?? '', `${name} ${trip.pair}`);
    }
  } finally {
    await fake.close();
  }
};
