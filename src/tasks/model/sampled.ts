/**
 * Sampled tasks with a model's verdicts and words. Sampling is pure in world and seed: it runs again with what the model has said of
 * the tasks so far, until there is none that it has not been asked of, so that every kept task passed the gate as it is kept.
 */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { type GenerateOptions, generateTasks, type Library } from '../generate.js';
import { prepareGround } from '../ground/ground.js';
import { accountOf } from './account.js';
import type { Semantic } from './judge.js';
import { essenceOf, SEMANTIC, type TaskModels, withVerdict } from './models.js';
import type { Words } from './reword.js';

/** Times that a world is sampled: a judge that refuses everything must come to an end. */
const MOST_PASSES = 8;

interface Opinion {
  verdict?: Semantic;
  words?: Words;
  /** Of the task in those words. */
  again?: Semantic;
}

const refusal = (verdict: Semantic | undefined): string | undefined =>
  verdict && 'does' in verdict && !verdict.does ? `${SEMANTIC}: ${verdict.reason}` : undefined;

/** Tasks as `generateTasks` draws them, judged and reworded as `models` is told to. */
export const sampleWithModel = async (
  world: LoadedWorld,
  options: GenerateOptions,
  models: TaskModels,
): Promise<Library> => {
  const ground = prepareGround(world);
  const known = new Map<string, Opinion>();
  const ask = async (task: Task): Promise<Opinion> => {
    const verdict = await models.judge(task.id, () => accountOf(ground, task));
    if (refusal(verdict) !== undefined) return { ...(verdict ? { verdict } : {}) };
    const words = await models.words(task);
    const again = words && (await models.judge(task.id, () => accountOf(ground, { ...task, ...words })));
    const fault = refusal(again);
    if (fault !== undefined) models.keep(fault);
    return {
      ...(verdict ? { verdict } : {}),
      ...(words && fault === undefined ? { words, ...(again ? { again } : {}) } : {}),
    };
  };
  /** What was said of it, under its own words. */
  const originals = new Map<string, string>();
  const opinionOf = (task: Task): Opinion | undefined => known.get(originals.get(essenceOf(task)) ?? essenceOf(task));
  const draw = (): Library =>
    generateTasks(world, {
      ...options,
      reword: (task) => {
        const words = known.get(essenceOf(task))?.words;
        return words ? { ...task, ...words } : task;
      },
      refuses: (task) => refusal(known.get(essenceOf(task))?.verdict),
    });
  let library = draw();
  for (let pass = 1; pass < MOST_PASSES; pass++) {
    const open = library.tasks.filter(({ task }) => opinionOf(task) === undefined);
    if (open.length === 0) break;
    for (const { task } of open) {
      const opinion = await ask(task);
      const own = essenceOf(task);
      known.set(own, opinion);
      if (opinion.words) originals.set(essenceOf({ ...task, ...opinion.words }), own);
    }
    library = draw();
  }
  const judged = (task: Task, certificate: Certificate): Certificate => {
    const opinion = opinionOf(task);
    const isReworded = opinion?.words?.brief === task.brief;
    if (isReworded) models.changed();
    else if (opinion?.words) models.keep('the gate refuses it');
    const verdict = isReworded ? opinion?.again : opinion?.verdict;
    return verdict ? withVerdict(certificate, models.model, verdict) : certificate;
  };
  return {
    ...library,
    tasks: library.tasks.map(({ task, certificate }) => ({ task, certificate: judged(task, certificate) })),
  };
};
