/** What the bearer of a token sees of a session: the tools of all its services, or of one. */
import { TreadleError } from '../../../errors.js';
import type { CallOptions, CallOutcome, Hearing, SessionTool, ToolHost } from '../../tool-host.js';
import { outcomeOf } from '../entry.js';
import type { LiveSession } from './live-session.js';

/** An answer for what never became a call of the session: nothing of it is in the ledger. */
const refused = (live: LiveSession, tool: string, args: unknown, error: TreadleError): CallOutcome => {
  const { code, message, next, fault } = error;
  const result = { error: { code, message: next === undefined ? message : `${message}. ${next}` } };
  const call = { service: '', tool, toolVersion: '', args, index: live.book.length, at: 0 };
  const blamed = fault === 'agent' ? 'agent' : fault === 'world' ? 'world' : 'infrastructure';
  return outcomeOf(call, { ok: false, result, error: { code, fault: blamed, status: 409 }, touched: [] });
};

const told = (live: LiveSession, name: string, args: unknown, thrown: unknown): CallOutcome => {
  if (thrown instanceof TreadleError) return refused(live, name, args, thrown);
  throw thrown;
};

/** One a token in use: a class, so that thousands share their functions. */
class AgentView implements ToolHost {
  constructor(
    readonly live: LiveSession,
    readonly service: string | undefined,
  ) {}

  get hearing(): Hearing | undefined {
    return this.live.hearing;
  }

  tools(): SessionTool[] {
    return this.groups().flat();
  }

  groups(): readonly (readonly SessionTool[])[] {
    return this.live.groups(this.service);
  }

  call(name: string, args: unknown, options?: CallOptions): CallOutcome | Promise<CallOutcome> {
    const { live } = this;
    try {
      const outcome = live.call(name, args, options, this);
      return outcome instanceof Promise ? outcome.catch((thrown: unknown) => told(live, name, args, thrown)) : outcome;
    } catch (thrown) {
      return told(live, name, args, thrown);
    }
  }
}

/** `service` absent: all of them. */
export const agentView = (live: LiveSession, service?: string): ToolHost => new AgentView(live, service);
