/** overrides.yaml: corrections that a person makes to what was read, kept beside the document. */
import { z } from 'zod';
import { Step } from '../../artifacts/step.js';
import { ColumnType } from '../../artifacts/table.js';
import { Returns } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import { yaml } from '../../kit/yaml.js';

const name = z.string().min(1).max(256);
const words = z.string().min(1).max(2_000);

const ColumnChange = z.strictObject({
  type: ColumnType.optional(),
  /** `null` takes the list of values away. */
  enum: z.array(z.string().min(1)).min(1).nullable().optional(),
  required: z.boolean().optional(),
  unique: z.boolean().optional(),
  /** Table whose key the column holds; `null` takes the reference away. */
  fk: name.nullable().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  description: words.optional(),
});

/** Which status may follow which. `by`: the operation (`POST /orders/{id}/ship`) that makes the move. */
const MachineChange = z.strictObject({
  column: name,
  initial: name.optional(),
  moves: z
    .array(z.strictObject({ by: name.optional(), from: z.array(name).min(1), to: name }))
    .min(1)
    .max(200),
});

const TableChange = z.strictObject({
  rename: name.optional(),
  description: words.optional(),
  /** Rows of initial data. */
  rows: z.number().int().min(1).max(5_000).optional(),
  columns: z.record(name, ColumnChange).optional(),
  machine: MachineChange.optional(),
});

const ToolChange = z.strictObject({
  rename: name.optional(),
  drop: z.literal(true).optional(),
  /** A verb of the lexicon whose effect the tool has. */
  effect: name.optional(),
  description: words.optional(),
});

/** What an operation of an API document does, said by hand. One of `effect`, `steps` and `drop`. */
const OperationChange = z.strictObject({
  /** A verb of the lexicon, done to the row that the path names. */
  effect: name.optional(),
  /** The table it is about, where nothing was bound to the operation before. */
  table: name.optional(),
  /** Steps as in a ServiceSpec; `$args.x` is a parameter or a property of the body, in lower snake. */
  steps: z.array(Step).min(1).max(100).optional(),
  returns: Returns.optional(),
  /** Nothing stands behind it: it is answered from examples, or refused where that is asked for. */
  drop: z.literal(true).optional(),
});

export const Overrides = z.strictObject({
  tables: z.record(name, TableChange).optional(),
  tools: z.record(name, ToolChange).optional(),
  /** By `POST /pets/{petId}/adopt`, as the document writes it; for a service that answers as its document's own API. */
  operations: z.record(name, OperationChange).optional(),
  /** Words about a whole service, by its id. */
  services: z.record(name, z.strictObject({ title: words.optional(), description: words.optional() })).optional(),
});
export type Overrides = z.infer<typeof Overrides>;
export type ColumnChange = z.infer<typeof ColumnChange>;
export type TableChange = z.infer<typeof TableChange>;
export type ToolChange = z.infer<typeof ToolChange>;
export type OperationChange = z.infer<typeof OperationChange>;
export type MachineChange = z.infer<typeof MachineChange>;

const MOST = 4 * 1024 * 1024;

export const badOverrides = (problems: readonly string[], next: string): TreadleError => {
  const more = problems.length > 12 ? `; and ${problems.length - 12} more` : '';
  return new TreadleError({
    code: 'bad_overrides',
    message: `${problems.slice(0, 12).join('; ')}${more}`,
    value: problems.length,
    next,
  });
};

/** Reads YAML or JSON; throws `bad_overrides` with every place that is not understood. */
export const readOverrides = (text: string): Overrides => {
  if (text.length > MOST) throw badOverrides([`the file has ${text.length} characters`], 'Shorten it.');
  const document = yaml().parseDocument(text.replace(/^\uFEFF/, ''), { logLevel: 'silent' });
  const [error] = document.errors;
  if (error) throw badOverrides([(error.message.split('\n')[0] ?? '').slice(0, 200)], 'Correct the YAML.');
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    throw badOverrides(
      [cause instanceof Error ? cause.message.slice(0, 200) : 'it cannot be read'],
      'Correct the YAML.',
    );
  }
  const parsed = Overrides.safeParse(root ?? {});
  if (parsed.success) return parsed.data;
  throw badOverrides(
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
    'See docs/authoring.md for what an entry may say.',
  );
};
