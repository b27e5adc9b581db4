/**
 * Figures on runs under tool faults, as ToolMaze names them in DynaWeave's Tables 2 and 3. The papers define NP, TSR and RC in words
 * only, and Avg not at all: `composite` gives all five rows of Table 3 within 0.01, so it is exact. PRR and RC are ours
 * (dynamics.md, "Metrics").
 */
import { type FaultProfile, PROFILES } from '../../serve/faults/rule.js';
import { type Estimate, mean, share } from './estimate.js';

/** One run of a task. */
export interface FaultRun {
  /** The profile it ran under; absent: without faults. */
  profile?: FaultProfile | undefined;
  passed: boolean;
  /** The fault really struck one of its calls. */
  wasStruck: boolean;
  /** What it took, and what the reference and the dearest allowed run take, in calls. */
  cost: number;
  referenceCost: number;
  mostCost: number;
}

export interface ProfileFigures {
  /** Success under the profile, whether it struck or not, in per cent. */
  tsr: Estimate;
  /** Success of the runs that it struck. Ours. */
  prr: Estimate;
  /** Cost of recovery of the struck runs that recovered, 0 (as the reference) to 100 (as dear as allowed). Ours. */
  rc: Estimate;
  /** Struck runs that did not recover, in per cent: what `rc` leaves out. */
  notRecovered: Estimate;
}

export interface ToolMazeFigures {
  /** Success without faults, in per cent. */
  np: Estimate;
  profiles: Record<FaultProfile, ProfileFigures>;
  /** Mean over the four profiles; undefined where one has no runs. */
  tsr: number | undefined;
  prr: number | undefined;
  rc: number | undefined;
  /** The composite score; undefined where a part is. */
  avg: number | undefined;
}

/** (mean(NP, TSR1-4) + mean PRR + 100 - mean RC) / 3. */
export const composite = (np: number, tsr: readonly number[], prr: number, rc: number): number => {
  const success = [np, ...tsr].reduce((sum, value) => sum + value, 0) / (tsr.length + 1);
  return (success + prr + 100 - rc) / 3;
};

/** 0 at the reference's cost, 100 at the most that is allowed. */
export const recoveryCost = ({ cost, referenceCost, mostCost }: FaultRun): number => {
  if (mostCost <= referenceCost) return cost > referenceCost ? 100 : 0;
  return 100 * Math.min(1, Math.max(0, (cost - referenceCost) / (mostCost - referenceCost)));
};

const figuresOf = (runs: readonly FaultRun[]): ProfileFigures => {
  const struck = runs.filter(({ wasStruck }) => wasStruck);
  const recovered = struck.filter(({ passed }) => passed);
  return {
    tsr: share(runs.filter(({ passed }) => passed).length, runs.length),
    prr: share(recovered.length, struck.length),
    rc: mean(recovered.map(recoveryCost)),
    notRecovered: share(struck.length - recovered.length, struck.length),
  };
};

const meanOfAll = (values: readonly (number | undefined)[]): number | undefined =>
  values.some((value) => value === undefined)
    ? undefined
    : (values as number[]).reduce((sum, value) => sum + value, 0) / values.length;

export const toolMazeFigures = (runs: readonly FaultRun[]): ToolMazeFigures => {
  const of = (profile: FaultProfile | undefined): FaultRun[] => runs.filter((run) => run.profile === profile);
  const plain = of(undefined);
  const np = share(plain.filter(({ passed }) => passed).length, plain.length);
  const profiles = Object.fromEntries(PROFILES.map((profile) => [profile, figuresOf(of(profile))])) as Record<
    FaultProfile,
    ProfileFigures
  >;
  const all = Object.values(profiles);
  const tsrs = all.map(({ tsr }) => tsr.value);
  const prr = meanOfAll(all.map((figures) => figures.prr.value));
  const rc = meanOfAll(all.map((figures) => figures.rc.value));
  const tsr = meanOfAll(tsrs);
  const isWhole = np.value !== undefined && tsr !== undefined && prr !== undefined && rc !== undefined;
  return {
    np,
    profiles,
    tsr,
    prr,
    rc,
    avg: isWhole ? composite(np.value as number, tsrs as number[], prr as number, rc as number) : undefined,
  };
};
