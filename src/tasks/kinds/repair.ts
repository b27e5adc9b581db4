/** A rule of the company is broken: find the record that breaks it, and mend that one. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { factsOf, referBindings, revealAll, splitArgs } from '../atomic/arguments.js';
import type { Candidate, Family } from '../atomic/candidate.js';
import { wantedOf } from '../atomic/on-row.js';
import { type Chosen, choose } from '../atomic/values.js';
import type { Ground } from '../ground/ground.js';
import {
  dropPlan,
  keyOf,
  type NamedTool,
  type Plan,
  type PlannedArg,
  perform,
  seenAt,
  startPlan,
} from '../ground/plan.js';
import { filterFor, finders, keyArgOf, toolsOf } from '../ground/reveal.js';
import type { Mutant } from '../mutants/mutant.js';
import { nounOf, sayMany } from '../words/names.js';
import { PERSONAS } from '../words/tone.js';
import { type Acting, actingOn, argsOn, callOn, ofPronoun } from './acting.js';
import { limitOf, listBy } from './listing.js';
import { brokenBy, type Rule, rulesOf } from './rules.js';
import { type Violation, violate } from './violation.js';

const CHOICES = 6;

/** The repair as it is asked for: with the shared key set to somebody else where that is what mends it. */
const mending = (
  ground: Ground,
  tool: NamedTool,
  { invariant: { target, key } }: Rule,
  row: Row,
  random: Rng,
): Acting | undefined => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const { key: keyArg, required, optional } = splitArgs(tool);
  const wanted = wantedOf(ground, tool, random);
  if (!keyArg || !wanted) return undefined;
  const tie =
    target.service === service.id && target.table === table
      ? [...required, ...optional].find(([name, arg]) => (arg.col ?? name) === key.target)
      : undefined;
  const chosen: (Chosen | undefined)[] | undefined = tie
    ? [choose(ground, service, table, tie[0], tie[1], random, { row, isChange: true })]
    : wanted.choose(row);
  if (!chosen || chosen.some((one) => one === undefined)) return undefined;
  if (tie && required.some(([name]) => name !== tie[0])) return undefined;
  const sure = chosen as Chosen[];
  return {
    tool,
    keyArg,
    chosen: sure,
    isUpdate: wanted.family === 'update',
    say: (subject) => wanted.say(subject, sure, { ...row, [key.target]: null }),
    says: wanted.says,
  };
};

const isMended = (
  { ground, rule }: Violation,
  calls: readonly { tool: string; args: Record<string, unknown> }[],
): boolean => {
  const session = ground.fresh();
  const done = calls.every(({ tool, args }) => session.call(tool, structuredClone(args)).ok);
  const mended =
    done &&
    rulesOf(ground.world).every((one) => brokenBy(ground.world, one, session).length === 0) &&
    brokenBy(ground.world, rule, session).length === 0;
  session.drop();
  return mended;
};

/** Sees the rows that the rule speaks of: by their state where the tool can ask for it. */
const listTriggers = (ground: Ground, plan: Plan, { invariant: { trigger } }: Rule, row: Row, random: Rng): boolean => {
  const service = ground.world.services.get(trigger.service) as LoadedService;
  const spec = service.spec.tables[trigger.table] as Table;
  const state = spec.machine?.col ?? (spec.cols.status?.enum ? 'status' : undefined);
  for (const tool of random.shuffle(finders(ground.world, service, trigger.table))) {
    const equal = state ? filterFor(tool, state, ['eq']) : undefined;
    const among = state && !equal ? filterFor(tool, state, ['in']) : undefined;
    const value = state ? (row[state] ?? null) : null;
    const origin = { constant: 'what the rule speaks of' };
    const args: PlannedArg[] = [
      ...(equal ? [{ name: equal[0], value, origin }] : among ? [{ name: among[0], value: [value], origin }] : []),
      ...limitOf(tool),
    ];
    if (perform(plan, tool, args) && seenAt(plan, keyOf(service, spec, row)) !== undefined) return true;
  }
  return false;
};

/** From the rows that the rule speaks of to the one that breaks it, and to the one to be mended. */
const lookInto = (
  { ground, rule, trigger: at, culprits }: Violation,
  tool: NamedTool,
  row: Row,
  random: Rng,
): Plan | undefined => {
  const { trigger, target, key } = rule.invariant;
  const plan = startPlan(ground.fresh());
  const there = ground.world.services.get(target.service) as LoadedService;
  const by = { col: key.target, value: at[key.trigger] as string | number };
  const spec = tool.service.spec.tables[tool.tool.tool.table] as Table;
  const isOpen = listTriggers(ground, plan, rule, at, random);
  if (isOpen && !listBy(ground, plan, there, target.table, by, undefined, random)) {
    // The list may not have shown the shared key.
    const service = ground.world.services.get(trigger.service) as LoadedService;
    const getter = toolsOf(ground.world, service.id).find(
      ({ tool: { tool: one } }) => one.op === 'get' && one.table === trigger.table,
    );
    const name = getter ? keyArgOf(getter) : undefined;
    if (
      getter &&
      name &&
      perform(plan, getter, [
        { name, value: at[service.keys[trigger.table] as string] ?? null, origin: { observed: true } },
      ])
    )
      listBy(ground, plan, there, target.table, by, undefined, random);
  }
  if (isOpen && culprits.length <= 1 && seenAt(plan, keyOf(tool.service, spec, row)) !== undefined) return plan;
  dropPlan(plan);
  return undefined;
};

