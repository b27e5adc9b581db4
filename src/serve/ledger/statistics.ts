/** How every version of a tool fares, by run and policy version: what `evolve` and the metrics read. In memory, bounded. */
import type { Labels, ToolStatistics } from '../api.js';
import type { StatisticsFilter } from '../trainer.js';
import { Histogram, type HistogramParts } from './histogram.js';

/** Rows kept, and how many of them are kept free for tools without labels. */
const ROWS = 50_000;
const UNLABELLED_SHARE = 0.1;
/** Error codes told apart in one row; outside servers may make up any number. */
const CODES = 64;
/** Tools that do not exist have no version and are counted as one: agents invent any number of names. */
const UNKNOWN_TOOL = 'unknown_tool';

export interface RecordedCall {
  service: string;
  serviceHash: string;
  tool: string;
  toolVersion: string;
  ok: boolean;
  fault?: string | undefined;
  code?: string | undefined;
  /** Wall-clock milliseconds. */
  ms: number;
  labels: Labels;
}

type ToolKey = Pick<RecordedCall, 'service' | 'serviceHash' | 'tool' | 'toolVersion'>;

/** A row as data, to be merged in another process. */
export interface RowParts extends ToolKey {
  labels: Labels;
  latency: HistogramParts;
  failed: Record<string, number>;
  codes: Record<string, number>;
}

export interface StatisticsParts {
  rows: RowParts[];
  labelsDropped: number;
  callsDropped: number;
}

/** One row: a tool version under one run and policy version. */
export class Row {
  readonly latency = new Histogram();
  /** Made with the first failure. */
  failed: Map<string, number> | undefined;
  codes: Map<string, number> | undefined;

  constructor(
    readonly key: ToolKey,
    readonly run: string | undefined,
    readonly policyVersion: string | undefined,
  ) {}

  record({ ok, fault, code, ms }: RecordedCall): void {
    this.latency.record(ms);
    if (ok) return;
    this.failed ??= new Map();
    this.codes ??= new Map();
    count(this.failed, fault ?? 'unknown', 1);
    count(this.codes, code ?? 'unknown', 1);
  }

  merge(other: Row): void {
    this.absorb(other.parts());
  }

  absorb({ latency, failed, codes }: Omit<RowParts, keyof ToolKey | 'labels'>): void {
    this.latency.absorb(latency);
    this.failed = summed(this.failed, failed);
    this.codes = summed(this.codes, codes);
  }

  parts(): RowParts {
    const labels: Labels = {};
    if (this.run !== undefined) labels.run = this.run;
    if (this.policyVersion !== undefined) labels.policyVersion = this.policyVersion;
    const failed = Object.fromEntries(this.failed ?? []);
    const codes = Object.fromEntries(this.codes ?? []);
    return { ...this.key, labels, latency: this.latency.parts(), failed, codes };
  }

  report(): ToolStatistics {
    const { latency, ...rest } = this.parts();
    return { ...rest, calls: latency.count, ms: this.latency.quantiles() };
  }
}

const count = (counts: Map<string, number>, key: string, by: number): void => {
  const known = counts.get(key);
  if (known === undefined && counts.size >= CODES) counts.set('other', (counts.get('other') ?? 0) + by);
  else counts.set(key, (known ?? 0) + by);
};

const summed = (
  counts: Map<string, number> | undefined,
  more: Record<string, number>,
): Map<string, number> | undefined => {
  let sums = counts;
  for (const [key, by] of Object.entries(more)) {
    sums ??= new Map();
    count(sums, key, by);
  }
  return sums;
};

/** Rows of one tool version; nested maps on strings that are the same objects each time are faster than one long joined key. */
interface Tool {
  key: ToolKey;
  plain: Row | undefined;
  labelled: Map<string, Map<string, Row>> | undefined;
}

const child = <V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> => {
  let known = map.get(key);
  if (!known) {
    known = new Map();
    map.set(key, known);
  }
  return known;
};

/** Stands for an absent label beside a present one; a label has at least one character. */
const NONE = '';

export class Statistics {
  readonly #most: number;
  readonly #mostLabelled: number;
  /** By the service's address, then by name: nearly always one version of one service. */
  readonly #tools = new Map<string, Map<string, Tool[]>>();
  readonly #rows: Row[] = [];
  #labelled = 0;
  /** Calls counted without their labels, and calls not counted at all, because there were too many rows. */
  labelsDropped = 0;
  callsDropped = 0;

