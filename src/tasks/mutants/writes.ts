/** Wrong changes: another row, another value, a step too few or too many, a change nobody asked for. */

import type { Column } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { DAY } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { argPath, argSpecs, encodeArg } from '../../world/surface/args.js';
import { changes, type Material, type Mutant, type MutantKind, replaced, toolOf, withArg } from './mutant.js';

const MOST_ENTITIES = 2;
const leaf = (call: Call, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], call.args);

/** The stored value behind a written argument. */
const decoded = (service: LoadedService, tool: Tool, name: string, written: Json): SqlValue =>
  argSpecs(service.spec, tool).get(name)?.codec.decode(written) ?? null;

/** The same call on other rows that accept it. */
const otherEntities = (material: Material, most: number): { call: Call; key: string | number }[] => {
  const { ground, task, write, random } = material;
  if (write === undefined) return [];
  const call = task.reference.calls[write] as Call;
  const found = toolOf(material, call);
  if (!found) return [];
  const { service, tool } = found;
  const out: { call: Call; key: string | number }[] = [];
  for (const [name, arg] of Object.entries(tool.tool.args)) {
    const table =
      arg.role === 'key'
        ? tool.tool.table
        : (arg.ref ?? service.spec.tables[tool.tool.table]?.cols[arg.col ?? name]?.fk);
    const path = argPath(service.spec, name, arg);
    const spec = table ? service.spec.tables[table] : undefined;
    if (!table || !spec || arg.type === 'list' || leaf(call, path) === undefined) continue;
    for (const row of random.sample(ground.rows(service)(table), 10)) {
      const key = row[spec.key.col] as string | number;
      const written = encodeArg(service.spec, tool.tool, name, key);
      if (written === leaf(call, path)) continue;
      const other = withArg(call, path, written);
      if (changes(material, replaced(task.reference.calls, write, other), write)) out.push({ call: other, key });
      if (out.length >= most) return out;
    }
  }
  return out;
};

export const wrongEntity: MutantKind = {
  kind: 'wrong_entity',
  make: (material) =>
    otherEntities(material, MOST_ENTITIES).map(
      ({ call, key }): Mutant => ({
        kind: 'wrong_entity',
        what: `acts on ${key}`,
        calls: replaced(material.task.reference.calls, material.write as number, call),
        answer: material.task.reference.answer,
      }),
    ),
};

/** The right row and others with it. */
export const shotgunWrite: MutantKind = {
  kind: 'shotgun_write',
  make: (material) => {
    const others = otherEntities(material, MOST_ENTITIES);
    if (others.length === 0) return [];
    const { task } = material;
    return [
      {
        kind: 'shotgun_write',
        what: `acts on ${others.length + 1} rows`,
        calls: [...task.reference.calls, ...others.map(({ call }) => call)],
        answer: task.reference.answer,
      },
    ];
  },
};

/** Another value of the same type that the argument allows. */
const another = (arg: Arg, column: Column | undefined, value: SqlValue): SqlValue | undefined => {
  const options = arg.enum ?? column?.enum;
  if (options) return options.find((option) => option !== value);
  if (typeof value === 'number')
    return arg.type === 'date' || arg.type === 'datetime'
      ? value + DAY
      : arg.type === 'bool'
        ? 1 - value
        : arg.type === 'money'
          ? value + 100
          : value + 1;
  return typeof value === 'string' && arg.type === 'text' ? `${value} (2)` : undefined;
};

export const wrongValue: MutantKind = {
  kind: 'wrong_value',
  make: (material) => {
    const { task, write } = material;
    if (write === undefined) return [];
    const call = task.reference.calls[write] as Call;
    const found = toolOf(material, call);
    if (!found) return [];
    const { service, tool } = found;
    const out: Mutant[] = [];
    for (const [name, arg] of Object.entries(tool.tool.args)) {
      const column = service.spec.tables[tool.tool.table]?.cols[arg.col ?? name];
      const path = argPath(service.spec, name, arg);
      const written = leaf(call, path);
      if (
        written === undefined ||
        arg.role === 'key' ||
        arg.ref ||
        column?.fk ||
        arg.type === 'list' ||
        arg.type === 'json'
      )
        continue;
      const value = another(arg, column, decoded(service, tool.tool, name, written));
      if (value === undefined) continue;
      const calls = replaced(
        task.reference.calls,
        write,
        withArg(call, path, encodeArg(service.spec, tool.tool, name, value)),
      );
      if (changes(material, calls, write))
        out.push({ kind: 'wrong_value', what: `${name} is ${value}`, calls, answer: task.reference.answer });
    }
    return out;
  },
};

export const missingStep: MutantKind = {
  kind: 'missing_step',
  make: ({ task, write }) =>
    write === undefined
      ? []
      : [
          {
            kind: 'missing_step',
            what: 'leaves the change out',
            calls: task.reference.calls.filter((_, i) => i !== write),
            answer: task.reference.answer,
          },
        ],
};

/** The change twice; applies only where a second time changes something. */
export const twice: MutantKind = {
  kind: 'step_twice',
  make: (material) => {
    const { task, write } = material;
    if (write === undefined) return [];
    const calls = [...task.reference.calls, task.reference.calls[write] as Call];
    return changes(material, calls, calls.length - 1)
      ? [{ kind: 'step_twice', what: 'does the change twice', calls, answer: task.reference.answer }]
      : [];
  },
};

export const extraWrite: MutantKind = {
  kind: 'extra_write',
  make: ({ task, stray }) =>
    stray
      ? [
          {
            kind: 'extra_write',
            what: `also calls ${stray.tool}`,
            calls: [...task.reference.calls, stray],
            answer: task.reference.answer,
          },
        ]
      : [],
};
