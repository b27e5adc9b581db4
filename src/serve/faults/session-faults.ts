/** Which faults a session gets: those its opener asks for, else the server's. */
import { TreadleError } from '../../errors.js';
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

  /** Of a scenario's session, which brings faults of its own. Throws `two_engines` where the server's would come on top. */
  needNone({ faults }: Pick<OpenRequest, 'faults'>, scenario: string): void {
    if (faults || !this.usual || this.usual.rules.length === 0) return;
    throw new TreadleError({
      code: 'two_engines',
      message:
        'A session runs one engine, and this server injects faults into every session that does not say otherwise',
      value: { scenario, faults: this.usual.rules.map(({ text }) => text) },
      next: 'Send "faults": {"rules": []} with the scenario, or serve without --fault.',
    });
  }

  /** `subject`: name of the task or world. Throws `bad_fault`. */
  of({ faults }: Pick<OpenRequest, 'faults'>, subject: string): FaultPlan | undefined {
    const rules = faults ? faults.rules.map(faultRule) : (this.usual?.rules ?? []);
    if (rules.length === 0) return undefined;
    const nth = this.#opened.get(subject) ?? 0;
    this.#opened.set(subject, nth + 1);
    return new FaultPlan(rules, faults?.seed ?? `${this.usual?.seed ?? '0'}/${subject}/${nth}`);
  }
}
