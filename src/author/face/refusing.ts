/** A verb that does nothing where its effect is there already refuses instead, where the operation documents a conflict. */
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';

const CONFLICT = 409;
/** `row.status != 'closed'`: the effect is not there yet. */
const NOT_YET = /^\w+\.\w+ != '[^']*'$/;

/** `failures`: the error statuses that the operation documents. */
export const refusing = (tool: Tool, failures: readonly number[]): Tool => {
  if (!failures.includes(CONFLICT) || !tool.steps) return tool;
  const at = tool.steps.findIndex((step) => 'if' in step && NOT_YET.test(step.if.that));
  const step = tool.steps[at];
  if (step === undefined || !('if' in step)) return tool;
  const needed: Step = { require: [{ that: step.if.that, error: 'invalid_state' }] };
  const steps = [...tool.steps.slice(0, at), needed, ...step.if.do, ...tool.steps.slice(at + 1)];
  return { ...tool, steps, errors: { ...tool.errors, invalid_state: CONFLICT } };
};
