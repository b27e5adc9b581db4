/**
 * Says every violation of what is promised of sessions that are kept (serving.md, "A checker for drills"): given what clients saw,
 * what the store did and what is found in the end. Pure, and told of no fault: whatever went wrong, these hold.
 */
import { checkOwnership } from './check-ownership.js';
import { checkSession } from './check-session.js';
import type { Drilled, JobHistory, Violation } from './history.js';

const checkJob = ({ id, finishes, found }: JobHistory): Violation[] => {
  const violations: Violation[] = [];
  const say = (rule: Violation['rule'], what: string): void => void violations.push({ rule, of: id, what });
  if (found.state !== 'done') say('job_not_done', `it is ${found.state} in the end`);
  const told = finishes.filter(({ said }) => said === 'done' || said === 'known');
  const attempts = new Set(told.map(({ attempt }) => attempt));
  if (attempts.size > 1) say('job_done_twice', `attempts ${[...attempts].join(' and ')} were told that they did it`);
  if (told.filter(({ said }) => said === 'done').length > 1)
    say('job_done_twice', 'two were told that they were the first');
  for (const { attempt, result } of told)
    if (found.state === 'done' && (attempt !== found.attempt || result !== found.result))
      say('job_done_twice', `attempt ${attempt} was told that it did it, and the result is that of ${found.attempt}`);
  return violations;
};

/** Whatever is open, somebody was told of. */
const checkOwners = ({ histories, there = [] }: Drilled): Violation[] => {
  const known = new Set(histories.map(({ session }) => session));
  return there
    .filter((session) => !known.has(session))
    .map((session) => ({ rule: 'of_nobody', of: session, what: 'it is open, and nobody was told of it' }));
};

/** Empty where all promises were kept. */
export const check = (drilled: Drilled): Violation[] => {
  const { histories, found, durability, jobs } = drilled;
  const foundOf = new Map(found.map((one) => [one.session, one]));
  return [
    ...histories.flatMap((history) => checkSession(history, foundOf.get(history.session), durability)),
    ...checkOwners(drilled),
    ...checkOwnership(drilled),
    ...jobs.flatMap(checkJob),
  ];
};
