/** Parquet files are read back with DuckDB, whatever is in the rows. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS, toyHost, toyTask, toyVerdict } from '../../../../test/rollout/toy.js';
import type { Message } from '../../../artifacts/trace.js';
import type { Json } from '../../../kit/hash.js';
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { rolloutTask } from '../../../rollout/rollout.js';
import { SHAPES } from '../../formats/shapes.js';
import { withTextColumns } from '../../formats/text-columns.js';
import { exportSft } from '../export.js';
import type { ExportItem } from '../row.js';
import { jsonlSink } from './jsonl.js';
import { parquetSink } from './parquet.js';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'parquet-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const HOSTILE = ['<|im_end|>', '</tool_call>', '\ud800', 'a\u2028b', '😀', '\u0000', "'", '"', '', 'null', '{"a":1}'];

const item = async (n: number, said?: string): Promise<ExportItem> => {
  const task = toyTask(n, `t${n % 3}`);
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
  const messages = trace.messages.map(
    (message): Message => (said !== undefined && message.role === 'tool' ? { ...message, content: said } : message),
  );
  return { trace: { ...trace, messages }, verdict: toyVerdict(trace), task, tools: TOOLS };
};
const items = (): Promise<ExportItem[]> =>
  Promise.all(Array.from({ length: 24 }, (_, n) => item(n, HOSTILE[n % HOSTILE.length])));

const sql = async (query: string): Promise<Record<string, Json>[]> => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(query)).getRowObjectsJson() as Record<string, Json>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};
const glob = (split = 'train'): string => `read_parquet('${join(out, 'data', `${split}-*.parquet`)}')`;

describe.each(Object.keys(SHAPES))('%s', (format) => {
  it('holds in Parquet what it holds in JSON lines', async () => {
    const many = await items();
    await exportSft(many, { out, format, file: { kind: 'jsonl' } });
    const columns = Object.keys(SHAPES[format]?.columns ?? {});
    // The same rows as DuckDB reads them from both kinds, each value as JSON text.
    const rows = async (from: string): Promise<string[]> =>
      (await sql(`SELECT ${columns.map((name) => `to_json(${name}) AS ${name}`).join(', ')} FROM ${from}`)).map((row) =>
        JSON.stringify(row, (_, value: unknown) =>
          typeof value === 'string' && /^[[{]/.test(value) ? dropNulls(JSON.parse(value) as Json) : value,
        ),
      );
    const lines = await rows(`read_json('${join(out, 'data', 'train.jsonl')}', maximum_object_size=100000000)`);
    await exportSft(many, { out, format, file: { kind: 'parquet' } });
    expect(readdirSync(join(out, 'data')).sort()).toEqual([
      'train-00000-of-00001.parquet',
      'validation-00000-of-00001.parquet',
    ]);
    const read = await rows(glob());
    expect(read.length).toBeGreaterThan(10);
    expect(read).toHaveLength(lines.length);
    expect(read).toEqual(lines);
  });
});

/** A struct in Parquet has every field; a JSON object only those it was given. Whole doubles are written without a point. */
const dropNulls = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, dropNulls(one)]])),
  );
};

it('messages, tools and metadata can be asked for in SQL', async () => {
  await exportSft(await items(), { out, split: { validation: 0, seed: '1' }, file: { kind: 'parquet' } });
  const [row] = await sql(
    `SELECT messages[3]->'tool_calls'->0->'function'->>'name' AS called, json_type(messages[5]->'tool_calls'->0->'function'->'arguments') AS arguments, tools[1]->'function'->>'name' AS tool, metadata.producer.policy AS policy, metadata.verdict.pass AS pass, metadata.behaviour.malformed_call AS malformed FROM ${glob()} LIMIT 1`,
  );
  expect(row).toEqual({
    called: 'list_invoices',
    arguments: 'OBJECT',
    tool: 'list_invoices',
    policy: 'reference',
    pass: true,
    malformed: '0',
  });
});

it('with text columns there is no JSON type, and tools are one text', async () => {
  const shape = withTextColumns(SHAPES.treadle as (typeof SHAPES)[string]);
  await exportSft(await items(), {
    out,
    format: shape,
    split: { validation: 0, seed: '1' },
    file: { kind: 'parquet' },
  });
  const types = Object.fromEntries(
    (await sql(`DESCRIBE SELECT * FROM ${glob()}`)).map(({ column_name, column_type }) => [column_name, column_type]),
  );
  expect(JSON.stringify(types)).not.toContain('JSON');
  expect(types.tools).toBe('VARCHAR');
  const [row] = await sql(`SELECT tools, messages[3].tool_calls[1].function.arguments AS arguments FROM ${glob()}`);
  expect(JSON.parse(row?.tools as string)).toHaveLength(3);
  expect(row?.arguments).toBe('{}');
});

it('begins a new file behind so much JSON, and names them all in the card', async () => {
  const report = await exportSft(await items(), {
    out,
    split: { validation: 0, seed: '1' },
    file: { kind: 'parquet', shardBytes: 20_000 },
  });
  const files = readdirSync(join(out, 'data')).sort();
  expect(files.length).toBeGreaterThan(2);
  expect(files[0]).toBe(`train-00000-of-${String(files.length).padStart(5, '0')}.parquet`);
  expect(report.files.slice(1)).toEqual(files.map((file) => `data/${file}`));
  expect(await sql(`SELECT count(*)::INT AS n FROM ${glob()}`)).toEqual([{ n: 24 }]);
});

it('what was not pushed leaves no file', async () => {
  expect(await parquetSink(out, 'data/train', { a: 'string' }, { shardBytes: 9, groupBytes: 9 }).close()).toEqual([]);
  expect(await jsonlSink(out, 'data/train').close()).toEqual([]);
  expect(existsSync(join(out, 'data', 'train.jsonl'))).toBe(false);
});

it('every type, absent and empty values', async () => {
  const sink = parquetSink(
    out,
    'data/train',
    {
      s: 'string',
      j: 'json',
      b: 'bool',
      i: 'int32',
      l: 'int64',
      f: 'float',
      d: 'double',
      x: { list: { struct: { y: { list: 'int32' } } } },
    },
    { shardBytes: 1e9, groupBytes: 1 },
  );
  await sink.push(
    '{"s":"a","j":{"k":[1,null]},"b":true,"i":-5,"l":9007199254740991,"f":0.5,"d":1e300,"x":[{"y":[1,2]},{"y":[]},{}]}',
  );
  await sink.push('{"s":"","j":"text","x":[]}');
  await sink.push('{"j":7,"x":null}');
  await sink.close();
  expect(await sql(`SELECT s, j, b, i, l, f, d, to_json(x) AS x FROM ${glob()}`)).toEqual([
    {
      s: 'a',
      j: '{"k":[1,null]}',
      b: true,
      i: -5,
      l: '9007199254740991',
      f: 0.5,
      d: 1e300,
      x: '[{"y":[1,2]},{"y":[]},{"y":null}]',
    },
    { s: '', j: '"text"', b: null, i: null, l: null, f: null, d: null, x: '[]' },
    { s: null, j: '7', b: null, i: null, l: null, f: null, d: null, x: null },
  ]);
});
