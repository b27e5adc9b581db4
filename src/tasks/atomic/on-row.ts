/** Changes of a row that is there: updates, and the domain's own verbs. */
import type { Table } from '../../artifacts/table.js';
import { participleOf } from '../../author/lexicon/participle.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { type Descriptor, modeFor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, type NamedTool, perform, startPlan } from '../ground/plan.js';
import { readyRows } from '../ground/ready.js';
import { neededColumns, reveal } from '../ground/reveal.js';
import { currencyOf, sayValue } from '../ground/say.js';
import { background } from '../words/context.js';
import { quoted } from '../words/grammar.js';
import { nounOf, roleOf, sayAsked, sayColumn } from '../words/names.js';
import { sayRow } from '../words/rows.js';
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
import { bindingOf, type Candidate, type Family } from './candidate.js';
import type { Chosen } from './values.js';

/** Rows worth acting on, with the words that single them out. */
const subjects = (
  ground: Ground,
  { service, tool }: NamedTool,
  table: string,
  random: Rng,
): { row: Row; descriptors: Descriptor[] }[] => {
  const must = neededColumns(ground.world, service, table);
  const out: { row: Row; descriptors: Descriptor[] }[] = [];
  for (const row of random.sample(readyRows(tool.tool, subjectRows(ground, service, table)), 24)) {
    const descriptors = singleOut(
      ground,
      service,
      table,
      row,
      random,
      modeFor(service.spec.tables[table] as Table, random),
      must,
    );
    if (descriptors) out.push({ row, descriptors });
    if (out.length >= TRIES) break;
  }
  return out;
};

