/** Compiles steps in order: each sees the names bound before it. */
import type { EachStep, IfStep, Step } from '../../artifacts/step.js';
import { TreadleError } from '../../errors.js';
import { compileCondition } from './expression.js';
import type { Bound, CompiledStep, Run, StepFn } from './run.js';
import { bind, defect, inStep, type Kind, knowing, type Scope } from './scope.js';
import { compileDelete } from './steps/delete.js';
import { compileFile } from './steps/file.js';
import { compileFind } from './steps/find.js';
import { compileGet } from './steps/get.js';
import { compileInsert } from './steps/insert.js';
import { compileLet } from './steps/let.js';
import { compileRequire } from './steps/require.js';
import { compileSql } from './steps/sql.js';
import { compileUpdate } from './steps/update.js';
import { compileValue } from './value.js';

const tooManyTurns = (at: string): TreadleError =>
  new TreadleError({
    code: 'budget_exceeded',
    message: 'The call repeats its steps too often',
    value: at,
    fault: 'world',
  });

const itemKind = (kind: Kind): Kind | undefined => {
  switch (kind.is) {
    case 'rows':
      return { is: 'row', table: kind.table, maybe: false };
    case 'list':
      return { is: 'scalar', scalar: kind.items, nullable: false };
    case 'free':
      return { is: 'free' };
    default:
      return undefined;
  }
};

/** each: the steps for every item; names bound inside stay inside. */
const compileEach = (scope: Scope, { each }: EachStep): [CompiledStep, Scope] => {
  const list = compileValue(scope, each.in);
  const kind = itemKind(list.kind);
  if (!kind) throw defect(scope, 'bad_steps', `each: ${each.in} is no list`);
  const [inside, slot] = bind(scope, each.as, kind);
  const body = compileSteps(inside, each.do, `${scope.at}.each`);
  return [
    {
      run: (run) => {
        const items = (list.get(run) ?? []) as Bound[];
        for (const item of items) {
          if (--run.turns < 0) throw tooManyTurns(scope.at);
          run.slots[slot] = item;
          body.run(run);
        }
      },
      plans: body.plans,
    },
    scope,
  ];
};

/** if: the steps only when the condition holds; names bound inside stay inside. */
const compileIf = (scope: Scope, step: IfStep): [CompiledStep, Scope] => {
  const condition = compileCondition(scope, step.if.that);
  const body = compileSteps(knowing(scope, condition.facts), step.if.do, `${scope.at}.if`);
  const run: StepFn = (call) => {
    if (condition.holds(call)) body.run(call);
  };
  return [{ run, plans: body.plans }, scope];
};

const compileStep = (scope: Scope, step: Step): [CompiledStep, Scope] => {
  if ('get' in step) return compileGet(scope, step);
  if ('find' in step) return compileFind(scope, step);
  if ('let' in step) return compileLet(scope, step);
  if ('require' in step) return compileRequire(scope, step);
  if ('insert' in step) return compileInsert(scope, step);
  if ('update' in step) return compileUpdate(scope, step);
  if ('delete' in step) return compileDelete(scope, step);
  if ('sql' in step) return compileSql(scope, step);
  if ('file' in step) return compileFile(scope, step);
  return 'each' in step ? compileEach(scope, step) : compileIf(scope, step);
};

/** Compiles a sequence; `scope` of the result knows everything it bound. Throws what the steps throw, with their place. */
export const compileSteps = (scope: Scope, steps: readonly Step[], at = 'steps'): CompiledStep & { scope: Scope } => {
  const parts: StepFn[] = [];
  const plans: CompiledStep['plans'] = [];
  let inside = scope;
  for (const [i, step] of steps.entries()) {
    const [compiled, after] = compileStep(inStep(inside, `${at}[${i}]`), step);
    parts.push(compiled.run);
    plans.push(...compiled.plans);
    inside = after;
  }
  const run = (call: Run): void => {
    for (const part of parts) part(call);
  };
  return { run, plans, scope: inside };
};
