/** Brief to world, staged as the author stages it: the plan, each service's tables and actions, the rules, hints on the data. */
import { hintsPart } from '../../../author/model/parts/hints.js';
import type { ServiceWork } from '../../../author/model/spec/service.js';
import { compileAll } from '../../../author/model/spec/world.js';
import type { Certify } from '../../../author/model/types.js';
import { addressOf } from '../../../kit/hash.js';
import { seedWorld } from '../../../world/seed/seed.js';
import { type Asked, askExpert } from '../expert.js';
import { actionEntries, hintEntries } from '../notation/entries.js';
import { landsOn, withWork } from '../proof.js';
import { draftWith, passedOf } from '../settle.js';
import { actionsStage, bare, pairsOf, planStage, rulesStage, tablesStage } from '../stages.js';
import type { Blueprint, Sample } from '../types.js';

export type Making = { blueprint: Blueprint; seed: string; certify: Certify };

/** A sample that leads to the blueprint itself. */
export const sampleOf = (
  { blueprint, seed }: Making,
  kind: Sample['kind'],
  part: string,
  { messages, answer }: Asked,
): Sample => ({
  kind,
  part,
  messages,
  answer,
  seed,
  result: { address: blueprint.address, validators: blueprint.validators },
});

const plan = async (making: Making): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const stage = planStage(blueprint);
  const asked = await askExpert(stage.part, stage.answer);
  const services = stage.plan()?.services ?? [];
  const same = services.every(({ id, planned }, n) => {
    const work = blueprint.works[n];
    return work?.id === id && addressOf(planned) === addressOf(work.planned);
  });
  return asked.left.length === 0 && same ? sampleOf(making, 'brief', stage.part.id, asked) : undefined;
};

/** The service as its stages leave it, each a sample; undefined in place of one that does not hold. */
const service = async function* (making: Making, work: ServiceWork): AsyncGenerator<Sample> {
  const { blueprint } = making;
  const stage = tablesStage(blueprint, work);
  const asked = await askExpert(stage.part, stage.answer);
  const into: ServiceWork = { ...bare(work), tables: structuredClone(stage.into.tables) };
  const written: Sample[] = asked.left.length === 0 ? [sampleOf(making, 'brief', stage.part.id, asked)] : [];
  for (const names of pairsOf(work)) {
    const actions = actionsStage(blueprint, work, names, into);
    if (actionEntries(work, names).length === 0) continue;
    const said = await askExpert(actions.part, actions.answer);
    if (said.left.length === 0) written.push(sampleOf(making, 'brief', actions.part.id, said));
  }
  // All of its stages in place make the certified world again, or none of them is taught.
  if (landsOn(blueprint, withWork(blueprint, into), blueprint.rules)) yield* written;
};

const rules = async (making: Making): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const stage = rulesStage(blueprint, blueprint.rules);
  const asked = await askExpert(stage.part, stage.answer);
  const holds = asked.left.length === 0 && landsOn(blueprint, blueprint.works, stage.rules());
  return holds ? sampleOf(making, 'brief', stage.part.id, asked) : undefined;
};

/** Hints make another world; it is certified as a whole before any of them is taught. */
const data = async function* (making: Making): AsyncGenerator<Sample> {
  const { blueprint, certify, seed } = making;
  const { specs } = compileAll(blueprint.frame, blueprint.works, blueprint.setting);
  const { company, clock, links, invariants, services } = blueprint.draft;
  const { rows } = seedWorld(
    services.map(({ spec }) => spec),
    { company, clock, seed: blueprint.draft.seed, links, invariants },
  );
  const asked: { id: string; said: Asked }[] = [];
  const works: ServiceWork[] = [];
  for (const work of structuredClone(blueprint.works)) {
    const spec = specs.get(work.id);
    const entries = hintEntries(work, blueprint.hints);
    if (!spec || entries.length === 0) {
      works.push(work);
      continue;
    }
    const stage = hintsPart(work, spec, rows[work.id] ?? {});
    const said = await askExpert(stage.part, { tables: entries });
    if (said.left.length === 0) asked.push({ id: stage.part.id, said });
    works.push(said.left.length === 0 ? { ...work, tables: stage.tables() } : work);
  }
  if (asked.length === 0) return;
  try {
    const draft = draftWith(blueprint, works, blueprint.rules);
    const { world } = await certify(draft);
    if (!world?.pass) return;
    const result = { address: addressOf(draft), validators: passedOf(world) };
    for (const { id, said } of asked)
      yield { kind: 'brief', part: id, messages: said.messages, answer: said.answer, seed, result };
  } catch {
    // Hints that the seeder cannot follow are not taught.
  }
};

/** All stages of one world, in the author's order. */
export const briefSamples = async function* (making: Making): AsyncGenerator<Sample> {
  const first = await plan(making);
  if (first) yield first;
  for (const work of making.blueprint.works) yield* service(making, work);
  const last = await rules(making);
  if (last) yield last;
  yield* data(making);
};
