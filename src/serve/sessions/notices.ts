/** How what a scenario's events have to tell reaches an agent: the words, and a host that puts them beside its answers. */
import type { Notice } from '../../artifacts/firing.js';
import type { CallOutcome, ToolHost } from '../tool-host.js';
import type { Session } from './session.js';
import { type Events, isEvents } from './weaver.js';

const FRAMES: Record<Notice['to'], string> = {
  user: '[Message from the user]',
  environment: '[Notification]',
};

/** A notice as an agent reads it where it can only be told in the answer of a tool. */
export const noticeText = ({ to, text }: Pick<Notice, 'to' | 'text'>): string => `${FRAMES[to]} ${text}`;

/** What is due once a call was answered, and told from now on. A call of no tool is answered by no result that could carry it. */
const noticesDue = (events: Events, { error }: Pick<CallOutcome, 'error'>, calls: number): Notice[] | undefined => {
  if (error?.code === 'unknown_tool') return undefined;
  const due = events.tellAll(calls);
  return due.length > 0 ? due : undefined;
};

const eventsOf = (host: ToolHost): Events | undefined => {
  const { woven } = host as Partial<Session>;
  return isEvents(woven) ? woven : undefined;
};

/** The outcome with what is due after it. The events are looked up anew each time: a session that went back has others. */
export const withNotices = (session: Session, outcome: CallOutcome): CallOutcome => {
  const events = eventsOf(session);
  const notices = events && noticesDue(events, outcome, session.calls);
  return notices ? { ...outcome, notices } : outcome;
};

/**
 * A session in process as who only sees tools sees it: what there is to tell comes with the answer of the call after which it is
 * due. Any other host as it is.
 */
export const tellingHost = (host: ToolHost): ToolHost => {
  if (!eventsOf(host)) return host;
  const session = host as Session;
  return {
    tools: () => session.tools(),
    groups: () => session.groups(),
    hearing: {},
    call: (name, args) => withNotices(session, session.call(name, args)),
  };
};
