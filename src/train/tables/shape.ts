/** What a column of a dataset holds, said once for both files it may be written in: JSON lines and Parquet. */
import type { SchemaElement } from 'hyparquet';
import type { Json } from '../../kit/hash.js';

/** `json`: a value whose form changes from row to row. JSON lines keep it as it is, Parquet as JSON text. */
export type Shape = 'text' | 'whole' | 'real' | 'truth' | 'json' | { list: Shape } | { fields: Columns };
export type Columns = { readonly [name: string]: Shape };
export type Row = Record<string, Json>;

const LEAF: Record<Extract<Shape, string>, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  truth: { type: 'BOOLEAN' },
};

/** The elements of one column, depth first, as Parquet's footer wants them. Every one may be null. */
const elementsOf = (name: string, shape: Shape): SchemaElement[] => {
  if (typeof shape === 'string') return [{ name, repetition_type: 'OPTIONAL', ...LEAF[shape] }];
  if ('list' in shape)
    return [
      { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', shape.list),
    ];
  const fields = Object.entries(shape.fields);
  return [
    { name, repetition_type: 'OPTIONAL', num_children: fields.length },
    ...fields.flatMap(([field, own]) => elementsOf(field, own)),
  ];
};

/** The whole Parquet schema of a table. */
export const schemaOf = (columns: Columns): SchemaElement[] => [
  { name: 'root', num_children: Object.keys(columns).length },
  ...Object.entries(columns).flatMap(([name, shape]) => elementsOf(name, shape)),
];

/** A row's value as the Parquet writer takes it; what the row does not have is null. */
export const cellOf = (shape: Shape, value: Json | undefined): unknown => {
  if (value === undefined || value === null) return null;
  if (shape === 'json') return JSON.stringify(value);
  if (shape === 'whole') return BigInt(value as number);
  if (typeof shape === 'string') return value;
  if ('list' in shape) return (value as Json[]).map((each) => cellOf(shape.list, each));
  const record = value as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(shape.fields).map(([field, own]) => [
      field,
      cellOf(own, Object.hasOwn(record, field) ? record[field] : undefined),
    ]),
  );
};
