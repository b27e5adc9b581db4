/** Columns as a Parquet schema (three-level lists, everything optional), and values as its leaves take them. */
import type { SchemaElement } from 'hyparquet';
import type { Json } from '../../../kit/hash.js';
import type { Columns, ColumnType } from '../../formats/columns.js';

const LEAVES: Record<Extract<ColumnType, string>, Omit<SchemaElement, 'name'>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  bool: { type: 'BOOLEAN' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  float: { type: 'FLOAT' },
  double: { type: 'DOUBLE' },
};

const elementsOf = (name: string, type: ColumnType): SchemaElement[] => {
  if (typeof type === 'string') return [{ name, repetition_type: 'OPTIONAL', ...LEAVES[type] }];
  if ('list' in type)
    return [
      { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', type.list),
    ];
  const fields = Object.entries(type.struct);
  return [
    { name, repetition_type: 'OPTIONAL', num_children: fields.length },
    ...fields.flatMap(([field, own]) => elementsOf(field, own)),
  ];
};

export const schemaOf = (columns: Columns): SchemaElement[] => [
  { name: 'root', num_children: Object.keys(columns).length },
  ...Object.entries(columns).flatMap(([name, type]) => elementsOf(name, type)),
];

/** A value as hyparquet-writer takes it: whole numbers of 64 bits as bigint, what is absent as null. It
 * writes `json` leaves as their text itself. */
export const cellOf = (type: ColumnType, value: Json | undefined): unknown => {
  if (value === undefined || value === null) return null;
  if (type === 'int64') return BigInt(value as number);
  if (typeof type === 'string') return value;
  if ('list' in type) return (value as Json[]).map((one) => cellOf(type.list, one));
  return Object.fromEntries(
    Object.entries(type.struct).map(([name, own]) => [name, cellOf(own, (value as Record<string, Json>)[name])]),
  );
};
