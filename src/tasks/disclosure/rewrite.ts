/** A model rewrites a brief; the new words are taken only where a check proves that they say the same. */
import type { Task } from '../../artifacts/task.js';
import { looseBriefs } from './briefs.js';
import { factWords, faultOf, secretsOf } from './check.js';
import { wholePersona } from './persona.js';

/** What is asked of a rewriter: a brief in other words. Models and scripts fit. */
export type Rewriter = (request: RewriteRequest) => Promise<string> | string;

export interface RewriteRequest {
  brief: string;
  /** Must stay as they are. */
  words: readonly string[];
  persona: ReturnType<typeof wholePersona>;
}

export interface Rewritten {
  task: Task;
  /** Why the original was kept. */
  kept?: string;
}

/** Every value that the reference takes from the brief, and every descriptor of a bound row. */
const wordsOf = ({ reference, bindings, disclosure, brief }: Task): string[] => {
  const all = [
    ...reference.sources.flatMap(({ from }) => ('brief' in from ? [from.brief] : [])),
    ...bindings.flatMap(({ descriptors }) => descriptors.map(({ words }) => words)),
    ...disclosure.stages.flatMap(({ facts }) => factWords(facts)),
  ];
  // What the brief itself does not say in these words cannot get lost in it.
  return [...new Set(all)].filter((words) => brief.toLowerCase().includes(words.toLowerCase()));
};

/**
 * The task with its brief in other words, or the task as it was with the reason. A task of one stage has the new brief as its
 * full request too. The new task has another address: gate it before it is kept.
 */
export const rewriteBrief = async (task: Task, rewriter: Rewriter): Promise<Rewritten> => {
  const words = wordsOf(task);
  const persona = wholePersona(task.disclosure, task.actor.title);
  const brief = (await rewriter({ brief: task.brief, words, persona })).trim();
  if (brief === task.brief) return { task, kept: 'it is the same' };
  const fault = faultOf(brief, { original: task.brief, must: words, secret: secretsOf(task) });
  if (fault) return { task, kept: fault };
  const { stages } = task.disclosure;
  const isWhole = stages.length === 1 && stages[0]?.full === task.brief;
  const own = isWhole ? stages.map((stage) => ({ ...stage, full: brief })) : stages;
  const { briefs: _, ...rest } = task.disclosure;
  const briefs = looseBriefs(brief, own);
  const nodes = isWhole
    ? task.nodes.map((node) => (node.intent === task.brief ? { ...node, intent: brief } : node))
    : task.nodes;
  return { task: { ...task, brief, nodes, disclosure: { ...rest, stages: own, ...(briefs ? { briefs } : {}) } } };
};
