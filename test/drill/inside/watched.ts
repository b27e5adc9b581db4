/** Ownership as a drill sees it: what the store did is written down in its order, and each worker reaches it over its own fault points. */
import type { Ownership } from '../../../src/serve/durable/ownership/ownership.js';
import { reach } from '../../../src/serve/durable/store/failure.js';
import type { OwnershipStep } from '../history.js';
import type { Points } from './points.js';

export const watched = (ownership: Ownership, steps: OwnershipStep[]): Ownership => {
  const gens = new Map<string, number>();
  return {
    ...bound(ownership),
    claim: async (by, sessions) => {
      const claims = await ownership.claim(by, sessions);
      for (const claim of claims) {
        if (!claim.granted || gens.get(claim.session) === claim.gen) continue;
        gens.set(claim.session, claim.gen);
        steps.push({ is: 'claimed', session: claim.session, by, gen: claim.gen });
      }
      return claims;
    },
    commitHead: async (by, commits) => {
      const said = await ownership.commitHead(by, commits);
      for (const [i, { outcome }] of said.entries()) {
        const commit = commits[i];
        if (outcome === 'moved' && commit) steps.push({ is: 'moved', by, ...commit });
      }
      return said;
    },
  };
};

const bound = (ownership: Ownership): Ownership => ({
  register: (...given) => ownership.register(...given),
  renew: (...given) => ownership.renew(...given),
  bury: (...given) => ownership.bury(...given),
  claim: (...given) => ownership.claim(...given),
  commitHead: (...given) => ownership.commitHead(...given),
  release: (...given) => ownership.release(...given),
  forget: (...given) => ownership.forget(...given),
  reap: (...given) => ownership.reap(...given),
  sessions: (...given) => ownership.sessions(...given),
  workers: (...given) => ownership.workers(...given),
});

/** A worker's own way to it: a stopped one neither asks nor hears the answer, and answers are lost where its points say so. */
export const reached = (ownership: () => Ownership, points: Points): Ownership => {
  const through = async <T>(ask: (ownership: Ownership) => Promise<T>): Promise<T> => {
    await points.pass();
    try {
      return await ask(ownership());
    } finally {
      await points.pass();
    }
  };
  return {
    register: (...given) => through((to) => to.register(...given)),
    renew: async (...given) => {
      await reach(points, 'ownership.renew');
      return through((to) => to.renew(...given));
    },
    bury: (...given) => through((to) => to.bury(...given)),
    claim: async (...given) => {
      await reach(points, 'ownership.claim');
      const said = await through((to) => to.claim(...given));
      await reach(points, 'ownership.claimed');
      return said;
    },
    commitHead: async (...given) => {
      await reach(points, 'ownership.commit');
      const said = await through((to) => to.commitHead(...given));
      await reach(points, 'ownership.committed');
      return said;
    },
    release: (...given) => through((to) => to.release(...given)),
    forget: (...given) => through((to) => to.forget(...given)),
    reap: (...given) => through((to) => to.reap(...given)),
    sessions: (...given) => through((to) => to.sessions(...given)),
    workers: (...given) => through((to) => to.workers(...given)),
  };
};
