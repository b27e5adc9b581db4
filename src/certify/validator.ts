/** The validator seam: one file a validator, one line in validators/registry.ts (certify.md, "The oracle"). */
import type { Finding } from '../artifacts/certificate.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Tool } from '../artifacts/tool.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import type { LoadedService, LoadedWorld } from '../world/loaded.js';
import type { Caller } from '../world/program/types.js';
import type { Row } from '../world/state/types.js';
import type { InvariantStudy } from './invariants/study.js';
import type { Probe } from './probes.js';
import type { Query } from './query.js';
import type { Reader } from './reader.js';
import type { RowTest } from './shown.js';

/** One service inside a loaded world, as a validator sees it. */
export interface ServiceSubject {
  world: LoadedWorld;
  service: LoadedService;
  spec: ServiceSpec;
  /** Rows per table that the initial data is said to hold. */
  manifest: Readonly<Record<string, number>>;
  me: Caller;
  random: Rng;
  /** All rows of a table in the initial state. */
  rows(table: string): readonly Row[];
  /** A session on the initial state. Drop it. */
  open(): Session;
  /** A session in which the probe can be called: on the initial state, after the calls it needs before it. Drop it. */
  ready(probe: Probe): Session;
  /** Calls of reads on the initial state, shared by the validators. Close it. */
  reader: Reader;
  /** Whether an answer shows a row of the table with those columns (all, when absent) as it is stored. */
  isRow(table: string, cols: readonly string[] | undefined): RowTest;
  /** What a list or search is asked, drawn once. */
  questions(tool: Tool): readonly Query[];
  /** A call of each tool that succeeded, found once and shared by the validators. */
  probes: readonly Probe[];
}

export interface ServiceValidator {
  id: string;
  number: number;
  title: string;
  run(subject: ServiceSubject): Finding;
}

/** A whole loaded world, as a validator of what only a whole can show sees it. */
export interface WorldSubject {
  world: LoadedWorld;
  me: Caller;
  random: Rng;
  /** A session on the initial state. Drop it. */
  open(): Session;
  /** All rows of a table in the initial state. */
  rows(service: string, table: string): readonly Row[];
  /** A call of each tool of the world that succeeded, where one was found. */
  probes: readonly Probe[];
  /** What was found out about each invariant, once for all validators. */
  studies(): readonly InvariantStudy[];
}

export interface WorldValidator {
  id: string;
  number: number;
  title: string;
  run(subject: WorldSubject): Finding;
}

type Part = NonNullable<Finding['repair']>['part'];

/** Collects what was seen; a finding passes when nothing was held against the subject. */
export interface Notes {
  saw(line: string): void;
  against(line: string, part: Part, hint: string): void;
  /** Notes on one tool (its name in the spec): leaving that tool out would mend what is held against it. */
  of(tool: string): Pick<Notes, 'against'>;
  finding(id: string): Finding;
}

const MOST_LINES = 12;

export const takeNotes = (): Notes => {
  const seen: string[] = [];
  const faults: { line: string; part: Part; hint: string; tool: string | undefined }[] = [];
  return {
    saw: (line) => seen.push(line),
    against: (line, part, hint) => faults.push({ line, part, hint, tool: undefined }),
    of: (tool) => ({ against: (line, part, hint) => faults.push({ line, part, hint, tool }) }),
    finding: (id) => {
      const [first] = faults;
      const evidence = [...faults.map(({ line }) => line), ...seen].slice(0, MOST_LINES);
      const tools = [...new Set(faults.map(({ tool }) => tool))];
      const own = tools.every((tool) => tool !== undefined) ? { tools: tools as string[] } : {};
      return {
        id,
        pass: first === undefined,
        evidence,
        ...(first ? { repair: { part: first.part, hint: first.hint, ...own } } : {}),
      };
    },
  };
};
