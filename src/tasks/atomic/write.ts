/** Writes: new things, changed things, and the domain's own verbs. */

import type { Table } from '../../artifacts/table.js';
import type { Binding } from '../../artifacts/task.js';
import type { Arg } from '../../artifacts/tool.js';
import { participleOf } from '../../author/lexicon/participle.js';
import type { Rng } from '../../kit/rng.js';
import { withArticle, wordsOf } from '../../kit/words.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { subjectArg } from '../../world/surface/subject.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { dropPlan, type NamedTool, type Plan, perform, startPlan } from '../ground/plan.js';
import { reveal } from '../ground/reveal.js';
import { nounOf, sayColumn } from '../ground/say.js';
import { bindingOf, type Candidate, type Family } from './candidate.js';
import { type Chosen, choose } from './values.js';
import { joined, polite, sayAction, sayAsked, sayRow } from './wording.js';

const TRIES = 10;
const STEERING = new Set(['limit', 'offset', 'page', 'cursor', 'sort']);

const splitArgs = (tool: NamedTool): { key?: string; required: [string, Arg][]; optional: [string, Arg][] } => {
  const args = Object.entries(tool.tool.tool.args).filter(([, arg]) => !STEERING.has(arg.role));
  const key = subjectArg(tool.tool.tool);
  const others = args.filter(([name]) => name !== key);
  return {
    ...(key ? { key } : {}),
    required: others.filter(([, arg]) => arg.required),
    optional: others.filter(([, arg]) => !arg.required),
  };
};

/** Extends the plan until every row the chosen arguments point to has been seen. */
const revealAll = (ground: Ground, plan: Plan, chosen: readonly Chosen[], random: Rng): Plan | undefined => {
  let at: Plan | undefined = plan;
  for (const { refers } of chosen) {
    if (!refers || !at) continue;
    const sight = { world: ground.world, known: ground, service: refers.service, random };
    const further: Plan | undefined = reveal(sight, at, refers.table, refers.row, refers.descriptors);
    dropPlan(at);
    at = further;
  }
  return at;
};

const referBindings = (chosen: readonly Chosen[]): Binding[] =>
  chosen.flatMap(({ refers, name }, index) => {
    const key = refers?.row[refers.service.keys[refers.table] ?? ''];
    return refers && key !== null && key !== undefined
      ? [bindingOf(`ref${index}_${name}`.slice(0, 60), refers.service, refers.table, key, refers.descriptors)]
      : [];
  });

const quote = (words: string, name: string): string =>
  /\s/.test(words) &&
  /reason|note|comment|cause|message|title|subject|summary|description|resolution|remark|body|text/.test(name)
    ? `“${words}”`
    : words;

/** `with due date 5 March 2024 and the note “call first”` */
const sayChosen = (chosen: readonly Chosen[]): string =>
  joined(chosen.map(({ name, words }) => `${sayColumn(name)} ${quote(words, name)}`));

const factsOf = (chosen: readonly Chosen[]): string[] =>
  chosen.filter(({ words }) => words !== '').map(({ name, words }) => `${sayColumn(name)}: ${words}`);

interface From {
  donor?: Row;
  row?: Row;
}

const sameTarget = (
  ground: Ground,
  service: LoadedService,
  table: string,
  col: string,
  refers: NonNullable<Chosen['refers']>,
): SqlValue | undefined => {
  const link = ground.linked(service.id, table, col);
  const cols = Object.keys(refers.service.spec.tables[refers.table]?.cols ?? {});
  const twin =
    link &&
    cols.find((other) => {
      const to = ground.linked(refers.service.id, refers.table, other);
      return to?.service === link.service && to.table === link.table && to.col === link.col;
    });
  return twin === undefined ? undefined : (refers.row[twin] ?? undefined);
};

/** A column that repeats what a chosen row already says (its employee's e-mail) takes that row's value and goes without saying. */
const repeated = (
  ground: Ground,
  service: LoadedService,
  table: string,
  name: string,
  arg: Arg,
  chosen: readonly Chosen[],
): Chosen | undefined => {
  const col = arg.col ?? name;
  for (const { refers } of chosen) {
    if (!refers || refers.service !== service) continue;
    const value = sameTarget(ground, service, table, col, refers);
    if (value !== undefined) return { arg: { name, value, origin: { observed: true } }, name: col, words: '' };
  }
  return undefined;
};

const pickOptional = (
  ground: Ground,
  service: LoadedService,
  table: string,
  open: [string, Arg][],
  random: Rng,
  most: number,
  from: From,
  chosen: readonly Chosen[] = [],
): Chosen[] => {
  const out: Chosen[] = [];
  for (const [name, arg] of random.shuffle(open)) {
    if (out.length >= most) break;
    if (repeated(ground, service, table, name, arg, [...chosen, ...out])) continue;
    const made = choose(ground, service, table, name, arg, random, from);
    if (made) out.push(made);
  }
  return out;
};

const pickRequired = (
  ground: Ground,
  service: LoadedService,
  table: string,
  needed: [string, Arg][],
  random: Rng,
  from: From,
): Chosen[] | undefined => {
  const out: Chosen[] = [];
  for (const [name, arg] of needed) {
    const made =
      repeated(ground, service, table, name, arg, out) ?? choose(ground, service, table, name, arg, random, from);
    if (!made) return undefined;
    out.push(made);
  }
  return out;
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
      const said = kind.includes(role) || role.includes(kind) ? `${kind} ${words}` : `${words} as ${role}`;
      return `${index === 0 ? 'for' : 'and'} ${said}`;
    });
    const head = random.pick([
      `create a new ${noun}`,
      `add ${withArticle(noun)}`,
      `set up a new ${noun}`,
      `enter a new ${noun}`,
    ]);
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

/** Rows worth acting on, with the words that single them out. */
const subjects = (
  ground: Ground,
  service: LoadedService,
  table: string,
  random: Rng,
): { row: Row; descriptors: Descriptor[] }[] => {
  const all = ground.rows(service);
  const out: { row: Row; descriptors: Descriptor[] }[] = [];
  for (const row of random.sample(all(table), 24)) {
    const descriptors = singleOut(ground, service, table, row, random, random.chance(0.45) ? 'label' : 'around');
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
