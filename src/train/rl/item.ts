/** One task as a trainer gets it: what the agent is told and offered, and the name by which a server knows it. */
import type { Detail, Disclosure } from '../../artifacts/disclosure.js';
import { DETAILS } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { sha256 } from '../../kit/hash.js';
import { requestText, systemText } from '../../rollout/prompt.js';
import type { SessionTool } from '../../serve/tool-host.js';

/** How the task is told. */
export interface RlView {
  user: 'none' | 'simulated';
  detail: Detail;
}

/** What a trainer's own user may say, stage by stage. It never holds which argument a fact feeds, nor any answer. */
export interface UserScript {
  persona: string;
  stages: {
    request: string;
    /** Said when a question names one of `asked`. */
    facts: { asked: string[]; says: string }[];
    /** What the user does not know; an agent has to look it up. */
    unknown: string[];
  }[];
}

export interface RlScenario {
  /** `world/scenario`, or its content address. */
  ref: string;
  hash: string;
  /** Of its events, joined by `+`; for those who sort rows, not for the policy. */
  sources: string;
}

/** Nothing in it comes from the task's reference, checks or answers: those stay with the server. */
export interface RlItem {
  /** What a reset or a seed names: `world/task`, or the task's content address. */
  ref: string;
  /** `world/task`. */
  name: string;
  hash: string;
  world: string;
  worldHash: string;
  /** Rows of one lineage are near copies. By number: its name tells what the solution does. */
  lineage: string;
  kind: Task['kind'];
  profile: string;
  messages: { role: 'system' | 'user'; content: string }[];
  tools: readonly SessionTool[];
  view: RlView;
  user?: UserScript;
  /** Events happen while it is done: what a session is opened on, in the task's stead. */
  scenario?: RlScenario;
}

const personaOf = ({ persona }: Disclosure): string =>
  typeof persona === 'string'
    ? persona
    : `${persona.role}, ${persona.manner} (${persona.tone}, ${persona.verbosity}, ${persona.register})`;

/** A fact is told on request unless the request of this detail says it already. */
const isAsked = (given: Detail, detail: Detail): boolean => DETAILS.indexOf(given) > DETAILS.indexOf(detail);

const scriptOf = (task: Pick<Task, 'disclosure'>, detail: Detail): UserScript => ({
  persona: personaOf(task.disclosure),
  stages: task.disclosure.stages.map((stage) => ({
    request: stage[detail],
    facts: stage.facts.flatMap((fact) =>
      typeof fact === 'string'
        ? [{ asked: [fact], says: fact }]
        : isAsked(fact.given, detail)
          ? [{ asked: fact.asked, says: fact.says }]
          : [],
    ),
    unknown: [...new Set((stage.unknown ?? []).flatMap(({ asked }) => asked))],
  })),
});

/** A lineage's name says which tools solve its tasks; rows only have to tell which belong together. */
export const lineageNumber = (lineage: string): string => sha256(lineage).slice(0, 16);

export interface ItemParts {
  task: Task;
  hash: string;
  world: WorldSpec;
  worldHash: string;
  tools: readonly SessionTool[];
  lineage: string;
  scenario?: { id: string; hash: string; sources: readonly string[] } | undefined;
}

/** `isPinned`: named by content, so that a server whose task of that name is another one refuses it. */
export const itemOf = (
  { task, hash, world, worldHash, tools, lineage, scenario }: ItemParts,
  view: RlView,
  isPinned: boolean,
): RlItem => {
  const { user, detail } = view;
  const isAsked = user === 'simulated';
  const name = `${task.worldId}/${task.id}`;
  const system = systemText(task, {
    company: world.company.name,
    policies: world.policies.map(({ text }) => text),
    ...(isAsked ? { hasUser: true } : {}),
  });
  const script = isAsked ? scriptOf(task, detail) : undefined;
  return {
    ref: isPinned ? hash : name,
    name,
    hash,
    world: task.worldId,
    worldHash,
    lineage: lineageNumber(lineage),
    kind: task.kind,
    profile: task.profile ?? '',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: script?.stages[0]?.request ?? requestText(task, detail) },
    ],
    tools,
    view,
    ...(script ? { user: script } : {}),
    ...(scenario
      ? {
          scenario: {
            ref: isPinned ? scenario.hash : `${task.worldId}/${scenario.id}`,
            hash: scenario.hash,
            sources: scenario.sources.join('+'),
          },
        }
      : {}),
  };
};
