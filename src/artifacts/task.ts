/** Task: a goal in a world, with the proof that it can be met and how to tell. */
import { z } from 'zod';
import { AnswerSpec, Check } from './check.js';
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

export const Milestone = z.strictObject({ id: Name, node: Name, checks: z.array(Check).min(1) });

/** What a simulated user may say, and in which order; `brief` is the whole of it at once. */
export const Disclosure = z.strictObject({
  persona: z.string(),
  stages: z.array(
    z.strictObject({
      node: Name,
      full: z.string(),
      partial: z.string(),
      vague: z.string(),
      facts: z.array(z.string()),
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
  /** What it was made from; splits go by lineage, never by row. */
  lineage: z.strictObject({ template: z.string(), seed: z.string() }),
});

export type Call = z.infer<typeof Call>;
export type Source = z.infer<typeof Source>;
export type Reference = z.infer<typeof Reference>;
export type Binding = z.infer<typeof Binding>;
export type TaskNode = z.infer<typeof TaskNode>;
export type Milestone = z.infer<typeof Milestone>;
export type Disclosure = z.infer<typeof Disclosure>;
export type Task = z.infer<typeof Task>;
