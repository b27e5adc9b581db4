/** Seeded corruptions of a certified world, each of a kind that a validator finds and a model writes. */
import type { Invariant } from '../../../artifacts/world.js';
import type { DraftTable, DraftVerb } from '../../../author/catalogue/archetype.js';
import type { ServiceWork } from '../../../author/model/spec/service.js';
import type { Rng } from '../../../kit/rng.js';
import type { Blueprint } from '../types.js';

/** What was broken: one table or action of a service, or one rule. */
export type Broken =
  | { name: string; service: string; table: string; verb?: string; work: ServiceWork }
  | { name: string; rule: string; rules: Invariant[] };

interface At {
  work: ServiceWork;
  table: string;
  verb: string;
  draft: DraftVerb;
  own: DraftTable;
}

const actionsOf = ({ works }: Blueprint): At[] =>
  works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([table, own]) =>
      Object.entries(own.verbs ?? {}).map(([verb, draft]) => ({ work, table, verb, draft, own })),
    ),
  );

const withVerb = ({ work, table, verb }: At, draft: DraftVerb): ServiceWork => {
  const copy = structuredClone(work);
  const own = copy.tables[table] as DraftTable;
  copy.tables[table] = { ...own, verbs: { ...own.verbs, [verb]: draft } };
  return copy;
};

/** An action corrupted where `change` knows how; the first of the drawn order. */
const anAction = (
  name: string,
  blueprint: Blueprint,
  draw: Rng,
  change: (at: At) => DraftVerb | undefined,
): Broken | undefined => {
  for (const at of draw.shuffle(actionsOf(blueprint))) {
    const draft = change(at);
    if (draft) return { name, service: at.work.id, table: at.table, verb: at.verb, work: withVerb(at, draft) };
  }
  return undefined;
};

const states = ({ own }: At): string[] => own.status?.split('|') ?? [];
const nullable = ({ own }: At, kind: RegExp): string | undefined =>
  Object.entries(own.cols).find(([, text]) => kind.test(text.split(' ')[0] ?? '') && !/ =\S/.test(text))?.[0];

/** It asks for one state and refuses all but another. */
const neverPossible = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  anAction('never_possible', blueprint, draw, (at) => {
    const other = states(at).find((state) => !at.draft.from?.includes(state));
    if (!at.draft.from?.length || !other) return undefined;
    const require: DraftVerb['require'] = [[`row.status == '${other}'`, 'not_allowed', 'That is not allowed now.']];
    return { ...at.draft, require };
  });

/** It compares a value that may be missing as if it never were. */
const missingValue = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  anAction('missing_value', blueprint, draw, (at) => {
    const col = nullable(at, /^(int|number|money|date|datetime)$/);
    if (!col) return undefined;
    return { ...at.draft, require: [[`row.${col} + 1 > 0`, 'not_allowed', 'That is not allowed now.']] };
  });

/** It wants an input that its own condition refuses. */
const refusedInput = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  anAction('refused_input', blueprint, draw, ({ draft }) => ({
    ...draft,
    args: { ...draft.args, pieces: 'int! >=10' },
    require: [...(draft.require ?? []), ['args.pieces < 5', 'too_many', 'Too many pieces.']],
  }));

/** It makes a row elsewhere and leaves out a column that must be given. */
const incompleteRow = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  anAction('incomplete_row', blueprint, draw, (at) => {
    const after = structuredClone(at.draft.after ?? []);
    const insert = after.flatMap((step) => ('insert' in step ? [step.insert] : []))[0];
    const cols = at.work.tables[insert?.table ?? '']?.cols ?? {};
    const must = Object.keys(insert?.set ?? {}).find((col) => /^\w+!/.test(cols[col] ?? ''));
    if (!insert || !must) return undefined;
    delete insert.set[must];
    return { ...at.draft, after };
  });

