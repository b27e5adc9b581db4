/** Counts of rollouts from their heads: passed, failed, cut or whose fault, problems by code, behaviour apart from all of it. */
import type { Corpus } from '../../../corpus/corpus.js';
import { writeJson } from '../../../corpus/files.js';
import type { Tally, TraceCounts } from '../../../corpus/listings.js';
import type { TraceHead } from '../../../corpus/traces/line.js';
import { type Became, outcomeOf } from '../../../rollout/outcome.js';
import { FLAG_IDS } from '../../../verify/behaviour/registry.js';

export const became = (head: Pick<TraceHead, 'finish' | 'problem' | 'verdict'>): Became =>
  outcomeOf(head, head.verdict);

/** Whether a rollout is one to make again: the infrastructure broke it, or it was called off before its end. */
export const isToRepeat = (head: Pick<TraceHead, 'finish' | 'problem' | 'verdict'>): boolean => {
  const { outcome, fault } = became(head);
  if (outcome === 'fault') return fault === 'infrastructure';
  return outcome === 'cut' && (head.problem?.code === 'cut' || head.problem?.code === 'run_budget');
};

const counted = (values: readonly string[]): Record<string, number> => {
  const out = new Map<string, number>();
  for (const value of values) out.set(value, (out.get(value) ?? 0) + 1);
  return Object.fromEntries([...out].sort(([a], [b]) => (a < b ? -1 : 1)));
};
const some = <K extends string>(key: K, counts: Record<string, number>): { [key in K]?: Record<string, number> } =>
  (Object.keys(counts).length > 0 ? { [key]: counts } : {}) as { [key in K]?: Record<string, number> };
const positive = <K extends string>(key: K, n: number): { [key in K]?: number } =>
  (n > 0 ? { [key]: n } : {}) as { [key in K]?: number };

/** A rate is `passed` of `rollouts - unfinished`. Behaviour is counted of finished rollouts and changes neither. */
export const tallyOf = (all: readonly TraceHead[]): Tally => {
  const heads = all.filter(({ origin }) => origin !== 'negative');
  const outcomes = heads.map(became);
  const finished = heads.filter((_, n) => outcomes[n]?.outcome === 'passed' || outcomes[n]?.outcome === 'failed');
  const behaviour = FLAG_IDS.flatMap((flag) => {
    const n = finished.filter(({ flags }) => flags.includes(flag)).length;
    return n > 0 ? [[flag, n] as const] : [];
  });
  return {
    rollouts: heads.length,
    unfinished: heads.length - finished.length,
    passed: outcomes.filter(({ outcome }) => outcome === 'passed').length,
    ...positive('cut', outcomes.filter(({ outcome }) => outcome === 'cut').length),
    ...some('faults', counted(outcomes.flatMap(({ outcome, fault }) => (outcome === 'fault' ? [fault ?? ''] : [])))),
    ...some('problems', counted(heads.flatMap(({ problem }) => problem?.code ?? []))),
    ...positive('retried', heads.filter(({ attempts }) => (attempts?.length ?? 0) > 0).length),
    ...positive('negatives', all.length - heads.length),
    ...(behaviour.length > 0 ? { behaviour: Object.fromEntries(behaviour) } : {}),
  };
};

const nameOf = ({ producer: { policy, name } }: TraceHead): string =>
  policy === 'model' || policy === 'harness' ? name : policy;

export const countsOf = (heads: readonly TraceHead[]): TraceCounts => {
  const by = new Map<string, TraceHead[]>();
  for (const head of heads) (by.get(nameOf(head)) ?? by.set(nameOf(head), []).get(nameOf(head)))?.push(head);
  const names = [...by.keys()].sort();
  return { ...tallyOf(heads), producers: Object.fromEntries(names.map((name) => [name, tallyOf(by.get(name) ?? [])])) };
};

/** The counts beside a world's rollouts. */
export const writeCounts = (corpus: Corpus, world: string, heads: readonly TraceHead[]): void =>
  writeJson(corpus.path('traces', `${world}.summary.json`), countsOf(heads));
