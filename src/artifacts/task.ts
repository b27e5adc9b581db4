/** Task: a goal in a world, with the proof that it can be met and how to tell. */
import { z } from 'zod';
import { AnswerSpec, Check } from './check.js';
import { Disclosure } from './disclosure.js';
import { Literal, Name } from './table.js';
import { Hash } from './world.js';

/** One tool call as an agent makes it: surface arguments. */
export const Call = z.strictObject({ service: Name, tool: z.string(), args: z.record(z.string(), z.json()) });

/** Where an argument of the reference comes from: the brief, or an earlier call's result at a JSON path. */
export const Source = z.strictObject({
  call: z.number().int().min(0),
  /** Dotted path of the argument. */
  arg: z.string(),
  from: z.union([
    z.strictObject({ brief: z.string() }),
    z.strictObject({ observed: z.number().int().min(0), path: z.string() }),
    z.strictObject({ constant: z.string() }),
  ]),
});

export const Reference = z.strictObject({ calls: z.array(Call), answer: z.string(), sources: z.array(Source) });

/** A business object of the task: which row, and the descriptors by which the brief names it. */
export const Binding = z.strictObject({
  name: Name,
  service: Name,
  table: Name,
  key: z.union([z.string(), z.number()]),
  descriptors: z.array(z.strictObject({ col: Name, value: Literal, words: z.string() })),
});

export const TaskNode = z.strictObject({
  id: Name,
  /** lookup, aggregate, create, update, delete, action ... */
  family: Name,
  intent: z.string(),
  service: Name,
  /** Dialect-free ids of the reference's tools, in order: what redundancy is measured on. */
  chain: z.array(z.string()),
});
export const TaskEdge = z.strictObject({
  from: Name,
  to: Name,
  carries: z.enum(['information', 'state']),
  what: z.string(),
});

/** A stage's verified outcome. Checks hold from the end of their stage until that of their `until`, where they have one. */
export const Milestone = z.strictObject({
  id: Name,
  node: Name,
  checks: z.array(Check).min(1),
  /** What is asked at this stage of a composed task. */
  answer: AnswerSpec.optional(),
  /** What the reference says at the end of the stage. */
  says: z.string().optional(),
  /** What a judge would look for, in words. */
  rubric: z.array(z.string()).optional(),
});

/** How long and how broad a composed task is (weft.txt 4.1). */
export const Profile = z.enum(['simple', 'standard', 'moderate', 'complex', 'expert']);

/**
 * Rows added to the world's initial data for one task, in the three rounds of weft.txt 3.1.2: target entities, what they need
 * to relate to, history and near-duplicates. Sessions of the task start on them. Values are as the state stores them.
 */
export const Grounding = z.strictObject({
  rounds: z.array(
    z.strictObject({
      round: z.enum(['entities', 'relations', 'context']),
      rows: z.array(z.strictObject({ service: Name, table: Name, row: z.record(Name, Literal) })),
    }),
  ),
});

export const Task = z.strictObject({
  treadle: z.literal('task/1'),
  id: z.string().regex(/^[a-z][a-z0-9_-]{0,79}$/),
  kind: z.enum(['atomic', 'composed']),
  world: Hash,
  worldId: Name,
  /** Services whose tools the agent is given. */
  services: z.array(Name).min(1),
  /** The employee on whose behalf the agent works. */
  actor: z.strictObject({ name: z.string(), email: z.string(), title: z.string() }),
  /** The whole request in natural words. */
  brief: z.string().min(1),
  snapshot: Hash,
  clock: z.number().int(),
  nodes: z.array(TaskNode).min(1),
  edges: z.array(TaskEdge),
  bindings: z.array(Binding),
  disclosure: Disclosure,
  milestones: z.array(Milestone).min(1),
  answer: AnswerSpec.optional(),
  reference: Reference,
  profile: Profile.optional(),
  /** The business process that gives a composed task its reason. */
  process: z.strictObject({ id: Name, title: z.string(), reason: z.string() }).optional(),
  grounding: Grounding.optional(),
  /** Which of several instances of one structure. */
  variant: z.number().int().min(0).optional(),
  /** What it was made from; splits go by lineage, never by row. */
  lineage: z.strictObject({ template: z.string(), seed: z.string() }),
});

export type Call = z.infer<typeof Call>;
export type Source = z.infer<typeof Source>;
export type Reference = z.infer<typeof Reference>;
export type Binding = z.infer<typeof Binding>;
export type TaskNode = z.infer<typeof TaskNode>;
export type TaskEdge = z.infer<typeof TaskEdge>;
export type Profile = z.infer<typeof Profile>;
export type Grounding = z.infer<typeof Grounding>;
export type Milestone = z.infer<typeof Milestone>;
export type Task = z.infer<typeof Task>;
