/** The real model as a simulated user: what it says in place of the rules' words, and what is found wrong with it. */

import type { Task } from '../../src/artifacts/task.js';
import { sessionFor } from '../../src/cli/pipeline/rollouts.js';
import { endpoint } from '../../src/models/client.js';
import { askingPolicy } from '../../src/rollout/agents/asking.js';
import { rolloutTask } from '../../src/rollout/rollout.js';
import { simulatedUser } from '../../src/rollout/users/user.js';
import { groundedWorld } from '../../src/world/grounded.js';
import type { LoadedWorld } from '../../src/world/loaded.js';

const DETAIL = 'partial';

/** Rollouts of a policy that asks for what it was not told, with a user in the model's words. */
export const userFigures = async (
  url: string,
  model: string,
  world: LoadedWorld,
  tasks: readonly Task[],
  { isTrusted, isShown }: { isTrusted: boolean; isShown: boolean },
) => {
  const sampling = { temperature: 0, max_tokens: 120 };
  const client = endpoint({ baseUrl: url, model, sampling, timeoutMs: 600_000, maxRetries: 0 });
  let messages = 0;
  let taken = 0;
  const mistakes: Record<string, number> = {};
  const problems: Record<string, number> = {};
  for (const task of tasks) {
    const host = sessionFor(groundedWorld(world, task.grounding), task, `${task.id}-user`);
    const user = simulatedUser(task, DETAIL, client, isTrusted);
    const trace = await rolloutTask({
      host,
      task,
      policy: askingPolicy(task, DETAIL),
      user,
      prompt: { detail: DETAIL, hasUser: true },
    });
    host.drop();
    if (trace.problem) problems[trace.problem.code] = (problems[trace.problem.code] ?? 0) + 1;
    for (const turn of trace.dialogue?.turns ?? []) {
      if (turn.act === 'ends' || turn.act === 'leaves') continue;
      messages++;
      if (turn.by === 'model' && !turn.mistakes) taken++;
      for (const { kind } of turn.mistakes ?? []) mistakes[kind] = (mistakes[kind] ?? 0) + 1;
      const said = JSON.stringify(trace.messages[turn.message]?.content.slice(0, 500));
      const why = turn.mistakes?.map((one) => `${one.kind}: ${one.why}`).join('; ');
      if (isShown) process.stdout.write(`user (${turn.by}, ${turn.act}): ${said}${why ? ` [${why}]` : ''}\n`);
    }
  }
  return { rollouts: tasks.length, messages, without_mistakes: taken, mistakes, problems };
};
