/** Scenario: a dynamic task, static task plus events (dynamics.md; DynaWeave). `dynamics/engine` runs it. */
import { z } from 'zod';
import { AnswerSpec, Check } from './check.js';
import { Literal, Name } from './table.js';
import { Call, Reference } from './task.js';
import { Hash } from './world.js';

/** A place in the state: a table, a row of it, a column of a row. What is absent means any. */
export const Path = z.strictObject({
  service: Name,
  table: Name,
  key: z.union([z.string(), z.number()]).optional(),
  col: Name.optional(),
});
/** Holds of the state: of the row's column, or of the row's being there. A path without a key speaks of any row. */
export const Predicate = z.strictObject({
  path: Path,
  op: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'exists', 'absent']),
  value: Literal.optional(),
});
/** One change of an outside actor. Values as the state stores them; an insert names the row's key. */
export const PatchOp = z.strictObject({
  do: z.enum(['insert', 'update', 'delete']),
  service: Name,
  table: Name,
  where: z.record(Name, Literal).optional(),
  set: z.record(Name, Literal).optional(),
});
/** What an event makes of the task's reference: from call `from` on, `drop` calls give way to `insert`. */
export const ReferenceEdit = z.strictObject({
  insert: z.array(Call),
  from: z.number().int().min(0),
  drop: z.number().int().min(0),
  /** What was read from call `call` at `path` is read at `at` from the `insert`-th call put in. */
  seen: z
    .array(
      z.strictObject({
        call: z.number().int().min(0),
        path: z.string(),
        insert: z.number().int().min(0),
        at: z.string(),
      }),
    )
    .optional(),
  /** What makes up for it where it fires once the reference has gone past `from`; absent: nothing does. */
  late: z.array(Call).optional(),
  /** What is answered at the end once it has fired; absent: what was answered before. */
  answer: z.string().optional(),
});

const Fault = z.strictObject({
  profile: z.enum(['P1', 'P2', 'P3', 'P4']),
  /** As the agent calls it. */
  tool: z.string(),
  /** Calls that a passing fault lasts; 1 when absent. */
  times: z.number().int().positive().optional(),
  /** Decides what the failure or the lie is; the scenario's seed where absent, so that an event lies alike in any company. */
  seed: z.string().optional(),
  /** Dotted path of the value that a lie is about, where a result has it; any value where absent. */
  about: z.string().optional(),
});

export const ScenarioEvent = z.strictObject({
  id: Name,
  source: z.enum(['requirement', 'state', 'information', 'fault']),
  when: z.union([
    /** At the `nth` successful call of a tool (as the agent calls it) whose arguments hold these. */
    z.strictObject({
      after: z.strictObject({
        tool: z.string(),
        args: z.record(z.string(), z.json()).optional(),
        nth: z.number().int().positive(),
      }),
    }),
    /** From this virtual time on, unix seconds. */
    z.strictObject({ at: z.number().int() }),
    /** At each step between two virtual times, with this probability. */
    z.strictObject({
      random: z.strictObject({ p: z.number().min(0).max(1), from: z.number().int(), to: z.number().int() }),
    }),
  ]),
  /** What must hold at that moment; an event whose guard does not hold is skipped for good. */
  guard: z.array(Predicate),
  /** Events that must have fired, and the virtual seconds since. */
  needs: z.array(z.strictObject({ id: Name, delay: z.number().int().min(0) })),
  excludes: z.array(Name),
  /** Virtual time after which it fires no more, unix seconds. */
  expires: z.number().int().optional(),
  reads: z.array(Path),
  writes: z.array(Path),
  effect: z.union([
    z.strictObject({ patch: z.array(PatchOp).min(1) }),
    z.strictObject({ say: z.string().min(1) }),
    /** A row that somebody publishes; one that is not authoritative is a distractor and revises no check. */
    z.strictObject({
      publish: z.strictObject({
        service: Name,
        table: Name,
        set: z.record(Name, Literal),
        authoritative: z.boolean(),
      }),
    }),
    z.strictObject({ fault: Fault }),
  ]),
  notify: z.strictObject({
    to: z.enum(['user', 'environment', 'none']),
    text: z.string().optional(),
    discoverBy: z.array(z.string()).optional(),
    /**
     * What a simulated user knows and says otherwise from then on: facts of the task's disclosure, by id, in other words. `stage`:
     * the node in whose stage the fact is; absent: in all that have it.
     */
    tells: z
      .array(z.strictObject({ stage: Name.optional(), fact: Name, words: z.string().min(1), says: z.string().min(1) }))
      .optional(),
  }),
  /** What becomes of the task's checks once it has fired; every other check stays as it is. */
  checks: z.strictObject({
    retire: z.array(Name),
    replace: z.array(z.strictObject({ id: Name, by: Check })),
    add: z.array(Check),
    /** The right answer is another one now: of a milestone that asks something, or of the task where none is named. */
    answer: z.strictObject({ milestone: Name.optional(), is: AnswerSpec }).optional(),
  }),
  reference: ReferenceEdit,
  /** What whoever obeys a distractor does to the reference: that fails. */
  misled: ReferenceEdit.optional(),
});

export const Scenario = z.strictObject({
  treadle: z.literal('scenario/1'),
  id: z.string().regex(/^[a-z][a-z0-9_-]{0,119}$/),
  task: Hash,
  taskId: z.string(),
  world: Hash,
  worldId: Name,
  seed: z.string(),
  /** Offers `wait`, by which the agent lets virtual time pass; the paper keeps the original tools. */
  offersWait: z.literal(true).optional(),
  events: z.array(ScenarioEvent).min(1),
  /** The task's reference, solved again for the events that fire while it is carried out. */
  reference: Reference,
});

export type Path = z.infer<typeof Path>;
export type Predicate = z.infer<typeof Predicate>;
export type ReferenceEdit = z.infer<typeof ReferenceEdit>;
export type PatchOp = z.infer<typeof PatchOp>;
export type ScenarioEvent = z.infer<typeof ScenarioEvent>;
export type Scenario = z.infer<typeof Scenario>;
