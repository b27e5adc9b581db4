/** What the store did, in the order in which it did it: only owners write, generations never fall, heads follow from one another. */
import type { Drilled, History, OwnershipStep, Violation } from './history.js';

type Moved = Extract<OwnershipStep, { is: 'moved' }>;
type Say = (rule: Violation['rule'], what: string) => void;

const nameOf = ({ gen, seq }: { gen: number; seq: number }): string => `generation ${gen}, request ${seq}`;

/** Its client was told that requests up to the head before were lost, and that it goes on at or before this one. */
const isTold = (events: History['events'], before: Moved, now: Moved): boolean =>
  events.some((event) => event.is === 'rolled_back' && event.seq <= now.seq && event.lost >= before.seq);

const checkMove = (before: Moved, now: Moved, events: History['events'], say: Say): void => {
  if (now.gen < before.gen) say('generation_fell', `a head of ${nameOf(now)} after one of ${nameOf(before)}`);
  else if (now.gen === before.gen && now.seq <= before.seq)
    say('lineage_broken', `a head of ${nameOf(now)} after one of ${nameOf(before)}`);
  else if (now.seq < before.seq && !isTold(events, before, now))
    say('lineage_broken', `a head of ${nameOf(now)} after one of ${nameOf(before)}, and nobody was told`);
};

const checkSteps = (steps: readonly OwnershipStep[], events: History['events'], say: Say): Moved | undefined => {
  let owner: { by: string; gen: number } | undefined;
  let head: Moved | undefined;
  let wasOver = false;
  for (const step of steps) {
    if (step.is === 'forgotten') {
      wasOver ||= head !== undefined;
      owner = undefined;
      head = undefined;
      continue;
    }
    if (wasOver) say('lineage_broken', `it was over, and then ${step.is}`);
    if (step.is === 'claimed') {
      if (owner && step.gen <= owner.gen)
        say('generation_fell', `a claim of generation ${step.gen} after ${owner.gen}`);
      owner = step;
      continue;
    }
    const isOwner = owner?.gen === step.gen && (step.by === undefined || step.by === owner.by);
    if (!isOwner)
      say(
        'not_owner',
        `${step.by ?? 'somebody'} moved the head to ${nameOf(step)}, and ${owner?.by} has ${owner?.gen}`,
      );
    if (head) checkMove(head, step, events, say);
    head = step;
  }
  return head;
};

export const checkOwnership = ({ ownership, histories, heads }: Drilled): Violation[] => {
  const violations: Violation[] = [];
  const bySession = new Map<string, OwnershipStep[]>();
  for (const step of ownership) bySession.set(step.session, [...(bySession.get(step.session) ?? []), step]);
  const eventsOf = new Map(histories.map(({ session, events }) => [session, events]));
  const headOf = new Map(heads.map((head) => [head.session, head]));
  for (const session of new Set([...bySession.keys(), ...headOf.keys()])) {
    const say: Say = (rule, what) => void violations.push({ rule, of: session, what });
    const last = checkSteps(bySession.get(session) ?? [], eventsOf.get(session) ?? [], say);
    const head = headOf.get(session);
    if (last?.key !== head?.key)
      say(
        'head_differs',
        `the store names ${head?.key ?? 'no savepoint'}, and moved its head to ${last?.key ?? 'none'}`,
      );
  }
  return violations;
};
