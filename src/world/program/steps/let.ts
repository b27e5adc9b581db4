/** let: names for values. Their order in the spec is free: each is computed after those it mentions. */
import type { PlainStep, Value } from '../../../artifacts/step.js';
import type { CompiledStep, StepFn } from '../run.js';
import { bind, defect, type Scope } from '../scope.js';
import { compileValue } from '../value.js';

export type LetStep = Extract<PlainStep, { let: unknown }>;

const mentions = (value: Value, name: string): boolean =>
  typeof value === 'string' &&
  new RegExp(`(^|[^\\w.'"])${name}($|[^\\w'"])`).test(value.replaceAll(/'[^']*'|"[^"]*"/g, "''"));

/** Entries so that none comes before one it mentions; canonical JSON sorts keys, so the written order is not kept. */
const inOrder = (scope: Scope, values: Record<string, Value>): [string, Value][] => {
  const waiting = Object.entries(values);
  const ordered: [string, Value][] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex(
      ([name, value]) => !waiting.some(([other]) => other !== name && mentions(value, other)),
    );
    if (at < 0) throw defect(scope, 'bad_steps', `let: ${waiting.map(([name]) => name).join(', ')} need each other`);
    ordered.push(...waiting.splice(at, 1));
  }
  return ordered;
};

export const compileLet = (scope: Scope, step: LetStep): [CompiledStep, Scope] => {
  const parts: StepFn[] = [];
  let inside = scope;
  for (const [name, value] of inOrder(scope, step.let)) {
    const compiled = compileValue(inside, value);
    const { kind, column } = compiled;
    const nullable = compiled.nullable || compiled.mayBeAbsent;
    const seen = kind.is === 'scalar' ? { ...kind, nullable, ...(column && { column }) } : kind;
    const [next, slot] = bind(inside, name, seen);
    inside = next;
    parts.push((run) => {
      run.slots[slot] = compiled.get(run) ?? null;
    });
  }
  return [
    {
      run: (run) => {
        for (const part of parts) part(run);
      },
      plans: [],
    },
    inside,
  ];
};
