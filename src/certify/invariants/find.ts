/** A bounded search for public calls that break an invariant, and for calls that make it true again. */
import type { Session } from '../../serve/sessions/session.js';
import { type Aim, callsTowards, type Field, type ToolCall } from './calls.js';

/** Calls in a row that a sequence may have (k of certify.md). */
export const MOST_CALLS = 4;
/** Calls tried for one sequence, for its first call, and for each that may follow a call. */
const MOST_TRIES = 700;
const MOST_FIRST = 220;
const MOST_NEXT = 30;
/** Sessions that are gone on from after each call, and how many of them one tool may have brought there. */
const BEAM = 14;
const OF_ONE_TOOL = 4;
/** The same for calls that made a row, each made in another way. */
const OF_ONE_MAKER = 9;

interface Node {
  session: Session;
  calls: ToolCall[];
  weight: number;
  /** Whether the last call made a row of one of the two tables: then the next ones have something new to work on. */
  made: boolean;
}

export interface Found {
  calls: ToolCall[];
  /** The session after them. Drop it. */
  session: Session;
}

/** For a mend no broken row is left; for a break there is one that is not in `known`. */
const reached = ({ situation }: Field, session: Session, aim: Aim, known: ReadonlySet<string | number>): boolean => {
  const broken = situation.broken(session);
  return aim === 'mend' ? broken.length === 0 : broken.some((key) => !known.has(key));
};

/** The way that came nearest first; of equals, those that made a row, then one of each tool. */
const narrowed = (nodes: Node[]): Node[] => {
  const seen = new Map<string, number>();
  const kept: Node[] = [];
  for (const node of nodes.sort((a, b) => a.weight - b.weight || Number(b.made) - Number(a.made))) {
    const tool = node.calls.at(-1)?.tool ?? '';
    const nth = seen.get(tool) ?? 0;
    if (kept.length < BEAM && nth < (node.made ? OF_ONE_MAKER : OF_ONE_TOOL)) {
      seen.set(tool, nth + 1);
      kept.push(node);
    } else node.session.drop();
  }
  return kept;
};

/**
 * Looks for at most `MOST_CALLS` calls from where `from` stands; undefined when none was found within the budget. A break of
 * rows in `known` only does not count.
 */
export const findCalls = (
  field: Field,
  from: Session,
  aim: Aim,
  known: ReadonlySet<string | number> = new Set(),
): Found | undefined => {
  const { invariant } = field.situation;
  const tables = new Set([
    `${invariant.trigger.service}.${invariant.trigger.table}`,
    `${invariant.target.service}.${invariant.target.table}`,
  ]);
  const start = field.situation.weight(from);
  let nodes: Node[] = [{ session: from.fork(`${from.id}-${aim}`), calls: [], weight: start, made: false }];
  let tries = 0;
  const giveUp = (all: readonly Node[]): undefined => {
    for (const { session } of all) session.drop();
    return undefined;
  };
  for (let depth = 0; depth < MOST_CALLS; depth++) {
    const next: Node[] = [];
    for (const node of nodes) {
      let own = 0;
      for (const call of callsTowards(field, node.session, aim)) {
        if (own++ >= (depth === 0 ? MOST_FIRST : MOST_NEXT)) break;
        if (tries++ >= MOST_TRIES) return giveUp([...nodes, ...next]);
        const session = node.session.fork(`${from.id}-${tries}`);
        const outcome = session.call(call.tool, call.args);
        const touched = outcome.ok ? outcome.entry.touched : [];
        const near = touched.filter(({ service, table }) => tables.has(`${service}.${table}`));
        if (near.length === 0) {
          session.drop();
          continue;
        }
        const calls = [...node.calls, call];
        if (reached(field, session, aim, known)) {
          giveUp([...nodes, ...next]);
          return { calls, session };
        }
        next.push({
          session,
          calls,
          weight: aim === 'mend' ? field.situation.weight(session) : 0,
          made: near.some(({ change }) => change === 'insert'),
        });
      }
    }
    giveUp(nodes);
    nodes = narrowed(next);
    if (nodes.length === 0) return undefined;
  }
  return giveUp(nodes);
};
