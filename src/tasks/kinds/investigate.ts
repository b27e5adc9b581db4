/** Finding out over several look-ups and services: which one it is and who sees to it, what somebody has on their desk, what else there is of one's. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Table } from '../../artifacts/table.js';
import type { Binding } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { bindingOf, type Candidate, type Family } from '../atomic/candidate.js';
import { type Descriptor, singleOut } from '../ground/descriptors.js';
import { type Ground, subjectRows } from '../ground/ground.js';
import { dropPlan, type NamedTool, startPlan } from '../ground/plan.js';
import { reveal } from '../ground/reveal.js';
import { sayLabel } from '../ground/say.js';
import type { Mutant } from '../mutants/mutant.js';
import { didOf, nounOf, roleOf, sayColumn, sayMany } from '../words/names.js';
import { isAdjective, sayRow } from '../words/rows.js';
import { isSayable } from '../words/sayable.js';
import { PERSONAS } from '../words/tone.js';
import { namesOf } from './aggregate.js';
import { listBy } from './listing.js';

const TRIES = 10;
const MOST_DISTRACTORS = 40;

type Made = Omit<Candidate, 'family' | 'service' | 'persona' | 'plain'>;

/** Columns of a table that hold somebody of the company, by a key of the directory. */
const peopleOf = (
  ground: Ground,
  service: LoadedService,
  table: string,
): { col: string; key: string; staff: LoadedService }[] =>
  Object.entries(service.spec.tables[table]?.cols ?? {}).flatMap(([col, { hidden }]) => {
    const to = hidden ? undefined : ground.linked(service.id, table, col);
    return to?.service.role === 'core' &&
      to.table === 'employee' &&
      !/^(email|work_email|employee_no|employee_email|full_name|name)$/.test(col)
      ? [{ col, key: to.col, staff: to.service }]
      : [];
  });