  constructor(mostRows = ROWS) {
    this.#most = mostRows;
    this.#mostLabelled = mostRows - Math.ceil(mostRows * UNLABELLED_SHARE);
  }

  /** Counts a call. Never throws. */
  record(call: RecordedCall): void {
    const tool = this.#tool(call);
    const row = tool && this.#row(tool, call.labels);
    if (row) row.record(call);
    else this.callsDropped++;
  }

  /** As data; of rows that the filter lets through. */
  parts(filter: StatisticsFilter = {}): StatisticsParts {
    const { labelsDropped, callsDropped } = this;
    return {
      rows: this.#rows.filter((row) => passes(row, filter)).map((row) => row.parts()),
      labelsDropped,
      callsDropped,
    };
  }

  /** Adds what was counted in another process. */
  absorb({ rows, labelsDropped, callsDropped }: StatisticsParts): void {
    this.labelsDropped += labelsDropped;
    this.callsDropped += callsDropped;
    for (const parts of rows) {
      const tool = this.#tool(parts);
      const row = tool && this.#row(tool, parts.labels);
      if (row) row.absorb(parts);
      else this.callsDropped += parts.latency.count;
    }
  }

  /** A tool's place; made unless every row is taken, for then it could hold none. */
  #tool({ toolVersion, tool, service, serviceHash }: ToolKey): Tool | undefined {
    const name = toolVersion === '' ? UNKNOWN_TOOL : tool;
    const known = this.#tools.get(serviceHash)?.get(name);
    const found = known?.find(({ key }) => key.toolVersion === toolVersion && key.service === service);
    if (found || this.#rows.length >= this.#most) return found;
    const key = { service, serviceHash, tool: name, toolVersion };
    const made: Tool = { key, plain: undefined, labelled: undefined };
    if (known) known.push(made);
    else child(this.#tools, serviceHash).set(name, [made]);
    return made;
  }

  #row(tool: Tool, { run, policyVersion }: Labels): Row | undefined {
    if (run === undefined && policyVersion === undefined) return this.#plain(tool);
    const known = tool.labelled?.get(run ?? NONE)?.get(policyVersion ?? NONE);
    if (known) return known;
    if (this.#labelled >= this.#mostLabelled || this.#rows.length >= this.#most) {
      this.labelsDropped++;
      return this.#plain(tool);
    }
    this.#labelled++;
    tool.labelled ??= new Map();
    const row = this.#add(new Row(tool.key, run, policyVersion));
    child(tool.labelled, run ?? NONE).set(policyVersion ?? NONE, row);
    return row;
  }

  #plain(tool: Tool): Row | undefined {
    if (!tool.plain && this.#rows.length < this.#most) tool.plain = this.#add(new Row(tool.key, undefined, undefined));
    return tool.plain;
  }

  #add(row: Row): Row {
    this.#rows.push(row);
    return row;
  }

  /** Rows as they are kept, in order of their first call. */
  rows(): readonly Row[] {
    return this.#rows;
  }

  /** One row for each tool version, run and policy version that the filter lets through; latencies in milliseconds. */
  report(filter: StatisticsFilter = {}): ToolStatistics[] {
    return sorted(this.#rows.filter((row) => passes(row, filter)));
  }

  /** One row for each tool version, over all labels that the filter lets through. */
  merged(filter: StatisticsFilter = {}): ToolStatistics[] {
    const rows = new Map<ToolKey, Row>();
    for (const row of this.#rows) {
      if (!passes(row, filter)) continue;
      const sum = rows.get(row.key) ?? new Row(row.key, undefined, undefined);
      sum.merge(row);
      rows.set(row.key, sum);
    }
    return sorted([...rows.values()]);
  }
}

const passes = ({ key, run, policyVersion }: Row, filter: StatisticsFilter): boolean =>
  (filter.service === undefined || filter.service === key.service) &&
  (filter.tool === undefined || filter.tool === key.tool) &&
  (filter.run === undefined || filter.run === run) &&
  (filter.policyVersion === undefined || filter.policyVersion === policyVersion);

const sortKey = ({ key, run, policyVersion }: Row): string =>
  [key.service, key.tool, key.toolVersion, key.serviceHash, run ?? '', policyVersion ?? ''].join('\n');

const sorted = (rows: Row[]): ToolStatistics[] =>
  rows
    .map((row) => ({ row, at: sortKey(row) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ row }) => row.report());
