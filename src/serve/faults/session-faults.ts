/** Which faults a session gets: those its opener asks for, else the server's. */
import type { OpenRequest } from '../api.js';
import { FaultPlan } from './plan.js';
import { type FaultRule, faultRule } from './rule.js';

export interface ServerFaults {
  rules: readonly FaultRule[];
  seed: string;
}

export class SessionFaults {
  /** Sessions opened so far by task or world: the n-th of each gets the same faults every time. */
  readonly #opened = new Map<string, number>();

  constructor(readonly usual: ServerFaults | undefined) {}

  /** `subject`: name of the task or world. Throws `bad_fault`. */
  of({ faults }: Pick<OpenRequest, 'faults'>, subject: string): FaultPlan | undefined {
    const rules = faults ? faults.rules.map(faultRule) : (this.usual?.rules ?? []);
    if (rules.length === 0) return undefined;
    const nth = this.#opened.get(subject) ?? 0;
    this.#opened.set(subject, nth + 1);
    return new FaultPlan(rules, faults?.seed ?? `${this.usual?.seed ?? '0'}/${subject}/${nth}`);
  }
}
