/** Calls that the listed tools do not take. */
import { type BehaviourFlag, type Sighting, shortened, turnsOfLedger } from './flag.js';

/** Refusals that the tool list already told of; a row that does not exist or a rule of the company is found out by trying. */
const AGAINST_THE_LIST: ReadonlySet<string> = new Set(['unknown_tool', 'unknown_argument', 'invalid_argument']);

/**
 * A turn is flagged for each call of a tool that was not offered (`unknown_tool`), with an argument the tool does not have
 * (`unknown_argument`), or with arguments its schema or its table's rules refuse (`invalid_argument`). Unknown ids, conflicts and
 * refusals by policy are ordinary observations.
 */
export const interfaceViolation: BehaviourFlag = {
  id: 'interface_violation',
  says: 'a call does not fit the tools as they were listed',
  sightings: (trace) => {
    const turns = turnsOfLedger(trace);
    return trace.ledger.flatMap(({ tool, error }, i): Sighting[] =>
      error?.fault === 'agent' && AGAINST_THE_LIST.has(error.code)
        ? [{ turn: turns[i] ?? 0, evidence: `call ${i} (${shortened(tool)}): ${error.code}` }]
        : [],
    );
  },
};
