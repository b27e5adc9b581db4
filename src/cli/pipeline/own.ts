/** What a user adds to an input: rows of their own, and corrections of what was read. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import type { WorldDraft } from '../../author/draft.js';
import { isUrl } from '../../author/openapi/read.js';
import { overrideDraft } from '../../author/overrides/draft.js';
import { type Overrides, readOverrides } from '../../author/overrides/read.js';
import { attachOwnRows } from '../../author/own-data/attach.js';
import { readOwnTables } from '../../author/own-data/read.js';
import type { OwnTable } from '../../author/own-data/types.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json, sha256 } from '../../kit/hash.js';
import type { Input } from './input.js';

/** Plain data, for worker processes too. */
export interface Own {
  tables?: OwnTable[];
  overrides?: Overrides;
}

/** What `ownOptions` adds to a command. */
export interface OwnOptions {
  data?: string[];
  overrides?: string;
}

/** Adds `--data` (which may be repeated) and `--overrides`. */
export const ownOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--data <file>',
        'rows of yours: JSON by table, CSV named after its table (or table=FILE), SQLite',
      ).argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]),
    )
    .option('--overrides <file>', 'corrections (YAML); else overrides.yaml beside the document, where there is one');

const BESIDE = 'overrides.yaml';

const overridesFile = (input: Input, given: string | undefined, named: string | undefined): string | undefined => {
  if (named !== undefined) {
    if (statSync(named, { throwIfNoEntry: false })?.isFile()) return named;
    throw new TreadleError({
      code: 'missing_file',
      message: 'There is no such file of corrections',
      value: named,
      next: 'Check the path.',
    });
  }
  if (input.kind !== 'document' || given === undefined || isUrl(given)) return undefined;
  const beside = join(dirname(given), BESIDE);
  return existsSync(beside) ? beside : undefined;
};

/**
 * The input with the user's rows and corrections; its hash covers them. `given` is the path it was read from. Throws `missing_file`,
 * `bad_data`, `data_does_not_fit` and `bad_overrides`.
 */
export const withOwn = async (
  input: Input,
  given: string | undefined,
  { data = [], overrides }: OwnOptions,
): Promise<Input> => {
  const file = overridesFile(input, given?.trim(), overrides);
  const corrections = file === undefined ? undefined : readOverrides(readFileSync(file, 'utf8'));
  const tables: OwnTable[] = [];
  for (const each of data) tables.push(...(await readOwnTables(each)));
  if (corrections === undefined && tables.length === 0) return input;
  const own: Own = { ...(tables.length > 0 ? { tables } : {}), ...(corrections ? { overrides: corrections } : {}) };
  return { ...input, own, hash: sha256(`${input.hash}\n${canonicalJson(own as unknown as Json)}`) };
};

/** The draft with corrections applied and rows attached. */
export const withOwnIn = (draft: WorldDraft, { tables, overrides }: Own): WorldDraft => {
  const corrected = overrides ? overrideDraft(draft, overrides) : draft;
  return tables ? attachOwnRows(corrected, tables) : corrected;
};

/** For a person: which file of corrections is in use. */
export const ownLine = (input: Input): string | undefined => {
  const tables = input.own?.tables;
  const parts = [
    ...(tables
      ? [
          `${tables.reduce((sum, { rows }) => sum + rows.length, 0)} rows from ${[...new Set(tables.map(({ file }) => basename(file)))].join(', ')}`,
        ]
      : []),
    ...(input.own?.overrides ? ['corrections'] : []),
  ];
  return parts.length > 0 ? `With ${parts.join(' and ')}` : undefined;
};