/** `Which invoice of customer Brandt is overdue, and who handles it?` */
const whichAndWho = (ground: Ground, tool: NamedTool, random: Rng): Made | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service)(table);
  const label = namesOf(spec, all);
  const people = peopleOf(ground, service, table);
  const states = Object.entries(spec.cols).filter(
    ([col, { enum: values }]) => values !== undefined && /^(status|state)$/.test(col),
  );
  const owners = Object.entries(spec.cols).filter(([, { fk, hidden }]) => fk !== undefined && fk !== table && !hidden);
  if (!label || people.length === 0 || states.length === 0 || owners.length === 0)
    return 'no state, owner and keeper in one table';
  for (const row of random.sample(subjectRows(ground, service, table), TRIES)) {
    const [state] = random.pick(states);
    const { col: who, key, staff } = random.pick(people);
    const [owner, ownerColumn] = random.pick(owners);
    const fk = ownerColumn.fk as string;
    const words = String(row[state] ?? '').replaceAll('_', ' ');
    if (!isAdjective(words) || !isSayable(label, row[label])) continue;
    const siblings = all.filter((other) => other[owner] === row[owner]);
    if (siblings.length < 2 || siblings.filter((other) => other[state] === row[state]).length !== 1) continue;
    const parentSpec = service.spec.tables[fk] as Table;
    const parent = ground
      .rows(service)(fk)
      .find((one) => one[parentSpec.key.col] === row[owner]);
    const parentLabel = parent ? sayLabel(parentSpec, parent) : undefined;
    const named = parent ? singleOut(ground, service, fk, parent, random, 'label') : undefined;
    const persons = ground.rows(staff)('employee');
    const person = persons.find((one) => one[key] === row[who]);
    const name = String(person?.name ?? '');
    if (
      !parent ||
      !parentLabel ||
      named?.length !== 1 ||
      !person ||
      persons.filter((one) => one.name === name).length !== 1
    )
      continue;
    const it = nounOf(spec);
    const owned = `${nounOf(parentSpec)} ${parentLabel}`;
    const isTo = /_by$/.test(who) ? `who ${didOf(who)} it` : `who the ${roleOf(who)} is`;
    const did = /_by$/.test(who) ? `who ${didOf(who)} it` : `who is the ${roleOf(who)}`;
    const request = random.pick([
      `One of the ${sayMany(spec)} of ${owned} is ${words}. Which one is it, and ${did}? I need the ${sayColumn(label)} and the full name.`,
      `${owned.charAt(0).toUpperCase()}${owned.slice(1)} has one ${words} ${it}. Please find out which one it is and ${isTo}: the ${sayColumn(label)} and the person's full name.`,
      `I am looking for the ${words} ${it} of ${owned}. Give me its ${sayColumn(label)}, and the full name of the person ${did}.`,
    ]);
    const expected = [String(row[label]), name];
    if (expected.some((one) => request.includes(one))) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, fk, parent, named);
    dropPlan(start);
    if (!plan) continue;
    const by = { col: owner, value: row[owner] as string | number };
    const isListed = listBy(ground, plan, service, table, by, { col: state, value: String(row[state]) }, random);
    const isFound =
      isListed &&
      listBy(ground, plan, staff, 'employee', { col: key, value: row[who] as string | number }, undefined, random);
    if (!isFound) {
      dropPlan(plan);
      continue;
    }
    const rivals = [...siblings.map((other) => String(other[label])), ...persons.map((one) => String(one.name))];
    const answer: AnswerSpec = {
      kind: 'text',
      asks: `which ${it} it is, and ${did}`,
      expected,
      distractors: [...new Set(rivals)]
        .filter((other) => !expected.includes(other) && !request.includes(other))
        .slice(0, MOST_DISTRACTORS),
    };
    const said: Descriptor[] = [
      { col: owner, value: row[owner] ?? null, words: parentLabel },
      { col: state, value: row[state] ?? null, words },
    ];
    const wrong: Mutant[] = expected.map((half) => ({
      kind: 'half_answer',
      what: `says only ${half}`,
      calls: plan.calls,
      answer: half,
    }));
    return {
      template: `investigation:${service.id}.${table}.which.${owner}+${state}.${who}`,
      request,
      vague: `I have a question about one of the ${sayMany(spec)} of one of our ${sayMany(parentSpec)}.`,
      facts: said.map(({ words: fact }) => fact),
      bindings: [
        bindingOf('subject', service, table, row[spec.key.col] as string | number, said),
        bindingOf('owner', service, fk, parent[parentSpec.key.col] as string | number, named),
      ],
      plan,
      answer,
      says: expected.join(', '),
      wrong,
    };
  }
  return 'no owner with one row in that state and a keeper who can be named';
};

/** What is asked of things: `open disputes`, `does Ana own`, `Ana owns`. */
interface Asking {
  many: string;
  direct: string;
  indirect: string;
}

/** How many rows there are, or which: over what was listed last. */
const overListed = (
  spec: Table,
  rows: readonly Row[],
  all: readonly Row[],
  { many, direct, indirect }: Asking,
  random: Rng,
): { what: string; request: string; answer: AnswerSpec; says: string } | undefined => {
  const label = namesOf(spec, all);
  const words = `${many} ${indirect}`;
  if (label && rows.length <= 5 && rows.every((row) => isSayable(label, row[label])) && random.chance(0.6)) {
    const expected = rows.map((row) => String(row[label]));
    const distractors = all
      .map((row) => String(row[label]))
      .filter((name) => !expected.includes(name) && !words.includes(name));
    const field = sayColumn(label);
    const request = random.pick([
      `Which ${many} ${direct}? Please list the ${field}s.`,
      `I need to know which ${words}; a list of the ${field}s will do.`,
      `Can you find out which ${words}? Just the ${field}s, please.`,
    ]);
    if (distractors.length === 0 || expected.some((name) => request.includes(name))) return undefined;
    const answer: AnswerSpec = {
      kind: 'list',
      asks: `which ${words}`,
      expected,
      distractors: distractors.slice(0, MOST_DISTRACTORS),
    };
    return { what: 'list', request, answer, says: expected.join(', ') };
  }
  const n = rows.length;
  if (n < 2 || new RegExp(`\\b${n}\\b`).test(words)) return undefined;
  const request = random.pick([
    `How many ${many} ${direct}?`,
    `Can you find out how many ${words}?`,
    `I need to know how many ${words}.`,
    `Quick question: how many ${many} ${direct}?`,
  ]);
  const distractors = [n - 1, n + 1, n + 2].filter((other) => other > 0 && !new RegExp(`\\b${other}\\b`).test(words));
  return {
    what: 'count',
    request,
    answer: { kind: 'number', asks: `how many ${words}`, expected: n, distractors },
    says: String(n),
  };
};

