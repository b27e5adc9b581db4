/** The shape of a catalogue file: an archetype as people write it, before it is compiled. */
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { Step } from '../../artifacts/step.js';
import { Literal, Name } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import { yaml } from '../../kit/yaml.js';

const Requirement = z.tuple([z.string(), Name, z.string()]);

export const DraftVerb = z.strictObject({
  /** States it starts from; any state when absent. */
  from: z.array(z.string()).optional(),
  to: z.string().optional(),
  /** State that `set` leads to under a condition of its own. */
  may: z.string().optional(),
  /** Datetime column set to now; added to the table when it lacks it. */
  stamp: Name.optional(),
  /** Columns the caller writes: `assignee_email! note`. */
  put: z.string().optional(),
  /** Inputs that are no column, in column notation. */
  args: z.record(Name, z.string()).optional(),
  /** Column to value: CEL, path or literal. */
  set: z.record(Name, Literal).optional(),
  /** Foreign keys of the row (or, of a new row, of the arguments) whose rows are bound under the name without `_id`. */
  look: z.array(Name).optional(),
  /** Name to (table, equalities): binds the number of such rows. */
  count: z.record(Name, z.strictObject({ table: Name, where: z.record(Name, Literal) })).optional(),
  /** [CEL that must hold, error code, message]. */
  require: z.array(Requirement).optional(),
  before: z.array(Step).optional(),
  after: z.array(Step).optional(),
  /** Makes a row instead of acting on one; `put` absent: every argument of create. */
  new: z.boolean().optional(),
  /** Named CEL values handed back in place of the row. */
  returns: z.record(Name, Literal).optional(),
  /** What it does, where the name does not say it all. */
  says: z.string().optional(),
});

export const DraftTable = z.strictObject({
  noun: z.string().optional(),
  plural: z.string().optional(),
  about: z.string().optional(),
  label: Name.optional(),
  cols: z.record(Name, z.string()),
  /** Status column in column notation; its first value is the initial one. */
  status: z.string().optional(),
  /** Name of the status column where it is not `status`. */
  machine: Name.optional(),
  unique: z.array(z.array(Name)).optional(),
  check: z.array(z.string()).optional(),
  rows: z.number().int().optional(),
  /** Columns that free text looks in; a table with them has `search` instead of `list`. */
  search: z.array(Name).optional(),
  tools: z.array(z.enum(['list', 'search', 'get', 'create', 'update', 'delete'])).optional(),
  verbs: z.record(Name, DraftVerb).optional(),
});

export const Archetype = z.strictObject({
  id: Name,
  title: z.string(),
  about: z.string(),
  /** The archetype of the first catalogue that it does better where its trade is plain (a rental desk, for equipment finance). */
  improves: Name.optional(),
  /** NAICS sectors it is usual in (a prior, never a filter); `*` for any. */
  sectors: z.array(z.string()),
  tables: z.record(Name, DraftTable),
});

export type DraftVerb = z.infer<typeof DraftVerb>;
export type DraftTable = z.infer<typeof DraftTable>;
export type Archetype = z.infer<typeof Archetype>;

const folder = new URL('../../../data/catalogue/', import.meta.url);
const loaded = new Map<string, Archetype>();
let names: string[] | undefined;

/** Ids of all archetypes, in alphabetical order. */
export const archetypeIds = (): readonly string[] => {
  names ??= readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5))
    .sort();
  return names;
};

/** One archetype, parsed once a process. Throws `unknown_archetype` or `bad_archetype`. */
export const archetype = (id: string): Archetype => {
  const known = loaded.get(id);
  if (known) return known;
  if (!archetypeIds().includes(id))
    throw new TreadleError({
      code: 'unknown_archetype',
      message: `There is no service archetype ${id}`,
      value: id,
      next: `Choose among: ${archetypeIds().join(', ')}.`,
    });
  const parsed = Archetype.safeParse(yaml().parse(readFileSync(new URL(`${id}.yaml`, folder), 'utf8')));
  if (!parsed.success || parsed.data.id !== id)
    throw new TreadleError({
      code: 'bad_archetype',
      message: `Catalogue file ${id}.yaml is wrong: ${parsed.error?.issues[0]?.path.join('.') ?? 'id'} ${parsed.error?.issues[0]?.message ?? 'differs from its file name'}`,
      value: id,
      next: 'Mend data/catalogue.',
    });
  loaded.set(id, parsed.data);
  return parsed.data;
};