/** The same done to another row; and something else done to the row, after which the rule is still broken. */
const wrongWays = (violation: Violation, acting: Acting, row: Row, plan: Plan, random: Rng): Mutant[] => {
  const { ground } = violation;
  const { service, tool } = acting.tool;
  const table = tool.tool.table;
  const key = service.keys[table] as string;
  const lookups = plan.calls.slice(0, -1);
  const out: Mutant[] = [];
  const isAccepted = (call: ReturnType<typeof callOn>): boolean => {
    const session = ground.fresh();
    const { ok, entry } = session.call(call.tool, structuredClone(call.args));
    session.drop();
    return ok && entry.touched.length > 0;
  };
  for (const other of random.sample(ground.rows(service)(table), CHOICES)) {
    const call = callOn(acting, other[key] as string | number);
    if (other[key] === row[key] || !isAccepted(call)) continue;
    out.push({ kind: 'mends_other', what: `mends ${other[key]}`, calls: [...lookups, call], answer: acting.says });
    break;
  }
  const others = toolsOf(ground.world, service.id).filter(
    ({ tool: { tool: one } }) => one !== tool.tool && one.table === table && one.writes.length > 0,
  );
  for (const other of random.shuffle(others)) {
    const more = actingOn(ground, other, row, random, []);
    const call = more ? callOn(more, row[key] as string | number) : undefined;
    if (!call || isMended(violation, [call])) continue;
    out.push({ kind: 'still_broken', what: `calls ${call.tool}`, calls: [...lookups, call], answer: acting.says });
    break;
  }
  return out;
};

const word = ({ rule }: Violation, many: string, act: string, random: Rng): string => {
  const policy = `“${rule.policy.text}”`;
  return random.pick([
    `We have a rule: ${policy} One of our ${many} breaks it. Please find out which one and ${act}.`,
    `Our policy says: ${policy} At the moment one of our ${many} does not keep to it. Find it and ${act}, please.`,
    `The auditors tell us that one of our ${many} goes against this policy: ${policy} Can you find it and ${act}?`,
    `Something is wrong with one of our ${many}: it breaks the policy ${policy} Please find out which one it is and ${act}.`,
    `I have to put something right: one of our ${many} is not as this rule wants it: ${policy} Could you look for it and ${act}?`,
  ]);
};

/** Rules that a tool is meant to mend, and others that a verb of the row may mend. */
export const mendedBy = (world: Ground['world'], { service, tool }: NamedTool): Rule[] =>
  rulesOf(world).filter(({ invariant }) => invariant.repairedBy === `${service.id}.${tool.tool.id}`);

export const repair: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  let why = 'one more row cannot break the rule';
  for (const rule of random.shuffle(mendedBy(ground.world, tool))) {
    const violation = violate(ground, rule, random);
    if (!violation) continue;
    const { trigger, target } = rule.invariant;
    const isTarget = target.service === service.id && target.table === table;
    const row = isTarget
      ? violation.culprits[0]
      : trigger.service === service.id && trigger.table === table
        ? violation.trigger
        : undefined;
    const own = { ...tool, service: violation.ground.world.services.get(service.id) as LoadedService };
    const acting = row ? mending(violation.ground, own, rule, row, random) : undefined;
    const key = row?.[spec.key.col] as string | number;
    if (!row || !acting || !isMended(violation, [callOn(acting, key)])) {
      why = 'the tool does not mend it';
      violation.drop();
      continue;
    }
    const seen = lookInto(violation, own, row, random);
    const plan = seen ? revealAll(violation.ground, seen, acting.chosen, random) : undefined;
    if (!plan || !perform(plan, own, argsOn(acting, key))) {
      why = 'no look-up shows the record that breaks the rule';
      if (plan) dropPlan(plan);
      violation.drop();
      continue;
    }
    const request = word(violation, sayMany(spec), ofPronoun(acting.say('it'), 'it'), random);
    return {
      family: 'repair',
      template: `repair:${service.id}.${tool.tool.tool.id}.${rule.policy.id}`,
      service,
      persona: random.pick(PERSONAS),
      request,
      plain: { does: request, tail: '' },
      vague: `One of our ${sayMany(spec)} breaks one of our policies and has to be put right.`,
      facts: [rule.policy.text, ...factsOf(acting.chosen)],
      bindings: referBindings(acting.chosen),
      plan,
      says: `Done. The ${nounOf(spec)} that broke the rule has been put right.`,
      checks: [{ kind: 'invariant', id: 'rule', footprint: [], invariant: rule.invariant.id }],
      wrong: wrongWays(violation, acting, row, plan, random),
      isAlone: true,
      grounded: violation,
    };
  }
  return why;
};