/** What somebody does with what is theirs, in a question and after one. */
const DEEDS: Record<string, readonly [string, string]> = {
  owner: ['does {} own', '{} owns'],
  manager: ['does {} manage', '{} manages'],
  lead: ['does {} lead', '{} leads'],
  author: ['did {} write', '{} wrote'],
  sender: ['did {} send', '{} sent'],
  handler: ['does {} handle', '{} handles'],
  organiser: ['did {} organise', '{} organised'],
  keeper: ['does {} keep', '{} keeps'],
};

const askingOf = (col: string, many: string, name: string): Asking => {
  if (/_by$/.test(col)) {
    const were = `were ${sayColumn(col).replace(/ by$/, '')} by ${name}`;
    return { many: `of the ${many}`, direct: were, indirect: were };
  }
  const role = roleOf(col);
  const [direct, indirect] = DEEDS[role] ?? [`is {} the ${role} of`, `{} is the ${role} of`];
  return { many, direct: direct.replace('{}', name), indirect: indirect.replace('{}', name) };
};

/** `How many open disputes is Ana Moreira handling?` */
const onTheirDesk = (ground: Ground, tool: NamedTool, random: Rng): Made | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const people = peopleOf(ground, service, table);
  if (people.length === 0) return 'the table names nobody of the company';
  const all = ground.rows(service)(table);
  for (const row of random.sample(subjectRows(ground, service, table), TRIES)) {
    const { col, key, staff } = random.pick(people);
    const person = ground
      .rows(staff)('employee')
      .find((one) => one[key] === row[col]);
    const named = person ? singleOut(ground, staff, 'employee', person, random, 'label') : undefined;
    if (!person || named?.length !== 1) continue;
    const state =
      spec.cols.status?.enum &&
      isAdjective(String(row.status).replaceAll('_', ' ')) &&
      // `approved clauses that were approved by` says it twice.
      !sayColumn(col).startsWith(String(row.status)) &&
      random.chance(0.7)
        ? String(row.status)
        : undefined;
    const rows = all.filter((other) => other[col] === row[col] && (state === undefined || other.status === state));
    if (rows.length < 2 || rows.length > 12) continue;
    const many = `${state ? `${state.replaceAll('_', ' ')} ` : ''}${sayMany(spec)}`;
    const name = String(person.name);
    const asked = overListed(spec, rows, all, askingOf(col, many, name), random);
    if (!asked) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal(
      { world: ground.world, known: ground, service: staff, random },
      start,
      'employee',
      person,
      named,
    );
    dropPlan(start);
    if (!plan) continue;
    const by = { col, value: row[col] as string | number };
    if (!listBy(ground, plan, service, table, by, state ? { col: 'status', value: state } : undefined, random)) {
      dropPlan(plan);
      continue;
    }
    return {
      template: `investigation:${service.id}.${table}.desk.${col}${state ? '+status' : ''}.${asked.what}`,
      request: asked.request,
      vague: `I have a question about what somebody of us has on their desk.`,
      facts: [name, ...(state ? [state.replaceAll('_', ' ')] : [])],
      bindings: [
        bindingOf('person', staff, 'employee', person[staff.keys.employee as string] as string | number, named),
      ],
      plan,
      answer: asked.answer,
      says: asked.says,
    };
  }
  return 'nobody with a few rows to their name that can be listed';
};

