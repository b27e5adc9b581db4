/** Tasks that fit a small model's context: one service, few calls, few tools. */
import type { Task } from '../../src/artifacts/task.js';
import type { SessionTool, ToolHost } from '../../src/serve/tool-host.js';

/** Atomic tasks with the fewest calls first; the same corpus gives the same. */
export const shortTasks = (tasks: readonly Task[], most: number): Task[] =>
  tasks
    .filter(({ kind }) => kind === 'atomic')
    .map((task, n) => ({ task, n }))
    .sort((a, b) => a.task.reference.calls.length - b.task.reference.calls.length || a.n - b.n)
    .slice(0, most)
    .map(({ task }) => task);

/**
 * The tools of the reference and others of the task's services, `most` in all (none left out where the reference needs more). This
 * makes the task easier than it is: with its whole list of about 35 tools a service it takes some 5,000 tokens.
 */
export const shortTools = (host: ToolHost, task: Task, most: number): SessionTool[] => {
  const all = host.tools();
  const needed = new Set(task.reference.calls.map(({ tool }) => tool));
  const services = new Set(task.nodes.map(({ service }) => service));
  const rest = all.filter(({ name, service }) => !needed.has(name) && services.has(service));
  const kept = new Set(rest.slice(0, Math.max(0, most - needed.size)).map(({ name }) => name));
  return all.filter(({ name }) => needed.has(name) || kept.has(name));
};

/** The host with these tools alone. */
export const withTools = (host: ToolHost, tools: SessionTool[]): ToolHost => ({
  tools: () => tools,
  call: (name, args, options) => host.call(name, args, options),
});