/** Whether the call is accepted at all: asked of a fork, before any look-up is planned. */
export const accepts = (
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

/** States from which a thing does not move on: nobody corrects the price of a paid invoice. */
export const isOver = (spec: Table, row: Row): boolean => {
  const { machine } = spec;
  const state = machine ? String(row[machine.col] ?? '') : '';
  return machine !== undefined && !machine.moves.some(({ from }) => from.includes(state));
};

/** What a tool is asked to do with a row: with which values, and how that is said. */
export interface Wanted {
  family: 'update' | 'action' | 'delete';
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
  for (const { row, descriptors } of subjects(ground, tool, table, random)) {
    const chosen = wanted.choose(row);
    if (!chosen) {
      why = 'a required argument has no value that a person would choose';
      continue;
    }
    const key = row[spec.key.col] as string | number;
    // `change the keeper of the asset kept by ...` says the same thing twice.
    if (descriptors.some(({ col }) => chosen.some(({ name }) => name === col))) continue;
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
    if (wanted.family === 'update' && !leavesTrace(plan, chosen)) {
      dropPlan(plan);
      why = 'an argument that the tool takes and does not keep';
      continue;
    }
    const persona = random.pick(PERSONAS);
    const used = [...descriptors.map(({ col }) => col), ...chosen.map(({ name }) => name)];
    const imperative = wanted.say(sayRow(service, table, row, descriptors), chosen, row);
    const behind = background(service, table, row, used, ground.world.spec.clock, random, imperative);
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
      persona,
      request: requested(imperative, persona, random, behind),
      plain: { does: imperative, tail: behind },
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

const shown = ({ words, name, isText }: Chosen): string => (isText ? quoted(words, name) : words);

/** `mark the requester ... as VIP`; what is no quality is a setting. */
const sayMark = (subject: string, { name, words }: Chosen): string => {
  const mark = sayColumn(name);
  return /(VIP|ed|able|ible|al|ive|ary)$/.test(mark)
    ? `mark ${subject} as ${words === 'yes' ? '' : 'not '}${mark}`
    : `set “${mark}” to ${words} for ${subject}`;
};

/** A key of another service is not what is changed, but the thing that it stands for. */
const fieldOf = (spec: Table, { name, refers }: Chosen): string => {
  const target = refers?.service.spec.tables[refers.table];
  if (!refers || !target || !/(^|_)(no|sku|code|number)$/.test(name)) return sayAsked(spec, name);
  return `the ${refers.service.role === 'core' ? roleOf(name) : nounOf(target)}`;
};

/** `change the due date of invoice INV-1 from 3 May 2024 to 10 May 2024`, `mark the requester ... as VIP` */
const sayChange = (
  service: LoadedService,
  table: string,
  subject: string,
  chosen: readonly Chosen[],
  row: Row,
  random: Rng,
): string => {
  const spec = service.spec.tables[table] as Table;
  const [first, second] = chosen as [Chosen, Chosen | undefined];
  const column = spec.cols[first.name];
  if (column?.type === 'bool' && !second) return sayMark(subject, first);
  if (second)
    return `change ${fieldOf(spec, first)} of ${subject} to ${shown(first)}, and ${fieldOf(spec, second)} to ${shown(second)}`;
  const old =
    column && !first.refers && !first.isText
      ? sayValue(column, row[first.name], currencyOf(service.spec, spec, row))
      : undefined;
  const what = `${fieldOf(spec, first)} of ${subject}`;
  const ways = [
    `change ${what} to ${shown(first)}`,
    `set ${what} to ${shown(first)}`,
    `update ${what} to ${shown(first)}`,
  ];
  return old && random.chance(0.4) ? `change ${what} from ${old} to ${shown(first)}` : random.pick(ways);
};

const wantedUpdate = (ground: Ground, tool: NamedTool, random: Rng): Wanted => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { required, optional } = splitArgs(tool);
  const donors = ground.spare(service)(table);
  const open = [...required, ...optional].filter(
    ([name, arg]) => arg.type !== 'json' && (arg.col ?? name) !== spec.machine?.col,
  );
  const noun = nounOf(spec);
  return {
    family: 'update',
    choose: (row) => {
      const donor = donors.length > 0 ? random.pick(donors) : undefined;
      if (spec.machine && isOver(spec, row)) return undefined;
      const made = pickOptional(ground, service, table, open, random, random.chance(0.7) ? 1 : 2, {
        row,
        isChange: true,
        ...(donor ? { donor } : {}),
      });
      // A mark is set by itself.
      const marks = made.filter(({ name }) => spec.cols[name]?.type === 'bool');
      const asked = marks.length > 0 ? marks.slice(0, 1) : made;
      return asked.length > 0 && required.every(([name]) => asked.some(({ arg }) => arg.name === name))
        ? asked
        : undefined;
    },
    say: (subject, chosen, row) => sayChange(service, table, subject, chosen, row, random),
    vague: `One of our ${noun} records needs a change.`,
    says: `Done. The ${noun} has been changed.`,
  };
};

const wantedAction = (ground: Ground, tool: NamedTool, random: Rng): Wanted => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const { required, optional } = splitArgs(tool);
  const verb = tool.tool.tool.id.split('.')[1] ?? tool.tool.tool.id;
  const noun = nounOf(spec);
  const told = optional.filter(([, arg]) => arg.type === 'text' || arg.type === 'date' || arg.type === 'datetime');
  const donors = ground.spare(service)(table);
  return {
    family: tool.tool.tool.op === 'delete' ? 'delete' : 'action',
    choose: (row) => {
      // A name, a place or a crop that the row has not yet: as another row might have it.
      const from = { row, ...(donors.length > 0 ? { likeness: random.pick(donors) } : {}) };
      const must = pickRequired(ground, service, table, required, random, from);
      return must
        ? [...must, ...(random.chance(0.5) ? pickOptional(ground, service, table, told, random, 1, from) : [])]
        : undefined;
    },
    say: (subject, chosen) => sayAction(verb, subject, saidOf(chosen), random),
    vague: `One of our ${noun} records needs attention: ${wordsOf(verb).join(' ')}.`,
    says: verb.includes('_')
      ? `Done. The ${noun} is as you asked.`
      : `Done. The ${noun} has been ${participleOf(verb).replaceAll('_', ' ')}.`,
  };
};

/** What an update or a verb may be asked to do; undefined for a tool that acts on no row. */
export const wantedOf = (ground: Ground, tool: NamedTool, random: Rng): Wanted | undefined => {
  const { op, writes } = tool.tool.tool;
  if (splitArgs(tool).key === undefined || writes.length === 0) return undefined;
  return op === 'update'
    ? wantedUpdate(ground, tool, random)
    : op === 'action'
      ? wantedAction(ground, tool, random)
      : undefined;
};

export const update: Family = (ground, tool, random) => onRow(ground, tool, random, wantedUpdate(ground, tool, random));

export const action: Family = (ground, tool, random) => onRow(ground, tool, random, wantedAction(ground, tool, random));
