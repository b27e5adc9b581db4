/** Harnesses as who acts in `treadle rollout`: found, housed, and run on one task after the other. */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { startGateway } from '../../rollout/gateway/gateway.js';
import type { Backend } from '../../rollout/gateway/types.js';
import { harnessOf } from '../../rollout/harness/found.js';
import { findJail, type Jail } from '../../rollout/harness/jail.js';
import { HARNESS_IDS, harnessKind } from '../../rollout/harness/registry.js';
import { type HarnessHouse, type HarnessLimits, harnessProducer, rolloutHarness } from '../../rollout/harness/run.js';
import { findProgram, programOf, searchPath } from '../../rollout/harness/search-path.js';
import { commandHarness } from '../../rollout/harness/template.js';
import { openToolDoor } from '../../rollout/harness/tools-door.js';
import type { Harness } from '../../rollout/harness/types.js';
import type { Limits } from '../../rollout/limits.js';
import { sampleSeed } from '../../rollout/many.js';
import type { Policy } from '../../rollout/policy.js';
import type { Rollout } from '../../rollout/rollout.js';

export const JAILS = ['auto', 'bubblewrap', 'none'] as const;

export interface HarnessOptions {
  policy: string;
  /** One of HARNESS_IDS. */
  harness?: string;
  harnessCommand?: string;
  /** What a command is called in traces. */
  harnessName?: string;
  /** Files and folders that the harness may read where it is jailed. */
  harnessRead?: readonly string[];
  jail?: (typeof JAILS)[number];
  user: 'none' | 'simulated';
  model?: string;
  baseUrl?: string;
  backend?: Backend['kind'];
  retries: number;
  timeout: number;
  temperature?: number;
  seed: string;
}

export interface HarnessActing {
  policyFor(task: Task, sample: number): Policy;
  perform(rollout: Rollout, taskHash: string): Promise<Trace>;
  /** Said once to whoever runs it. */
  warnings: readonly string[];
  close(): Promise<void>;
}

