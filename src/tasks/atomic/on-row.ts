/** Changes of a row that is there: updates, and the domain's own verbs. */
import type { Table } from '../../artifacts/table.js';
import { participleOf } from '../../author/lexicon/participle.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, startPlan } from '../ground/plan.js';
import { neededColumns, reveal } from '../ground/reveal.js';
import { nounOf, sayColumn } from '../ground/say.js';
import { factsOf, pickOptional, pickRequired, quote, referBindings, revealAll, splitArgs, TRIES } from './arguments.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import type { Chosen } from './values.js';
import { joined, polite, sayAction, sayAsked, sayRow } from './wording.js';

/** Rows worth acting on, with the words that single them out. */
const subjects = (
  ground: Ground,
  service: LoadedService,
  table: string,
  random: Rng,
): { row: Row; descriptors: Descriptor[] }[] => {
  const all = ground.rows(service);
  const must = neededColumns(ground.world, service, table);
  const out: { row: Row; descriptors: Descriptor[] }[] = [];
  for (const row of random.sample(all(table), 24)) {
    const descriptors = singleOut(ground, service, table, row, random, random.chance(0.45) ? 'label' : 'around', must);
    if (descriptors) out.push({ row, descriptors });
    if (out.length >= TRIES) break;
  }
  return out;
};

/** Whether the call is accepted at all: asked of a fork, before any look-up is planned. */
const accepts = (
  ground: Ground,
  tool: NamedTool,
  table: string,
  key: string | number,
  keyArg: string,
  chosen: readonly Chosen[],
): boolean => {
  const probe = startPlan(ground.fresh());
  const spec = tool.service.spec.tables[table] as Table;
  const ok = perform(probe, tool, [
    { name: keyArg, value: key, origin: { constant: 'probe' } },
    ...chosen.map(({ arg }) => ({ ...arg, origin: { constant: 'probe' } })),
  ]);
  const wrote =
    ok &&
    probe.session.ledger
      .at(-1)
      ?.touched.some(
        (touch) => touch.table === table || spec.cols[touch.table] !== undefined || touch.service === tool.service.id,
      );
  dropPlan(probe);
  return wrote === true;
};

interface Wanted {
  family: 'update' | 'action';
  choose(row: Row): Chosen[] | undefined;
  say(subject: string, chosen: readonly Chosen[], row: Row): string;
  vague: string;
  says: string;
}

const onRow = (ground: Ground, tool: NamedTool, random: Rng, wanted: Wanted): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { key: keyArg } = splitArgs(tool);
  if (!keyArg) return 'the tool names no row';
  let why = 'no row on which the tool may act';
  for (const { row, descriptors } of subjects(ground, service, table, random)) {
    const chosen = wanted.choose(row);
    if (!chosen) {
      why = 'a required argument has no value that a person would choose';
      continue;
    }
    const key = row[spec.key.col] as string | number;
    if (!accepts(ground, tool, table, key, keyArg, chosen)) continue;
    const sight = { world: ground.world, known: ground, service, random };
    const start = startPlan(ground.fresh());
    const seen = reveal(sight, start, table, row, descriptors);
    const otherPath = seen ? reveal(sight, start, table, row, descriptors, 1) : undefined;
    dropPlan(start);
    const plan = seen ? revealAll(ground, seen, chosen, random) : undefined;
    if (!plan) {
      why = 'no look-up shows the row';
      continue;
    }
    if (
      !perform(plan, tool, [{ name: keyArg, value: key, origin: { observed: true } }, ...chosen.map(({ arg }) => arg)])
    ) {
      dropPlan(plan);
      continue;
    }
    return {
      family: wanted.family,
      template: `${wanted.family}:${service.id}.${tool.tool.tool.id}${
        wanted.family === 'update'
          ? `.${chosen
              .map(({ name }) => name)
              .sort()
              .join('+')}`
          : ''
      }`,
      service,
      request: polite(wanted.say(sayRow(service, table, row, descriptors), chosen, row), random),
      vague: wanted.vague,
      facts: [...descriptors.map(({ words }) => words), ...factsOf(chosen)],
      bindings: [bindingOf('subject', service, table, key, descriptors), ...referBindings(chosen)],
      plan,
      says: wanted.says,
      ...(otherPath ? { otherPath } : {}),
    };
  }
  return why;
};

export const update: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { required, optional } = splitArgs(tool);
  const donors = ground.spare(service)(table);
  const open = [...required, ...optional].filter(
    ([name, arg]) => arg.type !== 'json' && (arg.col ?? name) !== spec.machine?.col,
  );
  const noun = nounOf(spec);
  return onRow(ground, tool, random, {
    family: 'update',
    choose: (row) => {
      const donor = donors.length > 0 ? random.pick(donors) : undefined;
      const made = pickOptional(ground, service, table, open, random, random.chance(0.7) ? 1 : 2, {
        row,
        ...(donor ? { donor } : {}),
      });
      return made.length > 0 && required.every(([name]) => made.some(({ arg }) => arg.name === name))
        ? made
        : undefined;
    },
    say: (subject, chosen) => {
      const [first, second] = chosen;
      const change = (one: Chosen): string => `${sayAsked(spec, one.name)}`;
      const to = (one: Chosen): string => `to ${quote(one.words, one.name)}`;
      return second && first
        ? `change ${change(first)} of ${subject} ${to(first)}, and ${change(second)} ${to(second)}`
        : random.pick([
            `change ${change(first as Chosen)} of ${subject} ${to(first as Chosen)}`,
            `set ${change(first as Chosen)} of ${subject} ${to(first as Chosen)}`,
          ]);
    },
    vague: `One of our ${noun} records needs a change.`,
    says: `Done. The ${noun} has been changed.`,
  });
};

const REASON = /^(reason|cause|.*_reason)$/;
const NOTE = /^(note|notes|comment|remark|message)$/;

/** An action's arguments as they go into the sentence: to whom, why, with what. */
const sayArguments = (chosen: readonly Chosen[]): string => {
  const out: string[] = [];
  for (const { name, words, refers } of chosen) {
    if (words === '') continue;
    if (refers && /assign|owner|agent|target|to_|new_|location|member|technician|approver/.test(name))
      out.push(`to ${words}`);
    else if (refers) out.push(`with ${sayColumn(name)} ${words}`);
    else if (REASON.test(name)) out.push(`giving “${words}” as the ${/cause/.test(name) ? sayColumn(name) : 'reason'}`);
    else if (NOTE.test(name)) out.push(`with the ${sayColumn(name)} “${words}”`);
    else out.push(`with ${sayColumn(name)} ${quote(words, name)}`);
  }
  return out.length > 0 ? ` ${joined(out)}` : '';
};

export const action: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { required, optional } = splitArgs(tool);
  const verb = tool.tool.tool.id.split('.')[1] ?? tool.tool.tool.id;
  const noun = nounOf(spec);
  const told = optional.filter(([, arg]) => arg.type === 'text' || arg.type === 'date' || arg.type === 'datetime');
  return onRow(ground, tool, random, {
    family: 'action',
    choose: (row) => {
      const must = pickRequired(ground, service, table, required, random, { row });
      return must
        ? [...must, ...(random.chance(0.5) ? pickOptional(ground, service, table, told, random, 1, { row }) : [])]
        : undefined;
    },
    say: (subject, chosen) => sayAction(verb, subject) + sayArguments(chosen),
    vague: `One of our ${noun} records needs attention: ${wordsOf(verb).join(' ')}.`,
    says: verb.includes('_')
      ? `Done. The ${noun} is as you asked.`
      : `Done. The ${noun} has been ${participleOf(verb)}.`,
  });
};
