/** require: conditions that must hold, each with its error. What they establish is known to the steps that follow. */
import type { PlainStep } from '../../../artifacts/step.js';
import { AgentError } from '../../surface/value.js';
import { compileCondition } from '../expression.js';
import type { CompiledStep, StepFn } from '../run.js';
import { knowing, type Scope } from '../scope.js';
import { compileMessage, refusalField, requirementMessage } from '../show.js';

export type RequireStep = Extract<PlainStep, { require: unknown }>;

export const compileRequire = (scope: Scope, step: RequireStep): [CompiledStep, Scope] => {
  const parts: StepFn[] = [];
  let known = scope;
  for (const { that, error, message, field } of step.require) {
    const condition = compileCondition(known, that);
    const say = message === undefined ? requirementMessage(known, condition.ast, that) : compileMessage(known, message);
    const at = refusalField(known, field);
    parts.push((run) => {
      if (!condition.holds(run)) throw new AgentError(error, say(run), at);
    });
    known = knowing(known, condition.facts);
  }
  return [
    {
      run: (run) => {
        for (const part of parts) part(run);
      },
      plans: [],
    },
    known,
  ];
};
