/** Everything that a task's user comes to say when it is asked one thing after the other, as the rules have it. */
import { DETAILS } from '../../src/artifacts/disclosure.js';
import type { Task } from '../../src/artifacts/task.js';
import type { Message } from '../../src/artifacts/trace.js';
import { conversationWith } from '../../src/rollout/users/conversation.js';
import { knownOf } from '../../src/rollout/users/known.js';
import type { Plan } from '../../src/rollout/users/speaker.js';
import { spokenUser } from '../../src/rollout/users/user.js';

/** A user who leaves after so many stages has said enough. */
const STAGES = 8;

const heard = (plan: Plan): Plan => ({ ...plan, messages: [...plan.messages], state: { ...plan.state } });

export const plansOf = async (task: Task): Promise<Plan[]> => {
  const plans: Plan[] = [];
  for (const detail of DETAILS) {
    const user = spokenUser(task, detail, {
      name: 'recorder',
      by: 'script',
      say: (plan) => {
        plans.push(heard(plan));
        return plan.said.text;
      },
    });
    const conversation = conversationWith(user);
    const messages: Message[] = [];
    const known = knownOf(task, detail);
    const say = async (content: string): Promise<boolean> => {
      messages.push({ role: 'assistant', content });
      return (await conversation.hear({ text: content, isAnswer: false }, messages, 0)).over !== undefined;
    };
    await conversation.begin(messages, 0);
    for (const stage of known.stages.slice(0, STAGES)) {
      const kept = stage.facts.filter(({ id }) => !stage.given.has(id));
      if (kept[0]) await say(`What is the ${kept[0].asked[0]}?`);
      const unknown = stage.unknown[0];
      if (unknown) await say(`Could you tell me the ${unknown.asked[0]}?`);
      if (kept.length > 1) await say('Shall I go ahead?');
      if (await say('Done.')) break;
    }
  }
  return plans;
};
