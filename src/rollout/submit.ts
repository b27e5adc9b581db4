/** The `submit_answer` tool: where the answer is given when a rollout offers it. It is ours, not a service's. */
import type { Json } from '../kit/hash.js';
import type { SessionTool } from '../serve/tool-host.js';

export const SUBMIT_ANSWER: SessionTool = {
  service: '',
  name: 'submit_answer',
  description: 'Ends the task. Give the answer to what was asked; an empty text when nothing was asked.',
  inputSchema: {
    type: 'object',
    properties: { answer: { type: 'string', description: 'Just what was asked for.' } },
    required: ['answer'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object' },
  readOnly: true,
  destructive: false,
  version: '',
};

/** The submitted text; undefined when the arguments hold none. Numbers count as their text. */
export const submittedAnswer = (args: Record<string, Json>): string | undefined => {
  const { answer } = args;
  return typeof answer === 'string' ? answer : typeof answer === 'number' ? String(answer) : undefined;
};
