/** Wrong solutions. Each must fail the task's verifier (certify.md, "wrong ones fail"). */
import type { Binding, Call, Task } from '../../artifacts/task.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { WorldTool } from '../../world/loaded.js';
import type { Ground } from '../ground/ground.js';
import type { Attempt, Rehearsal } from '../replay.js';

export interface Mutant extends Attempt {
  kind: string;
  /** What is wrong with it, for the evidence. */
  what: string;
}

export interface Material {
  ground: Ground;
  task: Task;
  /** Where attempts are played. */
  rehearsal: Rehearsal;
  random: Rng;
  /** Index of the call under attack, one that changes state; undefined for a question. */
  write: number | undefined;
  /** A write that has nothing to do with the task. */
  stray: Call | undefined;
  /** Wrong solutions that whoever made the task knows of. */
  known?: readonly Mutant[];
}

export interface MutantKind {
  kind: string;
  /** Attacks the task as a whole; any other kind attacks each call that changes state. */
  isOnce?: true;
  /** None when the kind does not apply to the task. */
  make(material: Material): Mutant[];
}

export const toolOf = ({ ground }: Material, call: Call): WorldTool | undefined => ground.world.tools.get(call.tool);

/** The row that a tool of the reference acts on. */
export const subjectOf = (task: Task, { service, tool }: WorldTool): Binding | undefined =>
  task.bindings.find(
    (binding) =>
      /^subject\d*$/.test(binding.name) && binding.service === service.id && binding.table === tool.tool.table,
  );

export const replaced = (calls: readonly Call[], index: number, call: Call): Call[] =>
  calls.map((old, i) => (i === index ? call : old));

/** A copy of `call` with the value at `path` replaced. */
export const withArg = (call: Call, path: readonly string[], value: Json): Call => {
  const args = structuredClone(call.args) as Record<string, Json>;
  let at = args;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, Json>;
  }
  at[path.at(-1) as string] = value;
  return { ...call, args };
};

/** A copy of `call` without the value at `path`. */
export const withoutArg = (call: Call, path: readonly string[]): Call => {
  const args = structuredClone(call.args) as Record<string, Json>;
  let at: Record<string, Json> | undefined = args;
  for (const key of path.slice(0, -1)) at = at?.[key] as Record<string, Json> | undefined;
  if (at) delete at[path.at(-1) as string];
  return { ...call, args };
};

/** Whether the call at `index` succeeds and changes more than the times it stamps, when the list is run on a fresh session. */
export const changes = ({ ground, rehearsal }: Material, calls: readonly Call[], index: number): boolean => {
  const last = rehearsal.play(calls.slice(0, index + 1)).ledger.at(-1);
  return (
    last?.ok === true &&
    last.touched.some(({ service, table, change, cols }) => {
      const spec = ground.world.services.get(service)?.spec.tables[table];
      return change !== 'update' || cols.some((col) => spec?.cols[col]?.type !== 'datetime' && !spec?.cols[col]?.auto);
    })
  );
};
