/** Errands: two retained tasks of different services in one request. They cross services, so they belong to the world's library alone. */
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from '../atomic/candidate.js';
import { errand, fitTogether } from '../atomic/errand.js';
import type { Ground } from '../ground/ground.js';
import { type AtomicProposal, idOf, proposalOf } from './proposal.js';

/** Pairs of services that a link of the world ties together. */
const tiedOf = ({ world }: Ground): ReadonlySet<string> =>
  new Set(
    world.spec.links.flatMap(({ from, to }) => [`${from.service} ${to.service}`, `${to.service} ${from.service}`]),
  );

/**
 * At most `most` errands of the tasks in `parts`, each used once; tied services first. The parts stay as they are; the errands'
 * own sessions are freed by their `release`.
 */
export const errandsOf = (
  ground: Ground,
  parts: readonly AtomicProposal[],
  most: number,
  random: Rng,
): AtomicProposal[] => {
  const tied = tiedOf(ground);
  const whole = parts.flatMap(({ candidate }) =>
    candidate?.service.role === 'domain' && !candidate.isAlone ? [candidate] : [],
  );
  const open = random.shuffle(whole);
  const out: AtomicProposal[] = [];
  const isTied = (one: Candidate, other: Candidate): boolean => tied.has(`${one.service.id} ${other.service.id}`);
  while (open.length > 1 && out.length < most) {
    const first = open.shift() as Candidate;
    const fits = open.filter((other) => fitTogether(first, other));
    const second = fits.find((other) => isTied(first, other)) ?? fits[0];
    const id = idOf(ground.world.spec.id, 'errand', String(out.length + 1));
    const stream = random.stream(id);
    const both = second ? errand(first, second, stream) : undefined;
    if (!second || !both || typeof both === 'string') continue;
    open.splice(open.indexOf(second), 1);
    out.push(proposalOf(ground, both, 'errand', stream, id));
  }
  return out;
};
