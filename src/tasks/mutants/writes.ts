/** Wrong changes: another row, another value, a step too few or too many, a change nobody asked for. */

import type { Column } from '../../artifacts/table.js';
import type { Call } from '../../artifacts/task.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { DAY } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { argPath, argSpecs, canonicalLiteral, encodeArg } from '../../world/surface/args.js';
import {
  changes,
  type Material,
  type Mutant,
  type MutantKind,
  replaced,
  toolOf,
  withArg,
  withoutArg,
} from './mutant.js';

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

/** The right row and others with it; those that the right change rules out do not count. */
export const shotgunWrite: MutantKind = {
  kind: 'shotgun_write',
  make: (material) => {
    const { task } = material;
    const calls = [...task.reference.calls];
    for (const { call } of otherEntities(material, MOST_ENTITIES)) {
      if (changes(material, [...calls, call], calls.length)) calls.push(call);
    }
    const extra = calls.length - task.reference.calls.length;
    return extra === 0
      ? []
      : [{ kind: 'shotgun_write', what: `acts on ${extra + 1} rows`, calls, answer: task.reference.answer }];
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
  if (typeof value !== 'string' || arg.type !== 'text') return undefined;
  return value.includes('@') ? value.replace('@', '.2@') : `${value} (2)`;
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

/** The call without one of the optional arguments that the request names. */
export const missingField: MutantKind = {
  kind: 'missing_field',
  make: (material) => {
    const { task, write } = material;
    const call = write === undefined ? undefined : task.reference.calls[write];
    const found = call ? toolOf(material, call) : undefined;
    if (!call || !found || write === undefined) return [];
    const { service, tool } = found;
    for (const [name, arg] of Object.entries(tool.tool.args)) {
      const path = argPath(service.spec, name, arg);
      const written = leaf(call, path);
      if (arg.required || written === undefined) continue;
      // Left out, it would come out the same.
      const column = service.spec.tables[tool.tool.table]?.cols[arg.col ?? name];
      const byDefault = arg.default ?? column?.default;
      if (byDefault !== undefined && canonicalLiteral(byDefault) === decoded(service, tool.tool, name, written))
        continue;
      const calls = replaced(task.reference.calls, write, withoutArg(call, path));
      if (changes(material, calls, write))
        return [{ kind: 'missing_field', what: `leaves ${name} out`, calls, answer: task.reference.answer }];
    }
    return [];
  },
};

/** A second new thing like the first, under another name. */
export const secondCopy: MutantKind = {
  kind: 'second_copy',
  make: (material) => {
    const { task, write } = material;
    const call = write === undefined ? undefined : task.reference.calls[write];
    const found = call ? toolOf(material, call) : undefined;
    if (!call || !found || found.tool.tool.op !== 'create') return [];
    const { service, tool } = found;
    let copy = call;
    for (const [name, arg] of Object.entries(tool.tool.args)) {
      const column = service.spec.tables[tool.tool.table]?.cols[arg.col ?? name];
      const path = argPath(service.spec, name, arg);
      const written = leaf(call, path);
      if (written === undefined || arg.type !== 'text' || arg.enum || column?.enum || arg.ref || column?.fk) continue;
      const value = another(arg, column, decoded(service, tool.tool, name, written));
      if (value !== undefined) copy = withArg(copy, path, encodeArg(service.spec, tool.tool, name, value));
    }
    const calls = [...task.reference.calls, copy];
    return changes(material, calls, calls.length - 1)
      ? [{ kind: 'second_copy', what: 'creates another one like it', calls, answer: task.reference.answer }]
      : [];
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
  isOnce: true,
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
