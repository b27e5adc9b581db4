/**
 * Parquet in the layout of Hugging Face: `train-00000-of-00002.parquet`, a new file behind every `shardBytes` of JSON. Rows are
 * held until a row group is full, so memory does not grow with their number.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Json } from '../../../kit/hash.js';
import { type Columns, featuresOf, hasJson } from '../../formats/columns.js';
import { cellOf, schemaOf } from './schema.js';
import type { Sink } from './sink.js';

export interface ParquetLimits {
  /** Bytes of JSON after which the next file begins. */
  shardBytes: number;
  /** Bytes of JSON in a row group. */
  groupBytes: number;
}

const GROUP_ROWS = 5_000;

const number = (n: number): string => String(n).padStart(5, '0');

export const parquetSink = (
  root: string,
  stem: string,
  columns: Columns,
  { shardBytes, groupBytes }: ParquetLimits,
): Sink => {
  const names = Object.keys(columns);
  const schema = schemaOf(columns);
  // `datasets` reads its own feature types here; only the newer ones know Json, and older ones need no telling of the rest.
  const kvMetadata = Object.values(columns).some(hasJson)
    ? [{ key: 'huggingface', value: JSON.stringify({ info: { features: featuresOf(columns) } }) }]
    : [];
  const parts: string[] = [];
  let writer: ParquetWriter | undefined;
  let inShard = 0;
  let inGroup = 0;
  let group: Record<string, Json>[] = [];

  const open = (): ParquetWriter => {
    const part = join(root, `${stem}-${number(parts.length)}.part`);
    mkdirSync(dirname(part), { recursive: true });
    parts.push(part);
    return new ParquetWriter({ writer: fileWriter(part), schema, kvMetadata, createdBy: 'treadle' });
  };
  const flush = async (): Promise<void> => {
    if (group.length === 0) return;
    writer ??= open();
    const rows = group;
    group = [];
    inGroup = 0;
    await writer.write({
      columnData: names.map((name) => ({
        name,
        data: rows.map((row) => cellOf(columns[name] as Columns[string], row[name])),
      })),
      rowGroupSize: rows.length,
    });
  };
  const finish = async (): Promise<void> => {
    await flush();
    await writer?.finish();
    writer = undefined;
    inShard = 0;
  };
  return {
    push: async (json) => {
      group.push(JSON.parse(json) as Record<string, Json>);
      inGroup += json.length;
      inShard += json.length;
      if (inShard >= shardBytes) await finish();
      else if (inGroup >= groupBytes || group.length >= GROUP_ROWS) await flush();
    },
    close: async () => {
      await finish();
      return parts.map((part, n) => {
        const name = `${stem}-${number(n)}-of-${number(parts.length)}.parquet`;
        renameSync(part, join(root, name));
        return name;
      });
    },
    abandon: () => undefined,
  };
};
