/** What sampling costs in expectation when stages err independently of one another: the closed forms that measurements are held against. */

export interface Expected {
  /** Chance that a task is accepted. */
  acceptance: number;
  /** Attempts at stages, on tasks given up as well, for each accepted trajectory. */
  stagesPerAccepted: number;
}

/**
 * Prefix-preserving, `stages` stages of error rate `e`, `retries` retries: a stage passes with q = 1 - e^(k+1) after
 * (1 - e^(k+1)) / (1 - e) attempts on average, and stage i is reached with q^(i-1).
 */
export const expectedPrefix = (stages: number, e: number, retries: number): Expected => {
  const fails = e ** (retries + 1);
  const attempts = e === 1 ? retries + 1 : (1 - fails) / (1 - e);
  const q = 1 - fails;
  const reached = fails === 0 ? stages : (1 - q ** stages) / fails;
  const acceptance = q ** stages;
  return { acceptance, stagesPerAccepted: (attempts * reached) / acceptance };
};

/** Whole trajectories: each goes through all stages, whatever fails. */
export const expectedWhole = (stages: number, e: number, retries: number): Expected => {
  const passes = (1 - e) ** stages;
  return { acceptance: 1 - (1 - passes) ** (retries + 1), stagesPerAccepted: stages / passes };
};
