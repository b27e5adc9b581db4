/** Scenarios for servers: what `serve` is given to weave them into sessions and to judge those by what fired. */
import type { Scenario, ScenarioEvent } from '../artifacts/scenario.js';
import { TreadleError } from '../errors.js';
import type { CheckRevision } from '../serve/api.js';
import type { Loom, Weaver } from '../serve/sessions/weaver.js';
import { EventEngine } from './engine/engine.js';
import { realisedOf, rewoven } from './played.js';
import type { Realised } from './verifier/revise.js';

const unknownTool = (scenario: string, event: string, tool: string): TreadleError =>
  new TreadleError({
    code: 'unknown_tool',
    message: `Event ${event} of scenario ${scenario} speaks of a tool that the world lacks`,
    value: tool,
    next: 'Name a tool as agents call it; treadle show CORPUS WORLD lists them.',
  });

const unknownCheck = (scenario: string, event: string, check: string, known: Iterable<string>): TreadleError =>
  new TreadleError({
    code: 'unknown_check',
    message: `Event ${event} of scenario ${scenario} revises a check that the task lacks`,
    value: check,
    next: `It has ${[...known].join(', ')}.`,
  });

const unasked = (scenario: string, event: string, milestone: string): TreadleError =>
  new TreadleError({
    code: 'unknown_check',
    message: `Event ${event} of scenario ${scenario} changes the answer to something that is not asked`,
    value: milestone,
    next: 'Name a milestone of the task that asks something.',
  });

/** An event may ask something that the task did not, where it speaks of the whole task. */
const isAsked = ({ checks: { answer } }: ScenarioEvent, { milestones }: Loom['judged']): boolean =>
  answer?.milestone === undefined || milestones.some((one) => one.id === answer.milestone && one.answer !== undefined);

/** What no session could make up for: an event that waits for a tool that is not there, or revises a check that is not. */
const checkAgainst = ({ id, events, offersWait }: Scenario, { judged, tools }: Loom): void => {
  if (offersWait && tools.has('wait'))
    throw new TreadleError({
      code: 'tool_taken',
      message: `Scenario ${id} offers wait, and the world has a tool of that name`,
      value: 'wait',
      next: 'Leave offersWait out of the scenario.',
    });
  // An event may revise what another one added.
  const checks = new Set([
    ...judged.milestones.flatMap((milestone) => milestone.checks.map((check) => check.id)),
    ...events.flatMap((event) => event.checks.add.map((check) => check.id)),
  ]);
  for (const event of events) {
    const waitsFor = 'after' in event.when ? event.when.after.tool : undefined;
    const breaks = 'fault' in event.effect ? event.effect.fault.tool : undefined;
    const isKnown = (tool: string): boolean => tools.has(tool) || (offersWait === true && tool === 'wait');
    if (waitsFor !== undefined && !isKnown(waitsFor)) throw unknownTool(id, event.id, waitsFor);
    if (breaks !== undefined && !tools.has(breaks)) throw unknownTool(id, event.id, breaks);
    const { retire, replace } = event.checks;
    const stray = [...retire, ...replace.map((one) => one.id)].find((check) => !checks.has(check));
    if (stray !== undefined) throw unknownCheck(id, event.id, stray, checks);
    if (!isAsked(event, judged)) throw unasked(id, event.id, event.checks.answer?.milestone ?? '');
  }
};

const revisionOf = ({ event: { id, checks }, touched }: Realised): CheckRevision => ({
  event: id,
  retired: checks.retire,
  replaced: checks.replace.map((one) => one.id),
  added: checks.add.map((one) => one.id),
  ...(checks.answer
    ? { answer: checks.answer.milestone === undefined ? 'task' : { milestone: checks.answer.milestone } }
    : {}),
  rows: touched.map(({ service, table, key }) => ({ service, table, key })),
});

export const eventWeaver: Weaver = {
  weave: (scenario, loom) => {
    const engine = new EventEngine(scenario);
    checkAgainst(scenario, loom);
    return engine;
  },
  revised: (judged, events) => {
    const realised = realisedOf(events);
    return { ...rewoven(judged, realised), revisions: realised.map(revisionOf) };
  },
};
