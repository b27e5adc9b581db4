/** Scenario: a dynamic task, static task plus events (dynamics.md; DynaWeave). The engine that runs it is a later step. */
import { z } from 'zod';
import { Check } from './check.js';
import { Literal, Name } from './table.js';
import { Call } from './task.js';
import { Hash } from './world.js';

const Path = z.strictObject({
  service: Name,
  table: Name,
  key: z.union([z.string(), z.number()]).optional(),
  col: Name.optional(),
});
const Predicate = z.strictObject({
  path: Path,
  op: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'exists', 'absent']),
  value: Literal.optional(),
});
const PatchOp = z.strictObject({
  do: z.enum(['insert', 'update', 'delete']),
  service: Name,
  table: Name,
  where: z.record(Name, Literal).optional(),
  set: z.record(Name, Literal).optional(),
});
const Fault = z.strictObject({
  profile: z.enum(['P1', 'P2', 'P3', 'P4']),
  tool: z.string(),
  answer: z.json().optional(),
  times: z.number().int().positive().optional(),
});

export const ScenarioEvent = z.strictObject({
  id: Name,
  source: z.enum(['requirement', 'state', 'information', 'fault']),
  when: z.union([
    z.strictObject({
      after: z.strictObject({
        tool: z.string(),
        args: z.record(z.string(), z.json()).optional(),
        nth: z.number().int().positive(),
      }),
    }),
    z.strictObject({ at: z.number().int() }),
    z.strictObject({
      random: z.strictObject({ p: z.number().min(0).max(1), from: z.number().int(), to: z.number().int() }),
    }),
  ]),
  guard: z.array(Predicate),
  needs: z.array(z.strictObject({ id: Name, delay: z.number().int().min(0) })),
  excludes: z.array(Name),
  expires: z.number().int().optional(),
  reads: z.array(Path),
  writes: z.array(Path),
  effect: z.union([
    z.strictObject({ patch: z.array(PatchOp).min(1) }),
    z.strictObject({ say: z.string() }),
    z.strictObject({ publish: z.record(z.string(), z.json()) }),
    z.strictObject({ fault: Fault }),
  ]),
  notify: z.strictObject({
    to: z.enum(['user', 'environment', 'none']),
    text: z.string().optional(),
    discoverBy: z.array(z.string()).optional(),
  }),
  checks: z.strictObject({
    retire: z.array(Name),
    replace: z.array(z.strictObject({ id: Name, by: Check })),
    add: z.array(Check),
  }),
  reference: z.strictObject({ insert: z.array(Call), from: z.number().int().min(0), drop: z.number().int().min(0) }),
});

export const Scenario = z.strictObject({
  treadle: z.literal('scenario/1'),
  id: Name,
  task: Hash,
  seed: z.string(),
  events: z.array(ScenarioEvent).min(1),
});

export type ScenarioEvent = z.infer<typeof ScenarioEvent>;
export type Scenario = z.infer<typeof Scenario>;
