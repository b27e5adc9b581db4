/** Finds a rollout by its id, or by so much of it as no other has, in a corpus or in a file of traces. */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArtifact } from '../../../artifacts/registry.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { diskError } from '../../../corpus/files.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { eachTrace } from '../../../corpus/traces/read.js';
import { TreadleError } from '../../../errors.js';
import { cleanShort } from './clean.js';
import type { FoundTrace } from './shown.js';

export interface Placed {
  found: FoundTrace;
  /** The world whose rollouts it is among, where a corpus was read. */
  world?: string;
}

/** Shorter beginnings say nothing. */
const LEAST = 4;
/** Ids that an error names. */
const NAMED = 6;

/** Rollouts of the corpus, world by world; what `where` rules out is passed over without being read. */
export async function* tracesOf(
  corpus: Corpus,
  worlds: readonly string[] = corpus.worlds(),
  where?: (head: TraceHead) => boolean,
): AsyncGenerator<Placed> {
  for (const world of worlds) for (const found of eachTrace(corpus, world, where)) yield { found, world };
}

const foundIn = (value: unknown, at: string): FoundTrace => {
  const whole = (value ?? {}) as { treadle?: unknown; trace?: unknown; verdict?: unknown; stages?: unknown };
  const isBare = whole.treadle === 'trace/1';
  return {
    trace: parseArtifact('trace', isBare ? value : whole.trace, at),
    ...(!isBare && whole.verdict ? { verdict: parseArtifact('verdict', whole.verdict, at) } : {}),
    ...(!isBare && Array.isArray(whole.stages)
      ? { stages: whole.stages.map((stage) => parseArtifact('verdict', stage, at)) }
      : {}),
  };
};

const isObject = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

const noTraces = (file: string, line: string): TreadleError =>
  new TreadleError({
    code: 'no_traces',
    message: 'The file holds no traces',
    value: line === '' ? file : cleanShort(line, 60),
    next: 'Give a file of lines {"trace": ..., "verdict": ...} or of bare traces, such as traces/<world>.jsonl of a corpus.',
  });

/** Rollouts of a file: a line each, or one alone over many lines. A last line that was cut off is left out. */
export async function* tracesIn(file: string): AsyncGenerator<Placed> {
  let number = 0;
  let seen = 0;
  let held = '';
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() === '') continue;
      if (held === '' && isObject(line)) {
        seen++;
        yield { found: foundIn(JSON.parse(line), `${file} line ${number}`) };
      } else held += `${line}\n`;
      // One object over many lines is a file of one rollout; of more nothing can be made.
      if (held.length > 256 * 1024 * 1024) throw noTraces(file, held);
    }
  } catch (thrown) {
    if (thrown instanceof TreadleError) throw thrown;
    throw diskError(thrown, file, 'read');
  }
  if (held !== '' && isObject(held)) yield { found: foundIn(JSON.parse(held), file) };
  else if (seen === 0) throw noTraces(file, held);
}

export const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const several = (id: string, ids: readonly string[]): TreadleError => {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  const width = Math.max(12, id.length + 4);
  return new TreadleError({
    code: 'ambiguous_id',
    message: 'Several rollouts begin so',
    value: id,
    next: `Say more of it: ${ids
      .slice(0, NAMED)
      .map((one) => one.slice(0, width))
      .join(', ')}${more}.`,
  });
};

/** The rollout that `id` names or begins, a later line of one id before an earlier; undefined where there is none. Throws `ambiguous_id`. */
export const findTrace = async (id: string, all: AsyncIterable<Placed>): Promise<Placed | undefined> => {
  if (id.length < LEAST) return undefined;
  const ids = new Set<string>();
  let exact: Placed | undefined;
  let only: Placed | undefined;
  for await (const placed of all) {
    const own = placed.found.trace.id;
    if (!own.startsWith(id)) continue;
    ids.add(own);
    if (own === id) exact = placed;
    only = placed;
  }
  if (exact) return exact;
  if (ids.size > 1) throw several(id, [...ids]);
  return only;
};
