/** Filters that take more than their column holds: `state=all` of a column that is open or closed means no filter at all. */
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';

/** Values besides those of the column, by the name of the argument. */
export type Wide = ReadonlyMap<string, readonly string[]>;

/** The values that a column of `own` values lacks; none where it shares none of them, for those mean something else. */
export const beyond = (own: readonly string[] | undefined, offered: readonly unknown[] | undefined): string[] => {
  if (own === undefined || offered === undefined || !offered.some((value) => own.includes(String(value)))) return [];
  return offered.filter((value): value is string => typeof value === 'string' && !own.includes(value));
};

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** `tool` has its steps written out. */
export const withWide = (tool: Tool, wide: Wide, valuesOf: (col: string) => readonly string[] | undefined): Tool => {
  if (wide.size === 0) return tool;
  const args = { ...tool.args };
  let steps: readonly Step[] = tool.steps ?? [];
  for (const [name, extra] of wide) {
    const arg = args[name];
    const own = arg?.col === undefined ? undefined : valuesOf(arg.col);
    if (!arg || !own) continue;
    args[name] = { ...arg, role: 'input', enum: [...own, ...extra] };
    const given = `args.${name}`;
    const value = `has(${given}) && !(${given} in [${extra.map(quoted).join(', ')}]) ? dyn(${given}) : dyn(null)`;
    steps = steps.map((step) =>
      'find' in step
        ? {
            find: {
              ...step.find,
              where: (step.find.where ?? []).map((one) =>
                one.value === `$${given}` ? { ...one, value, optional: true } : one,
              ),
            },
          }
        : step,
    );
  }
  return { ...tool, args, steps: [...steps] };
};
