/** A bounded search for public calls that break an invariant, and for calls that make it true again. */
import type { Session } from '../../serve/sessions/session.js';
import { type Aim, callsTowards, type Field, type ToolCall } from './calls.js';

/** Calls in a row that a sequence may have (k of certify.md). */
export const MOST_CALLS = 4;
/** Calls tried for one sequence. */
const MOST_TRIES = 420;
/** Sessions that are gone on from after each call. */
const BEAM = 7;

interface Node {
  session: Session;
  calls: ToolCall[];
  weight: number;
}

export interface Found {
  calls: ToolCall[];
  /** The session after them. Drop it. */
  session: Session;
}

const reached = ({ situation }: Field, session: Session, aim: Aim): boolean =>
  situation.broken(session).length > 0 === (aim === 'break');

/** The way that came nearest first; of equals, those that made a row, then one of each tool. */
const narrowed = (nodes: Node[]): Node[] => {
  const seen = new Map<string, number>();
  const kept: Node[] = [];
  for (const node of nodes.sort((a, b) => a.weight - b.weight)) {
    const tool = node.calls.at(-1)?.tool ?? '';
    const nth = seen.get(tool) ?? 0;
    if (kept.length < BEAM && nth < 2) {
      seen.set(tool, nth + 1);
      kept.push(node);
    } else node.session.drop();
  }
  return kept;
};

/** Looks for at most `MOST_CALLS` calls from where `from` stands; undefined when none was found within the budget. */
export const findCalls = (field: Field, from: Session, aim: Aim): Found | undefined => {
  const { invariant } = field.situation;
  const tables = new Set([
    `${invariant.trigger.service}.${invariant.trigger.table}`,
    `${invariant.target.service}.${invariant.target.table}`,
  ]);
  const start = field.situation.weight(from);
  let nodes: Node[] = [{ session: from.fork(`${from.id}-${aim}`), calls: [], weight: start }];
  let tries = 0;
  const giveUp = (all: readonly Node[]): undefined => {
    for (const { session } of all) session.drop();
    return undefined;
  };
  for (let depth = 0; depth < MOST_CALLS; depth++) {
    const next: Node[] = [];
    for (const node of nodes) {
      for (const call of callsTowards(field, node.session, aim)) {
        if (tries++ >= MOST_TRIES) return giveUp([...nodes, ...next]);
        const session = node.session.fork(`${from.id}-${tries}`);
        const outcome = session.call(call.tool, call.args);
        const touched =
          outcome.ok && outcome.entry.touched.some(({ service, table }) => tables.has(`${service}.${table}`));
        if (!touched) {
          session.drop();
          continue;
        }
        const calls = [...node.calls, call];
        if (reached(field, session, aim)) {
          giveUp([...nodes, ...next]);
          return { calls, session };
        }
        next.push({ session, calls, weight: aim === 'mend' ? field.situation.weight(session) : 0 });
      }
    }
    giveUp(nodes);
    nodes = narrowed(next);
    if (nodes.length === 0) return undefined;
  }
  return giveUp(nodes);
};
