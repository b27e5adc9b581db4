/** Tasks of several stages, put together from tasks of one: enough of a composed task for tests of what is done stage by stage. */
import type { Check } from '../../src/artifacts/check.js';
import { type Task, Task as TaskSchema } from '../../src/artifacts/task.js';
import { movedStage } from '../../src/tasks/disclosure/stage.js';
import type { LoadedWorld } from '../../src/world/loaded.js';

const STAGES = 3;

/** Tables that a task writes. */
const written = (world: LoadedWorld, { reference }: Task): string[] =>
  reference.calls.flatMap(({ tool }) => {
    const found = world.tools.get(tool);
    return (found?.tool.tool.writes ?? []).map(({ table }) => `${found?.service.id}.${table}`);
  });

/** A frame that holds all of them would need all their exceptions; the others' checks are enough here. */
const own = ({ milestones }: Task): Check[] =>
  milestones.flatMap(({ checks }) => checks.filter(({ kind }) => kind !== 'unchanged'));

/** The final message of a task that asks several things gives each answer its number. */
const finalWords = (tasks: readonly Task[]): string => {
  const asking = tasks.filter(({ answer }) => answer !== undefined).map(({ reference }) => reference.answer);
  if (asking.length < 2) return asking[0] ?? 'All done.';
  return asking.map((answer, i) => `${i + 1}. ${answer}`).join('\n');
};

const join = (tasks: readonly Task[], n: number): Task => {
  const first = tasks[0] as Task;
  const from = tasks.map((_, i) => tasks.slice(0, i).reduce((sum, { reference }) => sum + reference.calls.length, 0));
  return TaskSchema.parse({
    ...first,
    id: `${first.worldId.replaceAll('_', '-')}-chain-${n}`,
    kind: 'composed',
    services: [...new Set(tasks.flatMap(({ services }) => services))],
    brief: tasks.map(({ brief }) => brief).join(' Then: '),
    nodes: tasks.map((task, i) => ({ ...task.nodes[0], id: `s${i + 1}` })),
    edges: tasks
      .slice(1)
      .map((_, i) => ({ from: `s${i + 1}`, to: `s${i + 2}`, carries: 'state', what: 'comes after it' })),
    bindings: tasks.flatMap((task, i) =>
      task.bindings.map((binding) => ({ ...binding, name: `s${i + 1}_${binding.name}` })),
    ),
    disclosure: {
      persona: first.disclosure.persona,
      stages: tasks.map((task, i) => ({
        ...movedStage(
          task.disclosure.stages[0] as Task['disclosure']['stages'][number],
          (call) => call + (from[i] as number),
          (name) => `s${i + 1}_${name}`,
        ),
        node: `s${i + 1}`,
      })),
    },
    milestones: tasks.map((task, i) => ({
      id: `m${i + 1}`,
      node: `s${i + 1}`,
      checks: own(task),
      says: task.reference.answer,
      ...(task.answer ? { answer: task.answer } : {}),
    })),
    answer: undefined,
    reference: {
      calls: tasks.flatMap(({ reference }) => reference.calls),
      answer: finalWords(tasks),
      sources: tasks.flatMap(({ reference }, i) =>
        reference.sources.map(({ call, arg, from: source }) => ({
          call: call + (from[i] as number),
          arg,
          from: 'observed' in source ? { ...source, observed: source.observed + (from[i] as number) } : source,
        })),
      ),
    },
  });
};

/** Chains of tasks of which none touches what another one does. */
export const chainOf = (world: LoadedWorld, tasks: readonly Task[]): Task[] => {
  const out: Task[] = [];
  let parts: Task[] = [];
  const taken = new Set<string>();
  for (const task of tasks) {
    const tables = [...written(world, task), ...task.bindings.map(({ service, table }) => `${service}.${table}`)];
    const hasChecks = own(task).length > 0;
    if (!hasChecks || tables.some((table) => taken.has(table))) continue;
    parts.push(task);
    for (const table of tables) taken.add(table);
    if (parts.length < STAGES) continue;
    out.push(join(parts, out.length));
    parts = [];
    taken.clear();
  }
  return out;
};
