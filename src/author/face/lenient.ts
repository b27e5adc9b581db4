/**
 * What a verb asks of other rows is our guess, not the document's: an API that takes an invoice without lines would look broken if its
 * fake refused one. Conditions on the row's own status stay.
 */
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';

/** Errors of checks over rows besides the one that the call names. */
const GUESSED = new Set(['incomplete']);

const lenient = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step): Step[] => {
    if ('if' in step) {
      const inner = lenient(step.if.do);
      return inner.length === 0 ? [] : [{ if: { ...step.if, do: inner } }];
    }
    if (!('require' in step)) return [step];
    const left = step.require.filter(({ error }) => !GUESSED.has(error));
    return left.length === 0 ? [] : [{ require: left }];
  });

export const withoutGuesses = (tool: Tool): Tool => (tool.steps ? { ...tool, steps: lenient(tool.steps) } : tool);
