/** A model as the rewriter of briefs. */
import type { ModelClient } from '../../models/types.js';
import type { Rewriter } from '../../tasks/disclosure/rewrite.js';

/** One request a brief. Throws what the endpoint throws. */
export const modelRewriter =
  (client: ModelClient, signal?: AbortSignal): Rewriter =>
  async ({ brief, words, persona }) => {
    const system = [
      `You are ${persona.role || 'an employee'} of a company (${persona.manner}; ${persona.tone}, ${persona.verbosity}, ${persona.register} register). Rewrite the request below as you would write it to an assistant.`,
      'Ask for exactly the same, add nothing, answer nothing, explain nothing. Keep these words exactly as they are:',
      ...words.map((one) => `- ${one}`),
      'Reply with the rewritten request alone.',
    ].join('\n');
    const reply = await client.chat(
      {
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: brief },
        ],
        tools: [],
      },
      signal,
    );
    return reply.content;
  };
