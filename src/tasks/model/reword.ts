/** A model as the rewriter of briefs, within the budget of the desk (disclosure/rewrite.ts proves what it says). */
import { z } from 'zod';
import type { Task } from '../../artifacts/task.js';
import type { Desk } from '../../author/model/desk.js';
import { type Rewriter, rewriteBrief } from '../disclosure/rewrite.js';
import { ask } from './ask.js';
import { DATA_RULE, marked } from './marked.js';

const Reworded = z.object({ brief: z.string().max(40_000) });

/** No answer, and why. */
class NoWords extends Error {}

const deskRewriter =
  (desk: Desk, id: string): Rewriter =>
  async ({ brief, words, persona }) => {
    const system = [
      `You are ${persona.role || 'an employee'} of a company (${persona.manner}; ${persona.tone}, ${persona.verbosity}, ${persona.register} register). Rewrite the request between the marks as you would write it to an assistant.`,
      'Ask for exactly the same, add nothing, answer nothing, explain nothing. Numbers of list entries stay.',
      DATA_RULE,
      'Answer with one JSON object and nothing else: {"brief": "the request in your words"}.',
    ].join('\n');
    const prompt = `${marked('request', brief)}\n\nKeep these words exactly as they are:\n${words.map((one) => `- ${one}`).join('\n')}`;
    const said = await ask(desk, { part: `words of ${id}`, system, prompt, form: Reworded, read: Reworded });
    if ('why' in said) throw new NoWords(said.why);
    return said.value.brief;
  };

/** What a rewriting changes of a task. */
export type Words = Pick<Task, 'brief' | 'nodes' | 'disclosure'>;

export type Rewording = { words: Words } | { kept: string };

/** Other words for the task, proven to say the same; or why it keeps its own. Gate the task with them before it is kept. */
export const rewordTask = async (desk: Desk, task: Task): Promise<Rewording> => {
  if (desk.ended) return { kept: desk.ended.why };
  try {
    const made = await rewriteBrief(task, deskRewriter(desk, task.id));
    if (made.kept !== undefined) return { kept: made.kept };
    const { brief, nodes, disclosure } = made.task;
    return { words: { brief, nodes, disclosure } };
  } catch (thrown) {
    if (thrown instanceof NoWords) return { kept: `no answer: ${thrown.message}` };
    throw thrown;
  }
};
