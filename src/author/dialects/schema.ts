/** The shape of data/dialects.yaml, read once a process. */
import { z } from 'zod';
import { Naming, Surface, Template } from '../../artifacts/surface.js';
import { IdStyle } from '../../artifacts/table.js';
import { readDataFile } from '../../kit/data-file.js';

const rangeNames = z.strictObject({ gte: z.string(), lte: z.string(), gt: z.string(), lt: z.string() });
const words = z.array(z.string()).min(1);

const NamingFacet = z.strictObject({
  fields: Naming,
  args: Naming,
  tools: z.strictObject({
    order: z.enum(['verb_noun', 'noun_verb']),
    case: z.enum(['snake', 'camel', 'pascal', 'title', 'double', 'code']),
    plural: z.enum(['many', 'always', 'never']),
    suffix: z.string().optional(),
    article: z.boolean().optional(),
    bare: z.boolean().optional(),
  }),
  words: z.strictObject({ list: words, search: words, get: words, create: words, update: words, delete: words }),
  ranges: z.union([z.strictObject({ nested: rangeNames }), z.strictObject({ flat: rangeNames })]),
  filters: z.string().optional(),
  sets: z.string().optional(),
  eq: z.boolean().optional(),
  spell: z.enum(['title', 'code']).optional(),
});

const IdFacet = z.strictObject({
  style: IdStyle.shape.style,
  length: z.number().int().optional(),
  prefix: z.enum(['short', 'letter', 'upper', 'path', 'name', 'none']),
  key: z.string().optional(),
  /** The key keeps its path even against a column of that name. */
  firm: z.boolean().optional(),
  ref: z.string().optional(),
  keyArg: z.string().optional(),
  refArg: z.string().optional(),
});

const Envelope = z.strictObject({
  row: Template,
  one: Template,
  many: Template,
  done: Template,
  paging: z.strictObject({ style: Surface.shape.paging, limit: z.string().optional(), at: z.string().optional() }),
});

const Dialect = z.strictObject({
  id: z.string(),
  naming: NamingFacet,
  ids: IdFacet,
  enums: Surface.shape.enums,
  dates: z.strictObject({ date: Surface.shape.date, datetime: Surface.shape.datetime }),
  money: Surface.shape.money,
  envelope: Envelope,
  errors: Template,
  /** What the style has and a surface cannot say. */
  lacks: z.string().optional(),
});

const FACETS = ['ids', 'enums', 'dates', 'money', 'envelope', 'errors'] as const;
const Mix = z.strictObject({
  probability: z.number(),
  each: z.number(),
  facets: z.array(z.enum(FACETS)),
  never: z.array(z.array(z.string()).length(2)),
});

const others = z.record(z.string(), words);
const Synonyms = z.strictObject({ chance: z.number(), names: others, endings: others });

const share = z.number().min(0).max(1);
const Habits = z.strictObject({
  sort: share,
  many: share,
  made: share,
  changed: share,
  amounts: share,
  ids: share,
  label: share,
  drop: share,
  pages: z.array(z.tuple([z.number().int(), z.number().int()])).min(1),
});

const DialectFile = z.strictObject({
  treadle: z.literal('dialects/1'),
  dialects: z.array(Dialect),
  mix: Mix,
  synonyms: Synonyms,
  habits: Habits,
});

export type NamingFacet = z.infer<typeof NamingFacet>;
export type IdFacet = z.infer<typeof IdFacet>;
export type Envelope = z.infer<typeof Envelope>;
export type Dialect = z.infer<typeof Dialect>;
export type Mix = z.infer<typeof Mix>;
export type Habits = z.infer<typeof Habits>;

let loaded: z.infer<typeof DialectFile> | undefined;

/** Every dialect and the rules of mixing, from data/dialects.yaml. */
export const dialectFile = (): z.infer<typeof DialectFile> => {
  loaded ??= DialectFile.parse(readDataFile('dialects'));
  return loaded;
};