const bad = (message: string, value: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_option', message, value, next });

const backendOf = ({ model, baseUrl, temperature, backend: kind = 'openai' }: HarnessOptions): Backend | undefined => {
  if (model === undefined && baseUrl === undefined) return undefined;
  if (!model || !baseUrl)
    throw new TreadleError({
      code: 'no_model',
      message: 'A harness needs an endpoint and a model',
      value: baseUrl || model || 'neither given',
      next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
    });
  const key = process.env.TREADLE_API_KEY;
  return {
    kind,
    baseUrl,
    model,
    ...(key ? { apiKey: key } : {}),
    ...(temperature === undefined ? {} : { sampling: { temperature } }),
  };
};

const known = async ({ harness: id = '', harnessCommand, harnessName, user }: HarnessOptions) => {
  const wanted = id || (harnessCommand === undefined ? '' : 'command');
  if (!HARNESS_IDS.includes(wanted))
    throw bad(
      wanted === '' ? 'No harness is named' : 'There is no such harness',
      wanted || '--policy harness',
      `Add --harness ${HARNESS_IDS.join('|')}.`,
    );
  if (user === 'simulated')
    throw bad(
      'A harness is told the whole task at once; a simulated user cannot speak to it',
      `--harness ${wanted} --user simulated`,
      'Use --user none, or --policy model for a simulated user.',
    );
  const kind = harnessKind(wanted);
  if (kind) {
    if (harnessCommand !== undefined)
      throw bad(
        'A command is for --harness command',
        harnessCommand,
        `Leave one of the two out: ${wanted} has its own.`,
      );
    const found = await harnessOf(kind);
    return { harness: kind.harness(found), version: found.version, bringsModel: false };
  }
  if (harnessCommand === undefined)
    throw bad('No command is given', '--harness command', "Add --harness-command 'python3 agent.py --task {task}'.");
  const harness = commandHarness(harnessCommand);
  programOf(harness.command(NOWHERE).command, searchPath());
  // Another command line is another agent: its rollouts must not be taken for this one's.
  const version = `line-${sha256(harnessCommand).slice(0, 12)}`;
  return { harness: { ...harness, id: harnessName ?? harness.id }, version, bringsModel: true };
};

/** To see what a command is before there is a place for it. */
const NOWHERE = {
  task: '',
  system: '',
  model: '',
  openaiBaseUrl: '',
  anthropicBaseUrl: '',
  modelToken: '',
  mcpUrl: '',
  mcpToken: '',
  workdir: '',
  timeoutSeconds: 0,
};

/** With what the command line lets it read besides. */
const reading = (harness: Harness, more: readonly string[]): Harness =>
  more.length === 0
    ? harness
    : {
        ...harness,
        command: (place) => {
          const made = harness.command(place);
          return { ...made, reads: [...(made.reads ?? []), ...more.map((path) => resolve(path))] };
        },
      };

const jailOf = async (wanted: HarnessOptions['jail'], corpus: string): Promise<{ jail?: Jail; warning?: string }> => {
  if (wanted === 'none') return { warning: 'harnesses are not jailed: they may read and write whatever you may' };
  const found = await findJail([resolve(corpus)]);
  if (found.jail) return { jail: found.jail };
  if (wanted === 'bubblewrap')
    throw new TreadleError({
      code: 'no_jail',
      message: `Harnesses cannot be jailed: ${found.why}`,
      value: findProgram('bwrap', searchPath()) ?? 'bwrap',
      next: 'Install bubblewrap and allow user namespaces, or use --jail none.',
      fault: 'infrastructure',
    });
  return { warning: `${found.why}; without it a harness may read and write whatever you may` };
};

/** What a rollout may cost: its own budget, and no more than the run has left. */
const costLeft = ({ cost, purse }: Partial<Limits>): number | undefined => {
  const left = purse ? Math.max(purse.limit - purse.spent, Number.MIN_VALUE) : undefined;
  return left === undefined || cost === undefined ? (cost ?? left) : Math.min(cost, left);
};

const limitsOf = ({ limits }: Rollout): Partial<HarnessLimits> => {
  const cost = costLeft(limits ?? {});
  return {
    ...(limits ? { turns: limits.turns } : {}),
    ...(limits?.deadlineMs === undefined ? {} : { deadlineMs: limits.deadlineMs }),
    ...(limits?.tokens === undefined ? {} : { tokens: limits.tokens }),
    ...(cost === undefined ? {} : { cost }),
  };
};

/** The endpoint with the run's prices. */
const priced = (backend: Backend | undefined, { limits }: Rollout): Backend | undefined =>
  backend && limits?.prices ? { ...backend, prices: limits.prices } : backend;

/**
 * Opens what harness rollouts share; undefined where another policy acts. Throws `bad_option`, `no_model`, `no_jail`, `bad_command`, `harness_not_found`,
 * `harness_does_not_run`, `cannot_listen`.
 */
export const openHarness = async (options: HarnessOptions, corpus: string): Promise<HarnessActing | undefined> => {
  if (options.policy !== 'harness') {
    const unused = options.harness ?? options.harnessCommand;
    if (unused === undefined) return undefined;
    throw bad('A harness acts with its own policy only', unused, 'Add --policy harness.');
  }
  const { harness, version, bringsModel } = await known(options);
  const backend = backendOf(options);
  if (!backend && !bringsModel) backendOf({ ...options, model: '', baseUrl: '' });
  const own = reading(harness, options.harnessRead ?? []);
  const { jail, warning } = await jailOf(options.jail ?? 'auto', corpus);
  const gateway = backend
    ? await startGateway({ retries: options.retries, silenceMs: options.timeout * 1000 })
    : undefined;
  const tools = await openToolDoor();
  const house: HarnessHouse = { gateway, tools, jail, root: tmpdir() };
  const producerFor = (task: Task, sample: number) =>
    harnessProducer(harness, { version, backend, seed: sampleSeed(options.seed, task.id, sample) });
  return {
    warnings: warning === undefined ? [] : [warning],
    policyFor: (task, sample) => ({
      producer: producerFor(task, sample),
      next: () => {
        throw new TreadleError({ code: 'harness_policy', message: 'A harness acts by itself', fault: 'verifier' });
      },
    }),
    perform: async ({ host, task, policy, prompt, sample, signal, ...rollout }, taskHash) => {
      const trace = await rolloutHarness(
        house,
        {
          harness: own,
          producer: policy.producer,
          host,
          task,
          backend: priced(backend, { host, task, policy, ...rollout }),
          limits: limitsOf({ host, task, policy, ...rollout }),
          ...(prompt ? { prompt } : {}),
          ...(sample ? { sample } : {}),
          ...(rollout.outside ? { outside: rollout.outside } : {}),
          ...(signal ? { signal } : {}),
        },
        taskHash,
      );
      const purse = rollout.limits?.purse;
      if (purse) purse.spent += trace.usage.cost ?? 0;
      return trace;
    },
    close: async () => {
      await Promise.all([gateway?.close(), tools.close()]);
    },
  };
};
