/** Intent to diff: a change in the words of who wants it, and the diff of the notation; the changed world is certified. */
import type { Invariant } from '../../../artifacts/world.js';
import type { DraftTable } from '../../../author/catalogue/archetype.js';
import type { ServiceWork } from '../../../author/model/spec/service.js';
import { addressOf } from '../../../kit/hash.js';
import { type Rng, rng } from '../../../kit/rng.js';
import { plural } from '../../../kit/words.js';
import { changeMessages, type Operation, putInPlace } from '../change.js';
import { type ActionEntry, actionEntry, ruleEntry, tableEntry } from '../notation/entries.js';
import { landsOn, ordered, withWork } from '../proof.js';
import { draftWith, passedOf } from '../settle.js';
import type { Sample } from '../types.js';
import type { Making } from './brief.js';
import { without } from './completion.js';

const spaced = (name: string): string => name.replaceAll('_', ' ');
const nounOf = (name: string, table: DraftTable): string => table.noun ?? spaced(name);

/** `In the lending desk we want to renew a loan. ...`: what the entry says, in words. */
const actionRequest = (work: ServiceWork, table: DraftTable, entry: ActionEntry, draw: Rng): string => {
  const noun = nounOf(entry.table, table);
  const opening = draw.pick([
    `In ${work.title} our people must be able to "${spaced(entry.action)}" a ${noun}.`,
    `Please add to ${work.title}: ${spaced(entry.action)} (${noun}).`,
    `We miss something in ${work.title}. It has to be possible to ${spaced(entry.action)} a ${noun}.`,
  ]);
  const parts = [
    entry.says,
    entry.from ? `It is only possible while the ${noun} is ${entry.from.map(spaced).join(' or ')}.` : '',
    entry.to ? `Afterwards it is ${spaced(entry.to)}.` : '',
    entry.writes
      ? `Whoever does it gives: ${entry.writes.map((one) => `${spaced(one.replace('!', ''))}${one.endsWith('!') ? ' (always)' : ''}`).join(', ')}.`
      : '',
    entry.inputs ? `It also takes ${entry.inputs.join('; ')}.` : '',
    ...(entry.require ?? []).map(({ that, message }) => `Refuse it unless ${that} ("${message}").`),
    entry.set ? `It sets ${entry.set.join(', ')}.` : '',
    ...(entry.insert ?? []).map((one) => `It makes a ${spaced(one.table)}: ${one.set.join(', ')}.`),
    ...(entry.update ?? []).map((one) => `It changes the ${spaced(one.table)} of ${one.id}: ${one.set.join(', ')}.`),
  ];
  return [opening, ...parts].filter(Boolean).join(' ');
};

interface Draft {
  part: string;
  request: string;
  before: ServiceWork[];
  rules: readonly Invariant[];
  diff: Operation[];
}

/** Checks that the written diff leads from the world before to the blueprint, which certified. */
const towards = async ({ blueprint, seed }: Making, draft: Draft): Promise<Sample | undefined> => {
  const answer = JSON.stringify({ diff: draft.diff });
  const after = await putInPlace({ ...blueprint, works: draft.before }, draft.rules, answer);
  if (!after || !landsOn(blueprint, after.works, after.rules)) return undefined;
  const { address, validators } = blueprint;
  return {
    kind: 'diff',
    part: draft.part,
    messages: changeMessages(draft.before, draft.rules, draft.request),
    answer,
    seed,
    result: { address, validators },
  };
};

/** Checks that the diff leads from the blueprint to a world that is certified now. */
const away = async ({ blueprint, seed, certify }: Making, draft: Draft): Promise<Sample | undefined> => {
  const answer = JSON.stringify({ diff: draft.diff });
  const after = await putInPlace(blueprint, blueprint.rules, answer);
  if (!after) return undefined;
  try {
    const works = after.works.map((work, n) => ordered(work, blueprint.works[n] as ServiceWork));
    const changed = draftWith(blueprint, works, after.rules);
    const { world } = await certify(changed);
    if (!world?.pass) return undefined;
    const result = { address: addressOf(changed), validators: passedOf(world) };
    const messages = changeMessages(draft.before, draft.rules, draft.request);
    return { kind: 'diff', part: draft.part, messages, answer, seed, result };
  } catch {
    return undefined;
  }
};

type Make = () => Promise<Sample | undefined>;

const addActions = (making: Making, draw: Rng): Make[] =>
  making.blueprint.works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([name, table]) =>
      Object.entries(table.verbs ?? {}).flatMap(([verb, draft]): Make[] => {
        const action = actionEntry(name, verb, draft);
        if (!action) return [];
        const path = `${work.id}.${name}.${verb}`;
        const { blueprint } = making;
        // Rules that live by the action come after it.
        const rules = blueprint.rules;
        if (rules.some((rule) => rule.violatedBy === path || rule.repairedBy === path)) return [];
        return [
          () =>
            towards(making, {
              part: `add action ${path}`,
              request: actionRequest(work, table, action, draw.stream(path)),
              before: withWork(blueprint, without(work, name, verb)),
              rules,
              diff: [{ add: 'action', at: work.id, action }],
            }),
        ];
      }),
    ),
  );

const speaks = (what: unknown, col: string): boolean => new RegExp(`\\b${col}\\b`).test(JSON.stringify(what));

