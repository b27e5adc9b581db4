/** The reference as somebody plays it who was not told everything: it asks for what the request leaves out, then does it. */
import { DETAILS, type Detail, type Fact } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { Policy, View } from '../policy.js';
import { referencePolicy } from './reference.js';

const joined = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** What a stage's request leaves out in this detail, as it is asked for. */
const missing = (task: Task, stage: number, detail: Detail): string[] => {
  const facts = (task.disclosure.stages[stage]?.facts ?? []).filter((fact): fact is Fact => typeof fact !== 'string');
  const left = facts.filter(({ given }) => DETAILS.indexOf(given) > DETAILS.indexOf(detail));
  return [...new Set(left.map(({ asked }) => asked[0] as string))];
};

/** Replies without a call so far: each stage has one, and one more where something had to be asked. */
const repliesMade = ({ messages }: View): number =>
  messages.filter(({ role, toolCalls }) => role === 'assistant' && !toolCalls?.length).length;

/** Stateless, like the reference. Without a simulated user it is the reference. */
export const askingPolicy = (task: Task, detail: Detail): Policy => {
  const reference = referencePolicy(task);
  return {
    producer: { policy: 'reference', name: 'asking' },
    next: (view) => {
      const { stage } = view;
      if (stage === undefined) return reference.next(view);
      const asks = (n: number): boolean => missing(task, n, detail).length > 0;
      const before = Array.from({ length: stage }, (_, n) => (asks(n) ? 2 : 1)).reduce((sum, n) => sum + n, 0);
      if (!asks(stage) || repliesMade(view) > before) return reference.next(view);
      const things = missing(task, stage, detail).map((asked) => `the ${asked}`);
      return { text: `Could you please tell me ${joined(things)}?`, calls: [] };
    },
  };
};
