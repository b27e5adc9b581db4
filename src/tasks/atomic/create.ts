/** New things: a `create` tool, or a domain verb that makes something (`book`, `issue`). */
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, refusalOf, startPlan } from '../ground/plan.js';
import { sayNew } from '../words/fresh.js';
import { article } from '../words/grammar.js';
import { wording } from '../words/lexicon.js';
import { nounOf } from '../words/names.js';
import { PERSONAS, requested } from '../words/tone.js';
import { sayAction } from '../words/verbs.js';
import {
  factsOf,
  leavesTrace,
  pickOptional,
  pickRequired,
  referBindings,
  revealAll,
  saidOf,
  splitArgs,
  TRIES,
} from './arguments.js';
import type { Candidate, Family } from './candidate.js';

/** `create a new invoice`; `issue an access badge` where the verb is the trade's own. */
const opening = (tool: Tool, noun: string, random: Rng): string => {
  const verb = wordsOf(tool.id.split('.')[1] ?? '').join(' ');
  if (tool.op === 'action') return noun.includes(verb) ? `make ${article(noun)}` : `${verb} ${article(noun)}`;
  return random.pick([
    `create a new ${noun}`,
    `add ${article(noun)}`,
    `set up a new ${noun}`,
    `enter ${article(noun)}`,
    `record a new ${noun}`,
  ]);
};

export const create: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const donors = ground.spare(service)(table);
  if (donors.length === 0) return 'no spare values for the table';
  const { required, optional } = splitArgs(tool);
  let why = 'no arguments to give';
  for (let tries = 0; tries < TRIES; tries++) {
    const donor = random.pick(donors);
    const must = pickRequired(ground, service, table, required, random, { donor });
    if (!must) {
      why = 'a required argument has no value that a person would choose';
      continue;
    }
    const rest = optional.filter(([, arg]) => arg.type !== 'json' && arg.type !== 'bool');
    const chosen = [
      ...must,
      ...pickOptional(ground, service, table, rest, random, Math.max(0, 4 - must.length), { donor }, must),
    ];
    if (chosen.length === 0) continue;
    const start = startPlan(ground.fresh());
    const plan = revealAll(ground, start, chosen, random);
    if (!plan) continue;
    if (
      !perform(
        plan,
        tool,
        chosen.map(({ arg }) => arg),
      )
    ) {
      why = `no arguments that the tool accepts: ${refusalOf(plan) ?? 'a value that no look-up showed'}`;
      dropPlan(plan);
      continue;
    }
    if (!leavesTrace(plan, chosen)) {
      dropPlan(plan);
      why = 'an argument that the tool takes and does not keep';
      continue;
    }
    const noun = nounOf(spec);
    const persona = random.pick(PERSONAS);
    const own = wording().makes[tool.tool.tool.id];
    const plain = own
      ? { does: sayAction(tool.tool.tool.id, '', saidOf(chosen), random), tail: '' }
      : sayNew(opening(tool.tool.tool, noun, random), saidOf(chosen), random);
    return {
      family: 'create',
      template: `create:${service.id}.${tool.tool.tool.id}`,
      service,
      persona,
      request: requested(plain.does, persona, random, plain.tail),
      plain,
      vague: `I need ${article(`new ${noun}`)} entered.`,
      facts: factsOf(chosen),
      bindings: referBindings(chosen),
      plan,
      says: `Done. The ${noun} has been created.`,
    };
  }
  return why;
};
