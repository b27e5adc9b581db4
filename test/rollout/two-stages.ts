/** A task of two stages over the toy host, and models that say what they are scripted to. */
import { expect } from 'vitest';
import type { Fact } from '../../src/artifacts/disclosure.js';
import { Task } from '../../src/artifacts/task.js';
import { Trace } from '../../src/artifacts/trace.js';
import type { ChatRequest, ModelClient } from '../../src/models/types.js';
import type { Policy } from '../../src/rollout/policy.js';
import { type Rollout, rolloutTask } from '../../src/rollout/rollout.js';
import type { EndedStage } from '../../src/rollout/users/conversation.js';
import { simulatedUser } from '../../src/rollout/users/user.js';
import { toyHost, toyTask } from './toy.js';

const fact = (id: string, words: string, asked: string): Fact => ({
  id,
  words,
  says: `The ${asked} is ${words}.`,
  asked: [asked],
  feeds: [],
  given: 'full',
});

/** Two stages: look at an invoice, void it. */
export const twoStages = (): Task =>
  Task.parse({
    ...toyTask(),
    kind: 'composed',
    nodes: [
      { id: 'a1', family: 'lookup', intent: 'total', service: 'billing', chain: ['invoice.list', 'invoice.get'] },
      { id: 'a2', family: 'action', intent: 'void', service: 'billing', chain: ['invoice.void'] },
    ],
    edges: [{ from: 'a1', to: 'a2', carries: 'information', what: 'which invoice' }],
    bindings: [{ name: 'subject', service: 'billing', table: 'invoice', key: 'recorded-id', descriptors: [] }],
    disclosure: {
      persona: 'formal',
      stages: [
        {
          node: 'a1',
          full: 'What is the total of the invoice of Brandt?',
          partial: 'What is the total of an invoice?',
          vague: 'What is the total of an invoice?',
          facts: [fact('customer', 'Brandt', 'customer')],
        },
        {
          node: 'a2',
          full: 'Please void it, with “asked by Miller” as the reason.',
          partial: 'Please void it.',
          vague: 'Please do something with it.',
          facts: [fact('reason', 'asked by Miller', 'reason')],
        },
      ],
    },
    milestones: [
      { id: 'm1', node: 'a1', checks: [{ id: 'c1', kind: 'answer', footprint: [] }], says: '2000' },
      { id: 'm2', node: 'a2', checks: [{ id: 'c2', kind: 'answer', footprint: [] }], says: 'It is void now.' },
    ],
    reference: { ...toyTask().reference, answer: '2000. It is void now.' },
  });

export const roll = async (policy: Policy, more: Partial<Rollout> = {}, detail: Fact['given'] = 'full') => {
  const task = twoStages();
  const host = toyHost();
  const seen: (EndedStage & { status: string | undefined })[] = [];
  const trace = await rolloutTask({
    host,
    task,
    policy,
    user: simulatedUser(task, detail),
    onStage: (stage) => seen.push({ ...stage, status: host.rows[1]?.status }),
    prompt: { detail, hasUser: true },
    ...more,
  });
  expect(Trace.safeParse(trace).error).toBeUndefined();
  return { trace, host, seen };
};
/** A model that says what it is scripted to, whatever it is asked. */
export const speaking = (...texts: string[]): ModelClient & { requests: ChatRequest[] } => {
  const requests: ChatRequest[] = [];
  return {
    model: 'speaker',
    requests,
    chat: async (request) => {
      requests.push(request);
      const content = texts[Math.min(requests.length, texts.length) - 1] as string;
      return { content, calls: [], finish: 'stop' };
    },
  };
};
