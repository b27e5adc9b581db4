/** Completion of a partial world: one table, one action or one rule is left out, and asked for with the rest in place. */
import type { ServiceWork } from '../../../author/model/spec/service.js';
import type { Issue } from '../../../author/model/types.js';
import { rng } from '../../../kit/rng.js';
import { askExpert } from '../expert.js';
import { actionEntry, tableEntry } from '../notation/entries.js';
import { landsOn, withWork } from '../proof.js';
import { actionsStage, rulesStage, tablesStage } from '../stages.js';
import type { Sample } from '../types.js';
import { type Making, sampleOf } from './brief.js';

export const without = (work: ServiceWork, table: string, verb?: string): ServiceWork => {
  const copy = { ...structuredClone(work), lost: [] };
  const own = copy.tables[table];
  if (verb === undefined) delete copy.tables[table];
  else if (own?.verbs) delete own.verbs[verb];
  return copy;
};

const table = async (making: Making, work: ServiceWork, name: string): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const whole = work.tables[name];
  if (!whole) return undefined;
  const stage = tablesStage(blueprint, work, without(work, name));
  const known = stage.part.read({ tables: [] });
  const asked = await askExpert(stage.part, { tables: [tableEntry(name, whole)] }, known);
  const { into } = stage;
  // Its actions are another stage; they are as they were.
  if (whole.verbs && into.tables[name]) into.tables[name] = { ...into.tables[name], verbs: whole.verbs };
  const holds = asked.left.length === 0 && landsOn(blueprint, withWork(blueprint, into), blueprint.rules);
  return holds ? sampleOf(making, 'completion', `table ${work.id}.${name}`, asked) : undefined;
};

const missingAction = (at: string, says: string): Issue => ({
  at,
  why: 'this action is missing.',
  ...(says ? { hint: `Write it: ${says}` } : { hint: 'Write it.' }),
});

const action = async (making: Making, work: ServiceWork, name: string, verb: string): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const draft = work.tables[name]?.verbs?.[verb];
  const entry = draft && actionEntry(name, verb, draft);
  if (!entry) return undefined;
  const stage = actionsStage(blueprint, work, [name], without(work, name, verb));
  const asked = await askExpert(stage.part, { actions: [entry] }, [missingAction(`${name}.${verb}`, entry.says)]);
  const holds = asked.left.length === 0 && landsOn(blueprint, withWork(blueprint, stage.into), blueprint.rules);
  return holds ? sampleOf(making, 'completion', `action ${work.id}.${name}.${verb}`, asked) : undefined;
};

const rule = async (making: Making, id: string): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const left = blueprint.rules.filter((one) => one.id !== id);
  const gone = blueprint.rules.find((one) => one.id === id);
  if (!gone) return undefined;
  const stage = rulesStage(blueprint, [gone], left);
  const known: Issue[] = [
    {
      at: 'rules',
      why: `there ${left.length === 1 ? 'is 1 sound rule' : `are ${left.length} sound rules`}; one is missing between ${gone.trigger.service}.${gone.trigger.table} and ${gone.target.service}.${gone.target.table}.`,
      hint: `Write it, beside: ${left.map(({ says }) => says).join(' ')}`.slice(0, 500),
    },
  ];
  const asked = await askExpert(stage.part, stage.answer, known);
  const holds = asked.left.length === 0 && landsOn(blueprint, blueprint.works, stage.rules());
  return holds ? sampleOf(making, 'completion', `rule ${id}`, asked) : undefined;
};

/** One after another in the seed's order, tables, actions and rules by turns. */
export const completionSamples = async function* (making: Making): AsyncGenerator<Sample> {
  const { blueprint, seed } = making;
  const draw = rng(seed, 'completion', blueprint.world.id);
  const tables = draw.shuffle(
    blueprint.works.flatMap((work) => Object.keys(work.tables).map((name) => () => table(making, work, name))),
  );
  const actions = draw.shuffle(
    blueprint.works.flatMap((work) =>
      Object.entries(work.tables).flatMap(([name, { verbs = {} }]) =>
        Object.keys(verbs).map((verb) => () => action(making, work, name, verb)),
      ),
    ),
  );
  const rules = draw.shuffle(
    blueprint.rules.map(
      ({ id }) =>
        () =>
          rule(making, id),
    ),
  );
  for (let n = 0; n < Math.max(tables.length, actions.length, rules.length); n++)
    for (const make of [tables[n], actions[n], rules[n]]) {
      const sample = await make?.();
      if (sample) yield sample;
    }
};
