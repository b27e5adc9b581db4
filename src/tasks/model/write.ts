/** From what a model wrote to a proposal of the loop, by the code of hand-written tasks; or why it is none. */
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import type { LoadedService } from '../../world/loaded.js';
import { handTaskOf } from '../by-hand/form.js';
import { nearest } from '../by-hand/near.js';
import { Page } from '../by-hand/page.js';
import { runByHand } from '../by-hand/run.js';
import { taskByHand } from '../by-hand/task.js';
import type { Ground } from '../ground/ground.js';
import { type AtomicProposal, chainIn } from '../library/proposal.js';
import { type Concerned, fits, keyedRows } from './about.js';
import { answerBasis } from './answers.js';
import { Written } from './form.js';
import { callable } from './show.js';

/** Family of tasks that a model wrote; their lineages' templates begin with it. */
export const BY_MODEL_FAMILY = 'by_model';

const refused = (id: string, service: LoadedService, why: string): AtomicProposal => ({
  id,
  chain: [],
  target: service.id,
  family: BY_MODEL_FAMILY,
  template: `${BY_MODEL_FAMILY}:${service.id}`,
  refused: why,
});

/** A refusal of the hand-written kind, without the place in a file that the model never saw. */
const told = ({ message, value, next }: TreadleError): string =>
  `${message.replace(/^.*? line \d+: /, '')}: ${String(value).slice(0, 200)}. ${next ?? ''}`.trim();

const strayTool = (ground: Ground, service: LoadedService, { calls }: Written): string | undefined => {
  const own = callable(ground, service).map(({ name }) => name);
  const stray = calls.find(({ tool }) => !own.includes(tool))?.tool;
  return stray === undefined
    ? undefined
    : `${stray.slice(0, 80)} is no tool of ${service.id}. Nearest: ${nearest(stray.slice(0, 80), own)}.`;
};

/** Dotted paths of yes and no: those a brief says in whole sentences, which no word of it could be found for. */
const switches = (value: unknown, path = ''): string[] => {
  if (typeof value === 'boolean') return [path];
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => switches(inner, path ? `${path}.${key}` : key));
};

/** Rows that the brief has to tell apart and does not. */
const unclear = (ground: Ground, rows: readonly Concerned[]): string | undefined => {
  for (const one of rows) {
    const noun = one.service.spec.tables[one.table]?.noun ?? one.table;
    if (!one.isLedTo && one.said.length === 0) return `the brief does not say which ${noun} is meant`;
    const n = one.isLedTo ? 1 : fits(ground, one);
    if (n !== 1) return `${n} rows fit what the brief says of the ${noun}. Say more of it.`;
  }
  return undefined;
};

/** The words of the brief in place of those that hand-written tasks would have. */
const worded = (task: Task, rows: readonly Concerned[]): Task['bindings'] =>
  task.bindings.map((binding, n) => ({
    ...binding,
    descriptors: binding.descriptors.map((one) => ({
      ...one,
      words: rows[n]?.said.find(({ col }) => col === one.col)?.words ?? one.words,
    })),
  }));

/** The proposal; `refused` says why there is no task. Throws only what is a defect of the world. */
export const proposalFrom = (ground: Ground, service: LoadedService, written: unknown, id: string): AtomicProposal => {
  const parsed = Written.safeParse(written);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refused(id, service, `${issue?.path.join('.') || 'the task'}: ${issue?.message ?? 'not of the asked form'}`);
  }
  const { brief, calls, answer } = parsed.data;
  const stray = strayTool(ground, service, parsed.data);
  if (stray) return refused(id, service, stray);
  try {
    const made = calls.map(({ tool, args }) => ({
      tool,
      args,
      because: Object.fromEntries(switches(args).map((path) => [path, 'the brief asks for it in its own words'])),
    }));
    const text = JSON.stringify({ brief, reference: { calls: made }, ...(answer ? { answer } : {}) });
    const page = Page.read('task', text);
    const hand = handTaskOf(page);
    const run = runByHand(ground, page, hand);
    try {
      const keyed = keyedRows(ground, brief, run);
      const basis = answer ? answerBasis(ground, brief, run, answer, keyed) : undefined;
      const rows = [...keyed.filter(({ isLedTo }) => !isLedTo), ...(typeof basis === 'object' ? [basis] : [])];
      const fault = unclear(ground, rows) ?? (typeof basis === 'string' ? basis : undefined);
      if (fault) return refused(id, service, fault);
      const about = rows.map((one) => ({
        service: one.service.id,
        table: one.table,
        where: Object.fromEntries(one.said.map(({ col, value }) => [col, value])),
      }));
      const task = taskByHand(ground, page, { ...hand, about }, id, run);
      const chain = chainIn(ground.world, run.calls);
      const template = `${BY_MODEL_FAMILY}:${chain.join('>')}`;
      return {
        id,
        chain,
        target: chain.at(-1) ?? service.id,
        family: BY_MODEL_FAMILY,
        template,
        task: {
          ...task,
          nodes: task.nodes.map((node) => ({ ...node, family: BY_MODEL_FAMILY })),
          bindings: worded(task, rows),
          lineage: { template, seed: ground.world.spec.seed },
        },
      };
    } finally {
      run.session.drop();
    }
  } catch (thrown) {
    if (thrown instanceof TreadleError && thrown.code === 'bad_task') return refused(id, service, told(thrown));
    throw thrown;
  }
};
