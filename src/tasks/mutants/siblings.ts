/** Wrong things among those that belong together: another variant of the same product, another card of the same customer, one entry of a list left out. */
import type { Call } from '../../artifacts/task.js';
import type { Arg } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { argPath, encodeArg } from '../../world/surface/args.js';
import { changes, type Material, type Mutant, type MutantKind, replaced, toolOf, withArg } from './mutant.js';

/** Rows tried in place of the right one: a service takes few of them. */
const MOST_TRIED = 8;

const written = (call: Call, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], call.args);

/** Keys of rows that hang on the same parent as this one. */
const siblingsOf = ({ ground }: Material, service: LoadedService, table: string, key: SqlValue): SqlValue[] => {
  const spec = service.spec.tables[table];
  const rows = ground.rows(service)(table);
  const own = rows.find((row) => row[spec?.key.col ?? ''] === key);
  if (!spec || !own) return [];
  const parents = Object.keys(spec.cols).filter((col) => spec.cols[col]?.fk && own[col] !== null);
  return rows
    .filter((row) => row !== own && parents.some((col) => row[col] === own[col]))
    .map((row) => row[spec.key.col] ?? null);
};

/** The values of an argument one by one, and the argument with another value in one place. */
const placesOf = (value: Json): { value: SqlValue; put: (other: Json) => Json }[] =>
  Array.isArray(value)
    ? value.map((item, i) => ({
        value: item as SqlValue,
        put: (other: Json) => value.map((old, j) => (i === j ? other : old)),
      }))
    : [{ value: value as SqlValue, put: (other: Json) => other }];

const attack = (
  material: Material,
): { call: Call; args: [string, Arg, string[]][]; service: LoadedService } | undefined => {
  const { task, write } = material;
  const call = write === undefined ? undefined : task.reference.calls[write];
  const found = call ? toolOf(material, call) : undefined;
  if (!call || !found) return undefined;
  const { service, tool } = found;
  const args = Object.entries(tool.tool.args).map(([name, arg]): [string, Arg, string[]] => [
    name,
    arg,
    argPath(service.spec, name, arg),
  ]);
  return { call, args, service };
};

/** One a referring argument; `wrong_entity` tries keys and columns, this one what an action is told besides. */
export const wrongSibling: MutantKind = {
  kind: 'wrong_sibling',
  make: (material) => {
    const { task, write, random } = material;
    const under = attack(material);
    const tool = under && toolOf(material, under.call)?.tool.tool;
    if (!under || !tool || write === undefined) return [];
    return under.args.flatMap(([name, arg, path]): Mutant[] => {
      const value = written(under.call, path);
      if (arg.role !== 'input' || arg.ref === undefined || value === undefined || value === null) return [];
      for (const place of random.shuffle(placesOf(value))) {
        const others = siblingsOf(material, under.service, arg.ref, place.value);
        for (const key of random.sample(others, MOST_TRIED)) {
          const encoded = encodeArg(under.service.spec, tool, name, [key]) as Json[];
          const other = withArg(under.call, path, place.put(encoded[0] ?? null));
          const calls = replaced(task.reference.calls, write, other);
          if (changes(material, calls, write))
            return [{ kind: 'wrong_sibling', what: `${name} names ${key}`, calls, answer: task.reference.answer }];
        }
      }
      return [];
    });
  },
};

/** The last entry of a list argument left out, and of the lists that go with it pair by pair. */
export const entryLeftOut: MutantKind = {
  kind: 'entry_left_out',
  make: (material) => {
    const { task, write } = material;
    const under = attack(material);
    if (!under || write === undefined) return [];
    const lists = under.args.flatMap(([name, , path]) => {
      const value = written(under.call, path);
      return Array.isArray(value) && value.length > 1 ? [{ name, path, value }] : [];
    });
    const [first] = lists;
    if (!first) return [];
    const paired = lists.filter(({ value }) => value.length === first.value.length);
    const call = paired.reduce((made, { path, value }) => withArg(made, path, value.slice(0, -1)), under.call);
    const calls = replaced(task.reference.calls, write, call);
    return changes(material, calls, write)
      ? [{ kind: 'entry_left_out', what: `leaves an entry of ${first.name} out`, calls, answer: task.reference.answer }]
      : [];
  },
};
