/** Policies: the rules of a company in words, from its invariants and from what its tools insist on. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Invariant, Policy } from '../../artifacts/world.js';

/** Refusals that follow from the data and are no rule of the house. */
const MECHANICAL = new Set(['not_found', 'invalid_state', 'invalid_reference', 'already_done', 'invalid_argument']);
const MOST_A_SERVICE = 5;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const rulesOf = (spec: ServiceSpec): Policy[] =>
  Object.values(spec.tools)
    .flatMap((tool) =>
      (tool.steps ?? []).flatMap((step) =>
        'require' in step
          ? step.require.flatMap(({ error, message }) =>
              message && !MECHANICAL.has(error)
                ? [
                    {
                      id: `${spec.id}_${tool.id.replace('.', '_')}_${error}`.slice(0, 63),
                      text: `${sentence(spec.title)}, ${tool.id.replace(/[._]/g, ' ')}: ${message}`,
                    },
                  ]
                : [],
            )
          : [],
      ),
    )
    .slice(0, MOST_A_SERVICE);

/** One policy an invariant, and up to five a service from the preconditions of its tools. */
export const policiesOf = (invariants: readonly Invariant[], specs: readonly ServiceSpec[]): Policy[] => {
  const policies = [
    ...invariants.map(({ id, says }) => ({ id, text: says, invariant: id })),
    ...specs.flatMap(rulesOf),
  ];
  const seen = new Set<string>();
  return policies.filter(({ id }) => !seen.has(id) && seen.add(id));
};