/** A check that no row can meet. */
const impossibleCheck = ({ works }: Blueprint, draw: Rng): Broken | undefined => {
  const places = works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([table, { cols }]) =>
      Object.entries(cols).flatMap(([col, text]) => (/^(int|money|number)!/.test(text) ? [{ work, table, col }] : [])),
    ),
  );
  if (places.length === 0) return undefined;
  const { work, table, col } = draw.pick(places);
  const copy = structuredClone(work);
  const own = copy.tables[table] as DraftTable;
  copy.tables[table] = { ...own, check: [...(own.check ?? []), `${col} < 0 and ${col} > 0`] };
  return { name: 'impossible_check', service: work.id, table, work: copy };
};

/** A number that may lie nowhere. */
const emptyRange = ({ works }: Blueprint, draw: Rng): Broken | undefined => {
  const places = works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([table, { cols }]) =>
      Object.entries(cols).flatMap(([col, text]) => (/^(int|money)!/.test(text) ? [{ work, table, col }] : [])),
    ),
  );
  if (places.length === 0) return undefined;
  const { work, table, col } = draw.pick(places);
  const copy = structuredClone(work);
  const own = copy.tables[table] as DraftTable;
  const kind = own.cols[col]?.split(' ')[0] ?? '';
  copy.tables[table] = { ...own, cols: { ...own.cols, [col]: `${kind} >=1000 <=10` } };
  return { name: 'empty_range', service: work.id, table, work: copy };
};

const aRule = (
  name: string,
  { rules }: Blueprint,
  draw: Rng,
  change: (rule: Invariant) => Invariant | undefined,
): Broken | undefined => {
  for (const rule of draw.shuffle(rules)) {
    const changed = change(rule);
    if (changed) return { name, rule: rule.id, rules: rules.map((one) => (one.id === rule.id ? changed : one)) };
  }
  return undefined;
};

/** The failure that AgentMercury found most often: trigger and target in one service. */
const oneService = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  aRule('one_service', blueprint, draw, (rule) => {
    const work = blueprint.works.find(({ id }) => id === rule.trigger.service);
    const col = rule.key.trigger;
    const other = Object.entries(work?.tables ?? {}).find(
      ([name, { cols }]) => name !== rule.trigger.table && Object.hasOwn(cols, col),
    )?.[0];
    const table = other ?? (work ? rule.trigger.table : undefined);
    if (!table) return undefined;
    const where = `x.${col} is not null`;
    return {
      ...rule,
      target: { ...rule.target, service: rule.trigger.service, table, where },
      key: { trigger: col, target: col },
    };
  });

/** No row can ever be meant. */
const neverTriggered = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  aRule('never_triggered', blueprint, draw, (rule) => ({
    ...rule,
    trigger: { ...rule.trigger, where: `(${rule.trigger.where}) and t.${rule.key.trigger} is null` },
  }));

/** No row can ever do what it asks for. */
const neverMet = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  aRule('never_met', blueprint, draw, (rule) => ({
    ...rule,
    target: { ...rule.target, expect: 'at_least_one', where: `(${rule.target.where}) and x.id is null` },
  }));

/** No row can ever do what it forbids. */
const neverBroken = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  aRule('never_broken', blueprint, draw, (rule) => ({
    ...rule,
    target: { ...rule.target, expect: 'none', where: `(${rule.target.where}) and x.id is null` },
  }));

/** Demands what it should forbid, or the other way round. */
const turnedRound = (blueprint: Blueprint, draw: Rng): Broken | undefined =>
  aRule('turned_round', blueprint, draw, (rule) => ({
    ...rule,
    target: { ...rule.target, expect: rule.target.expect === 'none' ? 'at_least_one' : 'none' },
  }));

/** Every corruption; one that a world has no place for gives undefined. */
export const CORRUPTIONS: readonly ((blueprint: Blueprint, draw: Rng) => Broken | undefined)[] = [
  neverPossible,
  refusedInput,
  missingValue,
  incompleteRow,
  impossibleCheck,
  emptyRange,
  oneService,
  neverTriggered,
  neverMet,
  neverBroken,
  turnedRound,
];
