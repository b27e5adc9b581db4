/**
 * Faults by rule, in front of the operations: errors in the document's own form, connections that hang or break, answers that come
 * late. What strikes follows from the seed and from what the session was asked before, so the same requests meet the same faults.
 */
import { rng } from '../../../kit/rng.js';
import { CUT } from '../cut.js';
import type { FaceEvent, Struck } from '../face.js';
import type { Kept } from '../kept.js';
import type { FaceOperation, FaceResponse } from '../types.js';
import { type FaultEffect, type FaultRule, parseFaultRule } from './rule.js';
import { type FitsPath, targetsOf } from './target.js';

export interface FaultsOptions {
  rules: readonly string[];
  operations: readonly FaceOperation[];
  seed: string;
}

export interface FaceFaults {
  strike(event: FaceEvent): Struck | undefined;
  /** Cuts what is held. */
  close(): void;
}

const KEPT = 'faults';
const CODES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  409: 'conflict',
  429: 'rate_limited',
  500: 'internal_error',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
};
const RETRY_AFTER = new Set([429, 503]);

/** How often each rule's operation was asked for in a session, and how often the rule struck. */
class Tally implements Kept {
  constructor(
    readonly asked: number[] = [],
    readonly struck: number[] = [],
  ) {}
  fork(): Tally {
    return new Tally([...this.asked], [...this.struck]);
  }
}

const tallyOf = ({ kept }: FaceEvent['caller']): Tally => {
  const known = kept.get(KEPT);
  if (known instanceof Tally) return known;
  const made = new Tally();
  kept.set(KEPT, made);
  return made;
};

interface Aimed {
  rule: FaultRule;
  fits: FitsPath;
  /** Its place among all rules. */
  at: number;
}

/** Throws `bad_fault_rule` and `unknown_operation`. */
export const faultsOf = ({ rules, operations, seed }: FaultsOptions): FaceFaults => {
  const aimed = new Map<FaceOperation, Aimed[]>();
  rules.map(parseFaultRule).forEach((rule, at) => {
    for (const [operation, fits] of targetsOf(rule.target, operations)) {
      const list = aimed.get(operation) ?? [];
      list.push({ rule, fits, at });
      aimed.set(operation, list);
    }
  });
  const held = new Set<() => void>();

  const hold = (ms: number, { gone }: FaceEvent['request']): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        held.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      held.add(end);
      gone?.(end);
    });

  /** The rules that strike this request, the last of them one that answers if any does. */
  const drawn = (event: FaceEvent): Aimed[] => {
    const tally = tallyOf(event.caller);
    const out: Aimed[] = [];
    for (const one of aimed.get(event.operation) ?? []) {
      const { rule, fits, at } = one;
      if (!fits(event.request.path)) continue;
      const asked = (tally.asked[at] ?? 0) + 1;
      tally.asked[at] = asked;
      const struck = tally.struck[at] ?? 0;
      if (struck >= rule.times) continue;
      if (rule.share < 1 && !rng(seed, 'fault', String(at), String(asked)).chance(rule.share)) continue;
      tally.struck[at] = struck + 1;
      out.push(one);
      if (rule.effect.kind !== 'latency') break;
    }
    return out;
  };

  const latencyOf = ({ rule: { effect }, at }: Aimed, event: FaceEvent): number => {
    if (effect.kind !== 'latency') return 0;
    const asked = tallyOf(event.caller).asked[at] ?? 0;
    return rng(seed, 'latency', String(at), String(asked)).int(effect.low, effect.high);
  };

  const answerTo = (effect: FaultEffect, event: FaceEvent): FaceResponse | undefined => {
    if (effect.kind === 'latency') return undefined;
    if (effect.kind !== 'answer') return CUT;
    const { status } = effect;
    const code = CODES[status] ?? (status < 500 ? 'refused' : 'server_error');
    const message = `This error was asked for with a fault rule: ${status}`;
    const headers: Record<string, string> = RETRY_AFTER.has(status) ? { 'retry-after': '1' } : {};
    const answered = event.fail({ status, code, message, headers });
    // What an error looks like is the document's affair, which status it has the rule's, also where the document has no such answer.
    return { ...answered, status, headers: { ...answered.headers, ...headers } };
  };

  return {
    strike: (event) => {
      const list = drawn(event);
      const last = list.at(-1)?.rule;
      if (last === undefined) return undefined;
      const late = list.reduce((sum, one) => sum + latencyOf(one, event), 0);
      const ms = late + (last.effect.kind === 'timeout' ? last.effect.ms : 0);
      const response = answerTo(last.effect, event);
      return {
        rule: list.map(({ rule }) => rule.text).join(', '),
        ...(ms > 0 ? { wait: hold(ms, event.request) } : {}),
        ...(response ? { response } : {}),
      };
    },
    close: () => {
      for (const end of [...held]) end();
    },
  };
};
