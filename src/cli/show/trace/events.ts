/** A scenario's events in their place in a conversation: what fired after which call, what it changed, and how it was told. */
import type { LedgerEntry, TraceEvent } from '../../../artifacts/trace.js';
import { isoInstant } from '../../../kit/calendar.js';
import { effectLines } from '../scenario/events.js';
import { changeLines, touchLines } from './changes.js';
import { cleanLine, cleanShort } from './clean.js';
import { broken } from './page.js';
import type { Line, ShownTrace } from './shown.js';

type Fate = Extract<TraceEvent, { kind: 'fate' }>;
type Notice = Extract<TraceEvent, { kind: 'notice' }>;

/** Calls that reached no session are in the ledger and no step of the events. */
const isStep = ({ error }: LedgerEntry): boolean => error?.code !== 'malformed_arguments';

/** Steps up to an entry of the ledger and with it. */
const stepsBy = ({ trace }: ShownTrace, index: number): number =>
  trace.ledger.slice(0, index + 1).filter(isStep).length;

const fateTitle = ({ event, source, fate, at, reason }: Fate): string => {
  const why = reason === undefined ? '' : `: ${cleanShort(reason, 200)}`;
  const word = fate === 'skipped' ? 'was skipped' : fate;
  return `── event ${cleanShort(event, 40)} (${source}) ${word}, ${isoInstant(at)}${why}`;
};

const fateLines = (shown: ShownTrace, fate: Fate, index: number): Line[] => {
  const event = shown.scenario?.events.find(({ id }) => id === fate.event);
  const isKnown = shown.retraced?.outside && (shown.retraced.differsAt ?? Number.POSITIVE_INFINITY) > index;
  const own = (one: { service: string; table: string; key: string | number }): boolean =>
    fate.touched.some(({ service, table, key }) => service === one.service && table === one.table && key === one.key);
  const rows = isKnown
    ? changeLines(shown.services, (shown.retraced?.outside?.[index] ?? []).filter(own))
    : touchLines(fate);
  // Rows say what a patch did better than the patch does.
  const says = fate.fate === 'fired' && event && rows.length === 0 ? effectLines(shown.services, event) : [];
  return [
    ...broken(fateTitle(fate), 0).map((text): Line => ({ text, style: 'magenta' })),
    ...says.flatMap((text) => broken(cleanLine(text), 6).map((line): Line => ({ text: line, style: 'magenta' }))),
    ...rows.flatMap(({ text }) => broken(text, 6).map((line): Line => ({ text: line, style: 'magenta' }))),
  ];
};

/** What was told without a message of its own. */
const noticeLines = ({ event, to, text }: Notice): Line[] =>
  broken(
    `── told of ${cleanShort(event, 40)} ${to === 'user' ? 'for the user' : 'by a notification'}, in no message: ${cleanLine(text)}`,
    0,
  ).map((line): Line => ({ text: line, style: 'magenta' }));

/** What happened outside once an entry of the ledger was done; with -1, before the first. */
export const happenedAfter = (shown: ShownTrace, index: number): Line[] => {
  const { events, ledger } = shown.trace;
  const entry = ledger[index];
  if (events.length === 0 || (entry && !isStep(entry))) return [];
  const steps = index < 0 ? 0 : stepsBy(shown, index);
  return events.flatMap((one): Line[] => {
    if (one.kind === 'fate') return one.calls === steps ? fateLines(shown, one, index) : [];
    // The delivery log counts entries of the ledger.
    return one.message === undefined && one.calls === index + 1 ? noticeLines(one) : [];
  });
};

/** `  (tells of new_amount)` of a message that told of events. */
export const noticeNote = ({ trace }: ShownTrace, message: number): string => {
  const told = trace.events.flatMap((one) => (one.kind === 'notice' && one.message === message ? [one.event] : []));
  return told.length === 0 ? '' : `  (tells of ${told.map((event) => cleanShort(event, 40)).join(', ')})`;
};

/** Whether a message is a notification, which no user wrote. */
export const isNotification = ({ trace }: ShownTrace, message: number): boolean =>
  trace.events.some((one) => one.kind === 'notice' && one.message === message && one.to === 'environment');

const list = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${what} ${ids.map((id) => cleanShort(id, 40)).join(', ')}`];

/** What the events that fired made of the checks, and whose fault a failure is. */
export const revisedLines = ({ verdict, scenario }: ShownTrace): Line[] => {
  const { revised, solvable, fault } = verdict ?? {};
  const asksOtherwise = (id: string): boolean =>
    scenario?.events.some((event) => event.id === id && event.checks.answer !== undefined) ?? false;
  const changes = revised
    ? [
        ...list('retired', revised.retired),
        ...list('replaced', revised.replaced),
        ...list('added', revised.added),
        ...(revised.events.some(asksOtherwise) ? ['another answer is right'] : []),
      ]
    : [];
  const whose = fault === 'scenario' ? 'the scenario’s' : 'the policy’s';
  return [
    ...(revised
      ? broken(
          `judged after ${revised.events.map((event) => cleanShort(event, 40)).join(', ')}: ${changes.join('; ') || 'no check is another one'}`,
          2,
        )
      : []),
    ...(solvable
      ? broken(
          `it could ${solvable.atFiring ? 'still' : 'no longer'} be done${solvable.withoutEvent === undefined ? '' : `, and without the event it ${solvable.withoutEvent ? 'could' : 'could not either'}`}: ${cleanLine(solvable.evidence)}. The fault is ${whose}`,
          2,
        )
      : []),
  ].map((text): Line => ({ text, style: 'magenta' }));
};
