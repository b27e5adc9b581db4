/** The rules of a world that stand as a company policy: which a call would break, and which rows they tie together. */
import type { Invariant, Policy } from '../../artifacts/world.js';
import type { Session } from '../../serve/sessions/session.js';
import { brokenRows } from '../../verify/invariants.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool } from '../ground/plan.js';

export interface Rule {
  invariant: Invariant;
  policy: Policy;
}

export const rulesOf = (world: LoadedWorld): Rule[] =>
  world.spec.policies.flatMap((policy) => {
    const invariant = world.spec.invariants.find(({ id }) => id === policy.invariant);
    return invariant ? [{ invariant, policy }] : [];
  });

/** Rules that speak of the table that a tool works on. */
export const rulesFor = (world: LoadedWorld, { service, tool }: NamedTool): Rule[] =>
  rulesOf(world).filter(({ invariant: { trigger, target } }) =>
    [trigger, target].some((end) => end.service === service.id && end.table === tool.tool.table),
  );

/** Keys of trigger rows that break the rule as the session stands; of the world as it is found where there is none. */
export const brokenBy = (world: LoadedWorld, { invariant }: Rule, session?: Session): (string | number)[] => {
  const states = Object.fromEntries(
    [...world.services.values()].map(({ id, pristine }) => [id, session?.view(id) ?? pristine]),
  );
  return brokenRows(world, invariant, states, session?.clock ?? world.spec.clock);
};

/** Rows of one end of the rule, as they are at the beginning. */
export const rowsAt = (ground: Ground, end: Invariant['trigger'] | Invariant['target']): readonly Row[] => {
  const service = ground.world.services.get(end.service);
  return service?.spec.tables[end.table] ? ground.rows(service)(end.table) : [];
};
