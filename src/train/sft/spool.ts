/** First pass of an export: every row behind its lineage in a spool file, since sides are dealt once all lineages are known. */
import { createReadStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { sha256 } from '../../kit/hash.js';
import type { RowFormat } from '../formats/format.js';
import type { SplitCount } from './card.js';
import { type Exclusion, exclusionOf } from './exclude.js';
import { jsonLine, push } from './lines.js';
import { type ExportItem, lineageOf, rowOf, type SftRow } from './row.js';
import type { Split } from './split.js';

const bump = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

export interface Spooled {
  lineages: Map<string, number>;
  producers: Map<string, number>;
  worlds: Map<string, number>;
  templates: Map<string, number>;
  excluded: Map<Exclusion, number>;
}

const sayingOf = (row: SftRow): string => sha256(JSON.stringify([row.metadata.task, row.messages]));

const producerName = ({ policy, name }: SftRow['metadata']['producer']): string =>
  policy === name || policy === 'scripted' ? policy : `${policy} ${name}`;

/** Writes every row behind its lineage: `lineage \t row \n`. */
export const spool = async (
  items: AsyncIterable<ExportItem> | Iterable<ExportItem>,
  file: WriteStream,
  format: RowFormat,
  onlyPassing: boolean,
): Promise<Spooled> => {
  const out: Spooled = {
    lineages: new Map(),
    producers: new Map(),
    worlds: new Map(),
    templates: new Map(),
    excluded: new Map(),
  };
  const said = new Set<string>();
  for await (const item of items) {
    const exclusion = exclusionOf(item, onlyPassing);
    if (exclusion) {
      bump(out.excluded, exclusion);
      continue;
    }
    const row = rowOf(item);
    const saying = sayingOf(row);
    if (said.has(saying)) {
      bump(out.excluded, 'duplicate');
      continue;
    }
    said.add(saying);
    const lineage = lineageOf(item.task);
    bump(out.lineages, lineage);
    bump(out.producers, producerName(row.metadata.producer));
    bump(out.worlds, row.metadata.world_id);
    bump(out.templates, row.metadata.lineage.template);
    await push(file, `${jsonLine(lineage)}\t${jsonLine(format.write(row))}\n`);
  }
  return out;
};

/** Second pass: each row to its lineage's side. */
export const deal = async (
  spoolFile: string,
  sides: ReadonlyMap<string, Split>,
  files: Record<Split, WriteStream>,
): Promise<Record<Split, SplitCount>> => {
  const counts: Record<Split, SplitCount> = {
    train: { rows: 0, bytes: 0, lineages: 0 },
    validation: { rows: 0, bytes: 0, lineages: 0 },
  };
  for (const side of sides.values()) counts[side].lineages++;
  for await (const line of createInterface({
    input: createReadStream(spoolFile),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const tab = line.indexOf('\t');
    const side = sides.get(JSON.parse(line.slice(0, tab)) as string) ?? 'train';
    const row = `${line.slice(tab + 1)}\n`;
    counts[side].rows++;
    counts[side].bytes += Buffer.byteLength(row);
    await push(files[side], row);
  }
  return counts;
};