/** Columns that nothing else speaks of. */
const freeColumns = ({ blueprint }: Making): { work: ServiceWork; name: string; table: DraftTable; col: string }[] =>
  blueprint.works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([name, table]) =>
      Object.keys(table.cols).flatMap((col) => {
        const text = table.cols[col] ?? '';
        const others = [table.verbs, table.check, table.search, blueprint.rules, blueprint.shared];
        const isFree = !/^(no|fk|ref|emp|empno)\b/.test(text) && Object.keys(table.cols).length > 3;
        const within = Object.values(work.tables).some((one) => one !== table && speaks(one.verbs ?? {}, col));
        return isFree && !within && !others.some((one) => speaks(one ?? '', col)) ? [{ work, name, table, col }] : [];
      }),
    ),
  );

const columnWords = (text: string): string =>
  text
    .replace(/^(\w+)!/, '$1, always given')
    .replace(/ =(\S+)/, ', $1 unless said otherwise')
    .replace(/ >=(\S+)/, ', at least $1')
    .replace(/ <=(\S+)/, ', at most $1')
    .replace(/ len=(\d+)/, ', at most $1 characters')
    .replace(/ unique/, ', no two the same')
    .replace(/ @/, ', written by actions only');

const addColumns = (making: Making, draw: Rng): Make[] =>
  freeColumns(making).map(({ work, name, table, col }) => () => {
    const before = structuredClone(work);
    const text = table.cols[col] ?? '';
    delete before.tables[name]?.cols[col];
    const noun = nounOf(name, table);
    const request = draw
      .stream(`${name}.${col}`)
      .pick([
        `${work.title} should also keep the ${spaced(col)} of each ${noun}: ${columnWords(text)}.`,
        `Please add "${spaced(col)}" to ${plural(noun)} in ${work.title} (${columnWords(text)}).`,
      ]);
    return towards(making, {
      part: `add column ${work.id}.${name}.${col}`,
      request,
      before: withWork(making.blueprint, before),
      rules: making.blueprint.rules,
      diff: [{ add: 'column', at: `${work.id}.${name}`, column: `${col}: ${text}` }],
    });
  });

const addTables = (making: Making): Make[] =>
  making.blueprint.works.flatMap((work) =>
    Object.entries(work.tables).flatMap(([name, table]): Make[] => {
      const { blueprint } = making;
      const others = Object.entries(work.tables).filter(([other]) => other !== name);
      const isNeeded = speaks([blueprint.rules, blueprint.shared], name) || others.some(([, one]) => speaks(one, name));
      if (isNeeded || others.length < 2) return [];
      const actions = Object.entries(table.verbs ?? {}).flatMap(
        ([verb, draft]) => actionEntry(name, verb, draft) ?? [],
      );
      const noun = nounOf(name, table);
      const diff: Operation[] = [
        { add: 'table', at: work.id, table: tableEntry(name, table) },
        ...actions.map((action): Operation => ({ add: 'action', at: work.id, action })),
      ];
      const cols = Object.entries(table.cols).map(([col, text]) => `${spaced(col)} (${columnWords(text)})`);
      const does = actions.map((one) => actionRequest(work, table, one, rng(making.seed, 'words', name)));
      const states = table.status ? ` It is ${spaced(table.status).replaceAll('|', ', then ')}.` : '';
      return [
        () =>
          towards(making, {
            part: `add table ${work.id}.${name}`,
            request: `${work.title} needs ${plural(noun)} too. ${table.about ?? ''} Keep of each: ${cols.join('; ')}.${states} ${does.join(' ')}`,
            before: withWork(blueprint, without(work, name)),
            rules: blueprint.rules,
            diff,
          }),
      ];
    }),
  );

const addRules = (making: Making): Make[] =>
  making.blueprint.rules.map((rule) => () => {
    const { blueprint } = making;
    return towards(making, {
      part: `add rule ${rule.id}`,
      request: `From now on this holds: ${rule.says} It can go wrong by ${rule.violatedBy}, and is put right by ${rule.repairedBy}.`,
      before: blueprint.works,
      rules: blueprint.rules.filter(({ id }) => id !== rule.id),
      diff: [{ add: 'rule', rule: ruleEntry(rule) }],
    });
  });

const dropColumns = (making: Making): Make[] =>
  freeColumns(making).map(({ work, name, table, col }) => () => {
    const { blueprint } = making;
    const path = `${work.id}.${name}.${col}`;
    return away(making, {
      part: `drop column ${path}`,
      request: `Nobody uses the ${spaced(col)} of a ${nounOf(name, table)} in ${work.title} any more. Take it out.`,
      before: blueprint.works,
      rules: blueprint.rules,
      diff: [{ drop: path }],
    });
  });

/** One after another in the seed's order, the kinds of change by turns; one change in six takes something away. */
export const diffSamples = async function* (making: Making): AsyncGenerator<Sample> {
  const draw = rng(making.seed, 'diff', making.blueprint.world.id);
  const adding = [addActions(making, draw), addColumns(making, draw), addTables(making), addRules(making)].map((list) =>
    draw.shuffle(list),
  );
  const dropping = draw.shuffle(dropColumns(making));
  const most = Math.max(...adding.map(({ length }) => length));
  for (let n = 0; n < most; n++)
    for (const make of [...adding.map((list) => list[n]), dropping[n]]) {
      const sample = await make?.();
      if (sample) yield sample;
    }
};
