/**
 * A scenario that somebody wrote or changed by hand, through everything that a made one went through. What is wrong is a finding
 * under the rule that it breaks, with the evidence; nothing is thrown.
 */
import type { Finding } from '../../artifacts/certificate.js';
import { parseArtifact } from '../../artifacts/registry.js';
import type { Path, Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import { asTreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { pathWords } from '../paths.js';
import { decideOn } from './accept.js';
import { failing } from './case.js';
import { decideOnSet } from './decide-set.js';
import { type Stage, tryOut } from './trial.js';

const refusal = (id: string, ...evidence: string[]): Finding[] => [{ id, pass: false, evidence }];

/** The file as a scenario, or what is wrong with it: another version, or no scenario at all. */
const read = (data: unknown): Scenario | Finding[] => {
  try {
    return parseArtifact('scenario', data, 'The scenario');
  } catch (thrown) {
    const error = asTreadleError(thrown, 'task');
    return refusal(error.code === 'other_version' ? 'version' : 'shape', error.line());
  }
};

/** Whether it was made for this task on this world, as they are now. */
const ofTask = ({ task, world }: Stage, scenario: Scenario): Finding => {
  const hash = addressOf(task);
  const wrong = [
    ...(scenario.task === hash
      ? []
      : [`it was made for task ${scenario.task.slice(0, 12)}, and ${task.id} is ${hash.slice(0, 12)}: make it again`]),
    ...(scenario.world === task.world
      ? []
      : [`it was made for world ${scenario.world.slice(0, 12)}, and this is ${task.world.slice(0, 12)}`]),
    ...(scenario.worldId === world.spec.id
      ? []
      : [`it names the world ${scenario.worldId}, and this is ${world.spec.id}`]),
  ];
  return {
    id: 'task',
    pass: wrong.length === 0,
    evidence: wrong.length > 0 ? wrong : [`of task ${hash.slice(0, 12)} as it is`],
  };
};

/** Tools that an event speaks of, as an agent calls them. */
const toolsOf = ({ when, effect, notify, reference }: ScenarioEvent): string[] => [
  ...('after' in when ? [when.after.tool] : []),
  ...('fault' in effect ? [effect.fault.tool] : []),
  ...(notify.discoverBy ?? []),
  ...[...reference.insert, ...(reference.late ?? [])].map(({ tool }) => tool),
];

const placesOf = ({ guard, reads, writes, effect }: ScenarioEvent): Path[] => [
  ...guard.map(({ path }) => path),
  ...reads,
  ...writes,
  ...('patch' in effect
    ? effect.patch.flatMap(({ service, table, where = {}, set = {} }) =>
        Object.keys({ ...where, ...set }).map((col) => ({ service, table, col })),
      )
    : []),
  ...('publish' in effect
    ? Object.keys(effect.publish.set).map((col) => ({
        service: effect.publish.service,
        table: effect.publish.table,
        col,
      }))
    : []),
];

const isPlace = ({ world }: Stage, { service, table, col }: Path): boolean => {
  const spec = world.services.get(service)?.spec.tables[table];
  return spec !== undefined && (col === undefined || spec.cols[col] !== undefined || spec.key.col === col);
};

/** Tools, places, checks and questions that events speak of and that are not there. */
const strayIn = (stage: Stage, { events, offersWait }: Scenario): string[] => {
  const { task, world } = stage;
  const offered = new Set(task.services);
  const isTool = (name: string): boolean => {
    const found = world.tools.get(name);
    return (found !== undefined && offered.has(found.service.id)) || (offersWait === true && name === 'wait');
  };
  const added = new Set(events.flatMap(({ checks }) => checks.add.map(({ id }) => id)));
  const checks = new Set(task.milestones.flatMap((milestone) => milestone.checks.map(({ id }) => id)));
  return events.flatMap((event) => {
    const { id } = event;
    const { retire, replace, add, answer } = event.checks;
    // An event may ask for an answer that nobody asked for before.
    const asks =
      answer === undefined ||
      add.some(({ kind }) => kind === 'answer') ||
      (answer.milestone === undefined
        ? task.answer !== undefined
        : task.milestones.some((one) => one.id === answer.milestone && one.answer));
    return [
      ...toolsOf(event)
        .filter((tool) => !isTool(tool))
        .map((tool) => `${id} needs the tool ${tool}, which the task does not have`),
      ...placesOf(event)
        .filter((place) => !isPlace(stage, place))
        .map((place) => `${id} speaks of ${pathWords(place)}, which the world does not have`),
      ...[...retire, ...replace.map((one) => one.id)]
        .filter((check) => !checks.has(check) && !added.has(check))
        .map((check) => `${id} revises the check ${check}, which the task does not have`),
      ...(asks ? [] : [`${id} changes the answer to something that is not asked`]),
    ];
  });
};

/** The reference that the file brings, carried out as it is written there. */
const ownReference = (stage: Stage, scenario: Scenario): Finding => {
  const trial = tryOut(stage, scenario, scenario.reference);
  const { pass } = trial.verdict;
  const evidence = pass
    ? `its reference passes: ${scenario.reference.calls.length} calls`
    : `the reference that it brings does not pass: ${failing(trial).slice(0, 2).join('; ')}`;
  trial.session.drop();
  return { id: 'reference', pass, evidence: [evidence] };
};

/**
 * All findings, the last of which fails where something is wrong: `version`, `shape`, `task`, `known` (tools, places and checks),
 * `graph`, one of the ten rules, or `reference`. `stage` is the task on its world with its own rows.
 */
export const checkScenario = (stage: Stage, data: unknown): Finding[] => {
  const scenario = read(data);
  if (Array.isArray(scenario)) return scenario;
  const task = ofTask(stage, scenario);
  if (!task.pass) return [task];
  const stray = strayIn(stage, scenario);
  if (stray.length > 0) return [task, ...refusal('known', ...stray)];
  const known: Finding = { id: 'known', pass: true, evidence: ['every tool, place, check and question is there'] };
  const { events, seed, offersWait } = scenario;
  const woven = { events, seed, ...(offersWait ? { offersWait } : {}) };
  const decision =
    events.length > 1 || events.some(({ needs, excludes }) => needs.length + excludes.length > 0)
      ? decideOnSet(stage, woven, () => false)
      : decideOn(stage, woven);
  if (!decision.accepted) return [task, known, ...decision.findings];
  return [task, known, ...decision.findings, ownReference(stage, scenario)];
};
