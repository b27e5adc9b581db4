/** Asking again what was answered already, with nothing changed in between. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { type BehaviourFlag, type Sighting, turnsOfLedger } from './flag.js';

/** What two calls have in common that ask the same. */
const askedBy = ({ tool, args }: LedgerEntry): string => canonicalJson([tool, args] as Json);

/** What they have in common that hear the same: of a refusal only its code, messages may count tries. */
const heardBy = ({ ok, result, error }: LedgerEntry): string =>
  canonicalJson([ok, ok ? result : (error?.code ?? '')] as Json);

/**
 * A call is flagged when an earlier call of the trace had the same tool, equal arguments (as canonical JSON) and the same outcome
 * (an equal result, or a refusal with the same code), and no call from that one on changed a row:
 * nothing could have been learnt from it. Paging, a second look after a change, and a change done twice are not flagged; whether
 * the second change was wanted is the verifier's to say.
 */
export const noProgress: BehaviourFlag = {
  id: 'no_progress_repetition',
  says: 'a call was made again although nothing had changed and the answer was the same',
  sightings: (trace) => {
    const turns = turnsOfLedger(trace);
    // Results are long, and looked at only where the same was asked.
    let known = new Map<string, { first: number; heard?: Map<string, number> }>();
    const out: Sighting[] = [];
    for (const [i, entry] of trace.ledger.entries()) {
      // A call that was made to fail is rightly made again.
      if (entry.injected && !entry.ok) continue;
      if (entry.touched.length > 0) {
        known = new Map();
        continue;
      }
      const asked = askedBy(entry);
      const same = known.get(asked);
      if (!same) {
        known.set(asked, { first: i });
        continue;
      }
      same.heard ??= new Map([[heardBy(trace.ledger[same.first] as LedgerEntry), same.first]]);
      const heard = heardBy(entry);
      const before = same.heard.get(heard);
      if (before === undefined) same.heard.set(heard, i);
      else out.push({ turn: turns[i] ?? 0, evidence: `call ${i} (${entry.tool}) says again what call ${before} said` });
    }
    return out;
  },
};
