/** Scenarios for servers: what `serve` is given to weave them into sessions and to judge those by what fired. */
import type { Scenario } from '../artifacts/scenario.js';
import { TreadleError } from '../errors.js';
import type { CheckRevisions } from '../serve/api.js';
import type { Events, Loom, Weaver } from '../serve/sessions/weaver.js';
import { EventEngine } from './engine/engine.js';
import { type Realised, revise } from './verifier/revise.js';

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

/** What no session could make up for: an event that waits for a tool that is not there, or revises a check that is not. */
const checkAgainst = ({ id, events, offersWait }: Scenario, { judged, tools }: Loom): void => {
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
  }
};

/** The events that fired with the rows they changed, in their order. */
const realised = (events: Events): Realised[] => {
  const touched = new Map(events.log.map((fate) => [fate.event, fate.touched]));
  return events.fired().map((event) => ({ event, touched: touched.get(event.id) ?? [] }));
};

const revisionsOf = (fired: readonly Realised[]): CheckRevisions => {
  const all = fired.map(({ event }) => event);
  const told = (event: string, checks: readonly string[]) => checks.map((check) => ({ check, event }));
  return {
    retired: all.flatMap(({ id, checks }) => told(id, checks.retire)),
    replaced: all.flatMap(({ id, checks }) =>
      told(
        id,
        checks.replace.map((one) => one.id),
      ),
    ),
    added: all.flatMap(({ id, checks }) =>
      told(
        id,
        checks.add.map((one) => one.id),
      ),
    ),
    answers: all.flatMap(({ id, checks: { answer } }) => {
      if (!answer) return [];
      return [answer.milestone === undefined ? { event: id } : { milestone: answer.milestone, event: id }];
    }),
    allowed: fired.flatMap(({ event, touched }) => (touched.length > 0 ? [event.id] : [])),
  };
};

export const eventWeaver: Weaver = {
  weave: (scenario, loom) => {
    const engine = new EventEngine(scenario);
    checkAgainst(scenario, loom);
    return engine;
  },
  revised: (judged, events) => {
    const fired = realised(events);
    return { judged: revise(judged, fired).judged, revisions: revisionsOf(fired) };
  },
};
