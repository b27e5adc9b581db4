/** Policies: the rules of a company in words, from its invariants and from what its tools insist on. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Invariant, Policy } from '../../artifacts/world.js';
import { withArticle } from '../../kit/words.js';
import { participleOf } from '../lexicon/participle.js';

/** Refusals that follow from the data and are no rule of the house. */
const MECHANICAL = new Set(['not_found', 'invalid_state', 'invalid_reference', 'already_done', 'invalid_argument']);
const MOST_A_SERVICE = 5;

const lowerFirst = (text: string): string =>
  /^[A-Z]([a-z]|\s)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** Messages that say the rule themselves. */
const IS_A_RULE = /\b(cannot|must|nobody|only|never|may not|needs?)\b/i;

/** `Clinic schedule: a patient is not admitted when the bed is not free.` */
const ruleText = (spec: ServiceSpec, tool: Tool, message: string): string => {
  const says = message.trim().replace(/\.$/, '');
  if (IS_A_RULE.test(says)) return `${spec.title}: ${lowerFirst(says)}.`;
  const noun = withArticle(spec.tables[tool.table]?.noun ?? 'record');
  const verb = tool.id.split('.')[1] ?? '';
  const when = /^(More|Less|Fewer) than/.test(says) ? `with ${lowerFirst(says)}` : `when ${lowerFirst(says)}`;
  const act = verb.includes('_')
    ? `to ${verb.replaceAll('_', ' ')} of ${noun} is refused`
    : `${noun} is not ${participleOf(verb)}`;
  return `${spec.title}: ${act} ${when}.`;
};

const rulesOf = (spec: ServiceSpec): Policy[] => {
  const known = kept.get(spec.tools);
  if (known) return known;
  const rules = readRules(spec);
  kept.set(spec.tools, rules);
  return rules;
};
/** By tools: worlds share a canonical service but for its surface. */
const kept = new WeakMap<ServiceSpec['tools'], Policy[]>();

const readRules = (spec: ServiceSpec): Policy[] =>
  Object.values(spec.tools)
    .flatMap((tool) =>
      (tool.steps ?? []).flatMap((step) =>
        'require' in step
          ? step.require.flatMap(({ error, message }) =>
              message && !MECHANICAL.has(error)
                ? [
                    {
                      id: `${spec.id}_${tool.id.replace('.', '_')}_${error}`.slice(0, 63),
                      text: ruleText(spec, tool, message),
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
