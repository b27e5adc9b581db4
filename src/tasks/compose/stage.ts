/** One stage of a composed task: an atomic task on the state that its predecessors left, gated there, and done on the course. */
import type { AnswerSpec, Check } from '../../artifacts/check.js';
import type { Binding, Call, Source, Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { WorldTool } from '../../world/loaded.js';
import type { Candidate } from '../atomic/candidate.js';
import { FAMILIES } from '../atomic/families.js';
import { taskOf } from '../atomic/task.js';
import { gate } from '../gate.js';
import { fitting } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { keyOf, type NamedTool, pathTo } from '../ground/plan.js';
import { argumentOf } from '../ground/trace.js';
import { release } from '../pool.js';
import { closed } from '../words/grammar.js';
import { requested } from '../words/tone.js';
import type { Course, Played } from './course.js';

/** More calls than this for one thing are a chore of their own. */
const MOST_CALLS = 5;
const CHANGING = new Set(['action', 'update', 'create', 'delete', 'every', 'conditional', 'file']);
const ASKING = new Set(['lookup', 'related', 'chained', 'rows', 'aggregate', 'investigation']);

/** Whether the stage changes anything, asked or not. */
export const isChange = ({ played }: Pick<Stage, 'played'>): boolean =>
  played.some(({ touched }) => touched.length > 0);

export interface Stage {
  node: string;
  family: string;
  template: string;
  service: string;
  /** The atomic task that passed the gate on the state before this stage. */
  task: Task;
  /** What is asked, in the words of the brief: an imperative with further sentences, or a question. */
  plain: Candidate['plain'];
  calls: Call[];
  /** Which of the atomic task's calls those are. */
  kept: readonly number[];
  /** Call indices are the whole reference's. */
  sources: Source[];
  bindings: Binding[];
  answer?: AnswerSpec;
  says: string;
  /** Checks beyond what its changes give. */
  checks: readonly Check[];
  played: Played[];
  /** Earlier stages whose findings this one uses, with what it is. */
  informedBy: { node: string; what: string }[];
}

/** Where a key was seen on the way so far. */
export interface Seen {
  node: string;
  call: number;
  path: string;
  what: string;
}

export interface Trial {
  course: Course;
  ground: Ground;
  tool: string;
  wants: 'change' | 'answer';
  node: string;
  persona: string;
  /** A change that nobody asked for, for the mutants. */
  stray: Call | undefined;
  random: Rng;
  /** Keys that earlier stages were about, as results show them (JSON text). */
  seen: ReadonlyMap<string, Seen>;
  /** Calls before this stage. */
  callsBefore: number;
  /** Same thing on the same row twice. */
  isTaken: (template: string, bindings: readonly Binding[]) => boolean;
  /** Whether the texts of this stage and of others give an answer away. */
  isGivenAway: (text: string, answer: string | undefined) => boolean;
}

const signatureOf = (value: unknown): string => JSON.stringify(value);

/** The request in the manner of the task's persona; a question stands as it is. */
const wordsOf = ({ plain }: Candidate, persona: string, random: Rng): string =>
  'asks' in plain ? closed(plain.asks, '?') : requested(plain.does, persona, random, plain.tail);

const named = (ground: Ground, name: string): NamedTool | undefined => {
  const found: WorldTool | undefined = ground.world.tools.get(name);
  return found && { name, ...found };
};

/** Each binding must mean one row of those that are there, whatever of them a user can know. */
const isDetermined = ({ course, ground }: Trial, bindings: readonly Binding[]): boolean =>
  bindings.every(({ service, table, descriptors }) => {
    const own = ground.world.services.get(service);
    return own !== undefined && fitting(own, table, descriptors, course.real(own, table)).length === 1;
  });

interface Kept {
  calls: Call[];
  kept: number[];
  sources: Source[];
  informedBy: Stage['informedBy'];
}

/** A change's calls without look-ups of what earlier stages have shown already. */
const pruned = ({ plan, answer }: Candidate, trial: Trial): Kept => {
  const { seen, callsBefore } = trial;
  const writes = plan.session.ledger.flatMap(({ touched }, i) => (touched.length > 0 ? [i] : []));
  const needed = new Set(answer || writes.length === 0 ? plan.calls.keys() : writes);
  const known = new Map<Source, Seen>();
  for (let call = plan.calls.length - 1; call >= 0; call--) {
    if (!needed.has(call)) continue;
    for (const source of plan.sources) {
      if (source.call !== call || !('observed' in source.from)) continue;
      const before = answer ? undefined : seen.get(signatureOf(argumentOf(source, plan.calls)));
      if (before) known.set(source, before);
      else needed.add(source.from.observed);
    }
  }
  const order = [...needed].sort((a, b) => a - b);
  const at = new Map(order.map((call, i) => [call, callsBefore + i]));
  const sources = plan.sources.flatMap((source): Source[] => {
    const call = at.get(source.call);
    if (call === undefined) return [];
    const before = known.get(source);
    if (before) return [{ ...source, call, from: { observed: before.call, path: before.path } }];
    if (!('observed' in source.from)) return [{ ...source, call }];
    return [{ ...source, call, from: { ...source.from, observed: at.get(source.from.observed) as number } }];
  });
  const informedBy = [...known.values()].map(({ node, what }) => ({ node, what }));
  return { calls: order.map((call) => plan.calls[call] as Call), kept: order, sources, informedBy };
};

/** Tries one family on the tool. A string says why nothing came of it. */
const tryFamily = (trial: Trial, tool: NamedTool, family: (typeof FAMILIES)[number]): Stage | string => {
  const { course, ground, node, persona, random, stray } = trial;
  const candidate = family.make(ground, tool, random.stream(family.name));
  if (typeof candidate === 'string') return candidate;
  try {
    if (candidate.isAlone || candidate.grounded) return 'is no part of a longer task';
    if (candidate.plan.calls.length > (family.mostCalls ?? MOST_CALLS)) return 'takes too many calls for one stage';
    if (trial.isTaken(candidate.template, candidate.bindings)) return 'was asked for before';
    const request = wordsOf(candidate, persona, random.stream('words'));
    if (trial.isGivenAway(request, candidate.answer ? candidate.says : undefined))
      return 'an answer would be given away';
    if (!isDetermined(trial, candidate.bindings)) return 'describes more than one row as they are by then';
    const own: Candidate = { ...candidate, persona, request };
    const task = taskOf(ground, own, `${node}-stage`.slice(-80), random.stream('task'));
    const certificate = gate(ground, task, {
      random: random.stream('gate'),
      stray,
      other: candidate.otherPath,
      wrong: candidate.wrong,
      right: candidate.right,
    });
    const failed = certificate.findings.find(({ pass }) => !pass);
    if (failed) return `${failed.id}: ${failed.evidence[0] ?? ''}`;
    const kept = pruned(candidate, trial);
    const played = course.advance(kept.calls);
    if (!played) return 'its calls fail without the look-ups';
    return {
      node,
      family: candidate.family,
      template: candidate.template,
      service: candidate.service.id,
      task,
      plain: candidate.plain,
      ...kept,
      bindings: candidate.bindings,
      ...(candidate.answer ? { answer: candidate.answer } : {}),
      says: candidate.says,
      checks: candidate.checks ?? [],
      played,
    };
  } finally {
    release(candidate);
  }
};

/** Of a thing at hand its own figures are asked for, more than who is behind whom. */
const OFTEN: Readonly<Record<string, number>> = {
  lookup: 5,
  related: 2,
  chained: 0.4,
  rows: 0.4,
  aggregate: 0.6,
  investigation: 0.6,
  every: 0.5,
  conditional: 0.4,
};

/** Families that turn the tool into what is wanted, the likelier first. */
const fits = (trial: Trial, tool: NamedTool): (typeof FAMILIES)[number][] => {
  const names = trial.wants === 'change' ? CHANGING : ASKING;
  const able = FAMILIES.filter((family) => names.has(family.name) && family.growsOn(tool, trial.ground.world));
  const out: (typeof FAMILIES)[number][] = [];
  const random = trial.random.stream('families');
  let left = able;
  while (left.length > 0) {
    const next = random.weighted(left.map((family) => [family, family.weight * (OFTEN[family.name] ?? 1)] as const));
    out.push(next);
    left = left.filter((family) => family !== next);
  }
  return out;
};

/** A stage by the tool, done on the course; a string says why there is none, and the course is where it was. */
export const tryStage = (trial: Trial): Stage | string => {
  const tool = named(trial.ground, trial.tool);
  if (!tool) return 'the world lacks the tool';
  let why = 'no kind of task grows on the tool';
  for (const family of fits(trial, tool)) {
    const made = tryFamily(trial, tool, family);
    if (typeof made !== 'string') return made;
    why = made;
  }
  return why;
};

/** Keys that a stage was about, as its results show them, and where. */
export const keysSeen = (ground: Ground, stage: Stage, callsBefore: number): [string, Seen][] => {
  const out: [string, Seen][] = [];
  const note = (service: string, table: string, key: string | number): void => {
    const own = ground.world.services.get(service);
    const spec = own?.spec.tables[table];
    if (!own || !spec) return;
    const shown = keyOf(own, spec, { [spec.key.col]: key });
    for (let call = stage.played.length - 1; call >= 0; call--) {
      const path = pathTo(stage.played[call]?.result ?? null, shown);
      if (path === undefined) continue;
      const what = `the ${spec.noun ?? table.replaceAll('_', ' ')} found or made in ${stage.node}`;
      out.push([signatureOf(shown), { node: stage.node, call: callsBefore + call, path, what }]);
      return;
    }
  };
  for (const { service, table, key } of stage.bindings) note(service, table, key);
  for (const { touched } of stage.played)
    for (const { service, table, key, change } of touched) if (change === 'insert') note(service, table, key);
  return out;
};
