/** New things: a `create` tool, or a domain verb that makes something (`book`, `issue`). */
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { withArticle, wordsOf } from '../../kit/words.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, startPlan } from '../ground/plan.js';
import { nounOf, sayColumn } from '../ground/say.js';
import {
  factsOf,
  pickOptional,
  pickRequired,
  referBindings,
  revealAll,
  sayChosen,
  splitArgs,
  TRIES,
} from './arguments.js';
import type { Candidate, Family } from './candidate.js';
import { polite } from './wording.js';

/** `create a new invoice`; `issue an access badge` where the verb is the trade's own. */
const opening = (tool: Tool, noun: string, random: Rng): string => {
  const verb = wordsOf(tool.id.split('.')[1] ?? '').join(' ');
  if (tool.op === 'action') return noun.includes(verb) ? `make ${withArticle(noun)}` : `${verb} ${withArticle(noun)}`;
  return random.pick([
    `create a new ${noun}`,
    `add ${withArticle(noun)}`,
    `set up a new ${noun}`,
    `enter a new ${noun}`,
  ]);
};

export const create: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const donors = ground.spare(service)(table);
  if (donors.length === 0) return 'no spare values for the table';
  const { required, optional } = splitArgs(tool);
  let why = 'no arguments that the tool accepts';
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
      dropPlan(plan);
      continue;
    }
    const owners = chosen.filter(({ refers }) => refers);
    const plain = chosen.filter(({ refers, words }) => !refers && words !== '');
    const noun = nounOf(spec);
    const owned = owners.map(({ refers, words, name }, index) => {
      const kind = nounOf(refers?.service.spec.tables[refers.table] as Table);
      const role = sayColumn(name);
      const said =
        kind.includes(role) || role.includes(kind) || role === 'email' ? `${kind} ${words}` : `${words} as ${role}`;
      return `${index === 0 ? 'for' : 'and'} ${said}`;
    });
    const head = opening(tool.tool.tool, noun, random);
    const request = polite(
      [head, ...owned, plain.length > 0 ? `with ${sayChosen(plain)}` : ''].filter(Boolean).join(' '),
      random,
    );
    return {
      family: 'create',
      template: `create:${service.id}.${tool.tool.tool.id}`,
      service,
      request,
      vague: `I need ${withArticle(`new ${noun}`)} entered.`,
      facts: factsOf(chosen),
      bindings: referBindings(chosen),
      plan,
      says: `Done. The ${noun} has been created.`,
    };
  }
  return why;
};
