/** `/aggregate_metrics`: mean, max, min, median and deviation of every number of the rollouts, by task and over all. */
import { TreadleError } from '../../../errors.js';
import { isRecord } from '../record.js';

type Rollout = Record<string, unknown>;
type Metrics = Record<string, number>;

export interface AggregateMetrics {
  group_level_metrics: Metrics[];
  agent_metrics: Metrics;
  key_metrics: Metrics;
}

const TASK = '_ng_task_index';
const NO_MEASURES = new Set([TASK, '_ng_rollout_index', '_ng_attempt_index', 'mask_sample']);

const taskOf = (rollout: Rollout): number => (typeof rollout[TASK] === 'number' ? rollout[TASK] : 0);

/** The numbers of a rollout; booleans count as 0 and 1, and the usage of its response is among them. */
const numbersOf = (rollout: Rollout): [string, number][] => {
  const usage = isRecord(rollout.response) && isRecord(rollout.response.usage) ? rollout.response.usage : {};
  return Object.entries({ ...rollout, ...usage })
    .filter(([name]) => !NO_MEASURES.has(name))
    .flatMap(([name, value]): [string, number][] => {
      if (typeof value === 'boolean') return [[name, value ? 1 : 0]];
      return typeof value === 'number' ? [[name, value]] : [];
    });
};

const describe = (name: string, values: number[]): Metrics => {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count;
  const middle = Math.floor(count / 2);
  const median = count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    [`mean/${name}`]: mean,
    [`max/${name}`]: sorted[count - 1]!,
    [`min/${name}`]: sorted[0]!,
    [`median/${name}`]: median,
    // Of a sample; one value alone deviates by nothing.
    [`std/${name}`]: count < 2 ? 0 : Math.sqrt(squares / (count - 1)),
  };
};

const metricsOf = (rollouts: readonly Rollout[]): Metrics => {
  const byName = new Map<string, number[]>();
  for (const rollout of rollouts)
    for (const [name, value] of numbersOf(rollout)) {
      const values = byName.get(name);
      if (values) values.push(value);
      else byName.set(name, [value]);
    }
  return Object.assign({}, ...[...byName].map(([name, values]) => describe(name, values)));
};

/** Rollouts that say of themselves that their reward measures nothing (`mask_sample`) are left out. Throws `bad_rollouts`. */
export const aggregateMetrics = (body: unknown): AggregateMetrics => {
  const all = isRecord(body) ? body.verify_responses : undefined;
  if (!Array.isArray(all) || !all.every(isRecord))
    throw new TreadleError({
      code: 'bad_rollouts',
      message: 'verify_responses must be a list of what /verify answered',
    });
  const rollouts = all.filter((rollout) => rollout.mask_sample !== true);
  const tasks = [...new Set(rollouts.map(taskOf))].toSorted((a, b) => a - b);
  const agent = metricsOf(rollouts);
  return {
    group_level_metrics: tasks.map((task) => ({
      ...metricsOf(rollouts.filter((rollout) => taskOf(rollout) === task)),
      [TASK]: task,
    })),
    agent_metrics: agent,
    key_metrics: Object.fromEntries(Object.entries(agent).filter(([name]) => name.startsWith('mean/'))),
  };
};
