/** First pass of an export: every line behind its rollout in a spool file, since sides and arms are dealt once all are known. */
import type { WriteStream } from 'node:fs';
import { sha256 } from '../../kit/hash.js';
import type { Line, Shape, Source } from '../formats/shape.js';
import { type Exclusion, exclusionOf } from './exclude.js';
import { FACETS, type Facet, type Facets, facetsOf } from './facets.js';
import { type Filters, filteredOut } from './filters.js';
import { jsonLine, push } from './lines.js';
import type { Unit } from './mix/unit.js';
import { nearIndex } from './near.js';
import { withNoticesMerged } from './notices.js';
import { type ExportItem, lineageOf, rowOf, type SftRow } from './row.js';
import { bump, count, emptyTally, judge, type Tally } from './tally.js';

export interface SpoolOptions {
  shape: Shape;
  onlyPassing: boolean;
  filters: Filters;
  /** What a user says behind a tool's result goes into it. */
  mergesNotices?: boolean;
  /** Ids of the longest line of a rollout, for `maxTokens` and shapes whose lines hold none. */
  lengthOf?: (source: Source) => number | Exclusion;
}

/** A rollout in the spool: its lines follow one another. */
export interface SpooledUnit extends Unit {
  lineage: string;
  lines: number;
}

export interface Spooled {
  tally: Tally;
  units: SpooledUnit[];
}

const sayingOf = (row: SftRow): string => sha256(JSON.stringify([row.metadata.task, row.messages]));

/** One string for all rows that say the same: facets are few, rows are many. */
const interner = (): ((text: string) => string) => {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    known.set(text, text);
    return text;
  };
};

/** Tells of each row whether it was there before. */
const doubles = (dedup: Filters['dedup']): ((row: SftRow) => Exclusion | undefined) => {
  if (dedup === 'none') return () => undefined;
  const said = new Set<string>();
  const near = dedup === 'near' ? nearIndex() : undefined;
  return (row) => {
    const saying = sayingOf(row);
    if (said.has(saying)) return 'duplicate';
    said.add(saying);
    return near?.isNear(row) ? 'near_duplicate' : undefined;
  };
};

/** Writes every line behind the index of its rollout: `index \t line \n`. */
export const spool = async (
  items: AsyncIterable<ExportItem> | Iterable<ExportItem>,
  file: WriteStream,
  { shape, onlyPassing, filters, mergesNotices, lengthOf }: SpoolOptions,
): Promise<Spooled> => {
  const tally = emptyTally();
  const units: SpooledUnit[] = [];
  const intern = interner();
  const isDouble = doubles(filters.dedup);
  const unfit = (source: Source, facets: Facets): Exclusion | undefined => {
    const filtered = filteredOut(source.row, facets, filters) ?? isDouble(source.row);
    if (filtered || filters.maxTokens === undefined || !lengthOf) return filtered;
    const length = lengthOf(source);
    if (typeof length === 'string') return length;
    return length > filters.maxTokens ? 'too_many_tokens' : undefined;
  };
  const isTooLong = ({ input_ids }: Line): boolean =>
    Array.isArray(input_ids) && input_ids.length > (filters.maxTokens ?? Number.POSITIVE_INFINITY);
  for await (const item of items) {
    const excluded = exclusionOf(item, onlyPassing);
    if (excluded !== 'other_task') judge(tally, item);
    if (excluded) {
      bump(tally.excluded, excluded);
      continue;
    }
    const row = mergesNotices ? withNoticesMerged(rowOf(item)) : rowOf(item);
    const facets = facetsOf(item);
    const { tokens } = item.trace;
    const source: Source = { row, clock: item.task.clock, ...(tokens ? { tokens } : {}) };
    const why = unfit(source, facets);
    const made = why ? { refused: why } : shape.lines(source);
    if ('refused' in made || made.lines.some(isTooLong)) {
      bump(tally.excluded, 'refused' in made ? made.refused : 'too_many_tokens');
      continue;
    }
    count(tally, row, facets);
    const own = Object.fromEntries(FACETS.map((facet) => [facet, intern(facets[facet])])) as Record<Facet, string>;
    for (const line of made.lines) await push(file, `${units.length}\t${jsonLine(line)}\n`);
    units.push({
      id: row.metadata.trace_id,
      task: intern(row.metadata.task),
      facets: own,
      lineage: intern(lineageOf(item.task)),
      lines: made.lines.length,
    });
  }
  return { tally, units };
};
