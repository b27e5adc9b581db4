/**
 * The types of a line's columns: what Parquet files are laid out by, and what `datasets` is told. A `json` leaf holds whatever
 * differs from row to row (arguments, JSON Schemas): its JSON text in Parquet, and a `Json` feature for `datasets` 4.7 or newer,
 * which then gives it back as the object it was.
 */
import { FLAG_IDS } from '../../verify/behaviour/registry.js';

export type ColumnType =
  | 'string'
  | 'json'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float'
  | 'double'
  | { list: ColumnType }
  | { struct: Columns };

export type Columns = { readonly [name: string]: ColumnType };

const byFlag = (type: ColumnType): ColumnType => ({
  struct: Object.fromEntries(FLAG_IDS.map((flag) => [flag, type])),
});

/** Of every row (RowMetadata). */
export const METADATA: ColumnType = {
  struct: {
    schema_version: 'string',
    trace_id: 'string',
    task_id: 'string',
    task: 'string',
    world_id: 'string',
    world: 'string',
    lineage: { struct: { template: 'string', seed: 'string' } },
    kind: 'string',
    profile: 'string',
    events: 'string',
    scenario: { struct: { id: 'string', hash: 'string', sources: 'string', fired: 'string', by: 'string' } },
    view: { struct: { user: 'string', detail: 'string' } },
    faults: 'string',
    producer: {
      struct: {
        policy: 'string',
        name: 'string',
        model: 'string',
        harness: 'string',
        version: 'string',
        seed: 'string',
        sampling: 'string',
      },
    },
    origin: {
      struct: { kind: 'string', of: 'string', node: 'string', attempt: 'int64', retries: 'int64', from: 'int64' },
    },
    verdict: { struct: { pass: 'bool', milestones: 'int64', milestones_passed: 'int64' } },
    label: 'bool',
    negative_from: 'int64',
    behaviour: byFlag('int64'),
    reward: { struct: { shape: 'string', base: 'double', penalties: byFlag('double'), total: 'double' } },
    turns: 'int64',
    calls: 'int64',
  },
};

/**
 * Messages whose fields and arguments differ: each is one JSON leaf, as `datasets` itself lays them out. A struct would give every
 * message every field, and templates take a `tool_calls` that is there and null for one that is there.
 */
export const MESSAGES: ColumnType = { list: 'json' };

/** Messages with arguments as text, for readers that know no JSON columns. */
export const PLAIN_MESSAGES: ColumnType = {
  list: {
    struct: {
      role: 'string',
      content: 'string',
      reasoning_content: 'string',
      tool_calls: {
        list: {
          struct: { id: 'string', type: 'string', function: { struct: { name: 'string', arguments: 'string' } } },
        },
      },
      tool_call_id: 'string',
      name: 'string',
    },
  },
};

export const TEXT_MESSAGES: ColumnType = { list: { struct: { role: 'string', content: 'string' } } };

export const TOOLS: ColumnType = { list: 'json' };

type Feature = { [key: string]: unknown };

/** As `datasets` writes its features (the `huggingface` key of a Parquet file). */
export const featureOf = (type: ColumnType): Feature => {
  if (typeof type !== 'string')
    return 'list' in type ? { feature: featureOf(type.list), _type: 'List' } : featuresOf(type.struct);
  if (type === 'json') return { decode: true, _type: 'Json' };
  const dtype = { string: 'string', bool: 'bool', int32: 'int32', int64: 'int64', float: 'float32', double: 'float64' };
  return { dtype: dtype[type], _type: 'Value' };
};

export const featuresOf = (columns: Columns): Feature =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, featureOf(type)]));

/** Whether the columns hold a leaf that only newer versions of `datasets` know. */
export const hasJson = (type: ColumnType): boolean =>
  type === 'json' ||
  (typeof type !== 'string' && ('list' in type ? hasJson(type.list) : Object.values(type.struct).some(hasJson)));
