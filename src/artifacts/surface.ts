/**
 * The surface of a service: how names, values, envelopes and errors look to an agent (architecture.md, decision 5). A pure
 * mapping around the same steps: state and verifiers never see it.
 */
import { z } from 'zod';

export const Naming = z.enum(['snake', 'camel', 'pascal', 'kebab', 'upper', 'asis']);

/**
 * Templates are JSON in which these strings are replaced: `$fields` (the row's columns as an object), `$key` (the key, in
 * surface form), `$noun`, `$nouns` (table, singular and plural in the naming style; also as object keys), and for lists `$rows`, `$more`, `$total`,
 * `$cursor` (absent at the end), `$page`, `$pages`, `$size`, `$offset`, `$shown`; for errors `$code`, `$message`, `$status`,
 * `$field`. `$row` is the row with its own template applied. A key whose placeholder has no value is left out.
 */
export const Template = z.json();

export const Surface = z.strictObject({
  /** Which dialect it was drawn from; `document` when an API document dictates it. */
  dialect: z.string(),
  fields: Naming,
  args: Naming,
  enums: z.enum(['asis', 'lower_snake', 'upper_snake', 'pascal', 'kebab', 'words']),
  date: z.enum(['iso', 'compact', 'words', 'unix', 'unix_text']),
  datetime: z.enum(['iso', 'iso_offset', 'unix', 'unix_text', 'unix_ms', 'unix_ms_text', 'compact', 'words']),
  money: z.enum(['minor', 'decimal', 'text', 'text_currency', 'currency_text', 'object', 'number']),
  /** Currency of a money value whose row has no currency column (ISO 4217). */
  currency: z.string().optional(),
  /** Around the fields of one row. */
  row: Template,
  /** Around the answer with one row, with many, with none. */
  one: Template,
  many: Template,
  done: Template,
  paging: z.enum(['cursor', 'page0', 'page1', 'offset', 'none']),
  error: Template,
});

export type Naming = z.infer<typeof Naming>;
export type Template = z.infer<typeof Template>;
export type Surface = z.infer<typeof Surface>;