/** From a row over a key that two services share to what is kept of the same thing there: the invoices of the customer of a ticket. */
const elsewhere = (ground: Ground, tool: NamedTool, random: Rng): Made | string => {
  const { service } = tool;
  const table = tool.tool.tool.table;
  const spec = service.spec.tables[table] as Table;
  const links = Object.keys(spec.cols).flatMap((col) => {
    const to = ground.linked(service.id, table, col);
    return to && to.service !== service && to.service.role === 'domain' ? [{ ...to, col, key: to.col }] : [];
  });
  if (links.length === 0) return 'the table leads to no other service';
  for (const row of random.sample(subjectRows(ground, service, table), TRIES)) {
    const { col, key, service: there, table: target } = random.pick(links);
    const found = ground
      .rows(there)(target)
      .filter((one) => one[key] === row[col]);
    const [thing] = found;
    const targetSpec = there.spec.tables[target] as Table;
    const children = Object.entries(there.spec.tables).flatMap(([name, { cols }]) =>
      Object.entries(cols).flatMap(([own, { fk, hidden }]) =>
        fk === target && !hidden && name !== target ? [{ name, own }] : [],
      ),
    );
    const descriptors = singleOut(ground, service, table, row, random, random.chance(0.5) ? 'label' : 'around');
    if (
      found.length !== 1 ||
      !thing ||
      children.length === 0 ||
      !descriptors ||
      descriptors.some((one) => one.col === col)
    )
      continue;
    const child = random.pick(children);
    const childSpec = there.spec.tables[child.name] as Table;
    const all = ground.rows(there)(child.name);
    const thingKey = thing[targetSpec.key.col] as string | number;
    const own = all.filter((one) => one[child.own] === thingKey);
    const seed = own.length > 0 ? random.pick(own) : undefined;
    const state =
      seed && childSpec.cols.status?.enum && isAdjective(String(seed.status).replaceAll('_', ' ')) && random.chance(0.5)
        ? String(seed.status)
        : undefined;
    const rows = own.filter((one) => state === undefined || one.status === state);
    if (rows.length < 2 || rows.length > 12) continue;
    const role = sayColumn(col);
    const who =
      nounOf(targetSpec).includes(role) || /(number|sku|code|e-mail|plate|IBAN)/i.test(role)
        ? nounOf(targetSpec)
        : role;
    const many = `${state ? `${state.replaceAll('_', ' ')} ` : ''}${sayMany(childSpec)}`;
    const subject = sayRow(service, table, row, descriptors);
    const asked = overListed(
      childSpec,
      rows,
      all,
      { many, direct: `does the ${who} of ${subject} have`, indirect: `the ${who} of ${subject} has` },
      random,
    );
    if (!asked) continue;
    const start = startPlan(ground.fresh());
    const plan = reveal({ world: ground.world, known: ground, service, random }, start, table, row, descriptors);
    dropPlan(start);
    if (!plan) continue;
    const by = { col: key, value: row[col] as string | number };
    const isThere =
      listBy(ground, plan, there, target, by, undefined, random) &&
      listBy(
        ground,
        plan,
        there,
        child.name,
        { col: child.own, value: thingKey },
        state ? { col: 'status', value: state } : undefined,
        random,
      );
    if (!isThere) {
      dropPlan(plan);
      continue;
    }
    const bindings: Binding[] = [
      bindingOf('subject', service, table, row[spec.key.col] as string | number, descriptors),
    ];
    return {
      template: `investigation:${service.id}.${table}.elsewhere.${col}.${child.name}${state ? '+status' : ''}.${asked.what}`,
      request: asked.request,
      vague: `I have a question about what we have of the ${who} behind one of our ${sayMany(spec)}.`,
      facts: [...descriptors.map(({ words: fact }) => fact), ...(state ? [state.replaceAll('_', ' ')] : [])],
      bindings,
      plan,
      answer: asked.answer,
      says: asked.says,
    };
  }
  return 'no row leads to something of another service that has a few things of its own';
};

export const investigation: Family = (ground: Ground, tool: NamedTool, random: Rng): Candidate | string => {
  let why = '';
  for (const ask of [...random.shuffle([whichAndWho, elsewhere]), onTheirDesk]) {
    const made = ask(ground, tool, random);
    if (typeof made === 'string') {
      why = made;
      continue;
    }
    return {
      family: 'investigation',
      service: tool.service,
      persona: random.pick(PERSONAS),
      plain: { asks: made.request },
      ...(made.wrong ? { isAlone: true as const } : {}),
      ...made,
    };
  }
  return why;
};
