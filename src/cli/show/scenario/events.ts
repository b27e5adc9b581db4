/** A scenario's events in words: when, whose doing, what changes, how it comes to be known, what it depends on. */
import type { PatchOp, Predicate, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Literal } from '../../../artifacts/table.js';
import { pathWords } from '../../../dynamics/paths.js';
import { isoInstant } from '../../../kit/calendar.js';
import { sourceOf } from '../../../rollout/outside.js';
import { storedValue } from '../../review/check-words.js';

type Services = readonly ServiceSpec[];

const ordinal = (n: number): string => {
  const tail = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
};

/** `2026-03-02 13:01, 41 s in`; `start` is the clock that sessions begin with. */
const moment = (at: number, start: number | undefined): string =>
  `${isoInstant(at)}${start === undefined ? '' : ` (${(at - start).toLocaleString('en')} s in)`}`;

export const whenWords = ({ when }: Pick<ScenarioEvent, 'when'>, start?: number): string => {
  if ('at' in when) return `by the clock, from ${moment(when.at, start)} on`;
  if ('random' in when) {
    const { p, from, to } = when.random;
    return `at random, with ${Number((p * 100).toFixed(1))} % after each call between ${moment(from, start)} and ${moment(to, start)}`;
  }
  const { tool, args, nth } = when.after;
  const with_ = args && Object.keys(args).length > 0 ? ` with ${JSON.stringify(args)}` : '';
  return `after the ${ordinal(nth)} successful call of ${tool}${with_}`;
};

const WHOSE = {
  requirement: 'the user, who wants something else now',
  state: 'somebody outside, who changes records',
  information: 'somebody who publishes what counts',
  distractor: 'somebody who publishes what is no concern of the task',
  fault: 'a tool, which goes wrong',
} as const;

export const whoWords = (event: Pick<ScenarioEvent, 'source' | 'effect'>): string =>
  `${sourceOf(event)}: ${WHOSE[sourceOf(event)]}`;

const pairs = (
  services: Services,
  place: { service: string; table: string },
  row: Readonly<Record<string, Literal>>,
): string =>
  Object.entries(row)
    .map(([col, value]) => `${col} ${storedValue(services, place, col, value)}`)
    .join(', ');

const opWords = (services: Services, op: PatchOp): string => {
  const { do: what, service, table, where = {}, set = {} } = op;
  const [at, put] = [pairs(services, op, where), pairs(services, op, set)];
  if (what === 'insert') return `+ ${service}.${table}: ${put}`;
  return what === 'delete' ? `- ${service}.${table} with ${at}` : `~ ${service}.${table} with ${at}: ${put}`;
};

const FAULTS = {
  P1: 'fails openly and passes',
  P2: 'fails openly from then on',
  P3: 'lies and comes right again',
  P4: 'lies from then on',
} as const;

/** What changes, a line each. */
export const effectLines = (services: Services, { effect }: Pick<ScenarioEvent, 'effect'>): string[] => {
  if ('say' in effect) return [`what is asked: “${effect.say}”`];
  if ('patch' in effect) return effect.patch.map((op) => opWords(services, op));
  if ('publish' in effect) {
    const { service, table, set } = effect.publish;
    return [opWords(services, { do: 'insert', service, table, set })];
  }
  const { tool, profile, times, about } = effect.fault;
  const lasts = profile === 'P1' || profile === 'P3' ? `, ${times ?? 1} call${(times ?? 1) === 1 ? '' : 's'} long` : '';
  return [`${tool} ${FAULTS[profile]} (${profile}${lasts})${about === undefined ? '' : `, about ${about}`}`];
};

/** How an agent comes to know. */
export const toldWords = ({ notify: { to, text, discoverBy = [] } }: Pick<ScenarioEvent, 'notify'>): string => {
  const by = discoverBy.length > 0 ? `found out by ${discoverBy.join(' or ')}` : undefined;
  if (to === 'none') return by ?? 'by nobody';
  const said = `${to === 'user' ? 'by the user' : 'by a notification'}${text === undefined ? '' : `: “${text}”`}`;
  return by === undefined ? said : `${said}; ${by}`;
};

const OPS = { eq: 'is', ne: 'is not', lt: 'is below', lte: 'is at most', gt: 'is above', gte: 'is at least' } as const;

export const guardWords = (services: Services, { path, op, value }: Predicate): string => {
  const place = pathWords(path);
  if (op === 'exists') return `there is ${place}`;
  if (op === 'absent') return `there is no ${place}`;
  return `${place} ${OPS[op]} ${storedValue(services, path, path.col ?? '', value ?? null)}`;
};

/** Name and text of all that an event says, in the order in which a reader asks. */
export const eventEntries = (services: Services, event: ScenarioEvent, start?: number): [string, string][] => {
  const { guard, needs, excludes, expires, notify } = event;
  const needed = needs.map(({ id, delay }) => (delay > 0 ? `${id}, ${delay} s before` : id));
  return [
    ['when', whenWords(event, start)],
    ['who', whoWords(event)],
    ...effectLines(services, event).map((line, n): [string, string] => [n === 0 ? 'what' : '', line]),
    ['told', toldWords(event)],
    ...(notify.tells ?? []).map(({ fact, says }): [string, string] => ['then says', `${fact}: “${says}”`]),
    ...(guard.length > 0
      ? [['only if', guard.map((one) => guardWords(services, one)).join('; ')] as [string, string]]
      : []),
    ...(needed.length > 0 ? [['needs', needed.join('; ')] as [string, string]] : []),
    ...(excludes.length > 0 ? [['not with', excludes.join(', ')] as [string, string]] : []),
    ...(expires === undefined ? [] : [['until', moment(expires, start)] as [string, string]]),
  ];
};
