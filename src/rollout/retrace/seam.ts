/** Something woven into a session, with the moment made known at which a call is done and the world outside has not acted yet. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { Answered } from '../../serve/sessions/entry.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Woven, WovenAnswer, WovenCall } from '../../serve/sessions/woven.js';

export class Seam implements Woven {
  /** Called at that moment. */
  between: (() => void) | undefined;
  constructor(readonly woven: Woven) {}
  get tools(): Woven['tools'] {
    return this.woven.tools;
  }
  instead(call: WovenCall): WovenAnswer | undefined {
    return this.woven.instead(call);
  }
  after(call: WovenCall, answered: Answered): Answered {
    return this.woven.after(call, answered);
  }
  perform(tool: string, args: unknown, session: Session): WovenAnswer {
    if (!this.woven.perform) throw new Error(`nothing woven in answers ${tool}`);
    return this.woven.perform(tool, args, session);
  }
  settle(entry: LedgerEntry, session: Session): void {
    this.between?.();
    this.woven.settle?.(entry, session);
  }
  fork(): Woven {
    return new Seam(this.woven.fork());
  }
  renewed(): Woven {
    return new Seam(this.woven.renewed());
  }
  save(): Json {
    return this.woven.save();
  }
  loaded(saved: Json): Woven {
    return new Seam(this.woven.loaded(saved));
  }
}
