/** Composed tasks judged and reworded by a model: what it refuses is drawn anew, and what it rewords is made and gated again. */
import { canonicalJson } from '../../../kit/hash.js';
import type { Semantic } from '../../../tasks/model/judge.js';
import { SEMANTIC, type TaskModels, withVerdict } from '../../../tasks/model/models.js';
import type { Words } from '../../../tasks/model/reword.js';
import type { Done, Slot } from './protocol.js';

type Made = Done & Required<Pick<Done, 'task' | 'certificate'>>;

const isMade = (one: Done): one is Made => one.task !== undefined && one.certificate !== undefined;

const refusal = (verdict: Semantic | undefined): string | undefined =>
  verdict && 'does' in verdict && !verdict.does ? `${SEMANTIC}: ${verdict.reason}` : undefined;

const judged = async (models: TaskModels, one: Made): Promise<Done> => {
  const verdict = await models.judge(one.task.id, () => one.account ?? '');
  const why = refusal(verdict);
  if (why !== undefined) return { index: one.index, why, cpuMs: one.cpuMs };
  return verdict ? { ...one, certificate: withVerdict(one.certificate, models.model, verdict) } : one;
};

/** The task in its new words where it came out the same and passes everything again; else as it was. */
const better = async (models: TaskModels, before: Made, after: Done | undefined): Promise<Made> => {
  const isSame = after && isMade(after) && canonicalJson(after.task.reference) === canonicalJson(before.task.reference);
  const result = isSame ? await judged(models, after) : undefined;
  if (result && isMade(result)) {
    models.changed();
    return result;
  }
  models.keep(result?.why ?? after?.why ?? 'it was not made again');
  return before;
};

/** `slots` are all of the round in their order, since what one of them takes the next ones see; `again` makes them once more. */
export const polished = async (
  models: TaskModels,
  slots: readonly Slot[],
  done: readonly Done[],
  again: (slots: readonly Slot[]) => Promise<Done[]>,
): Promise<Done[]> => {
  const out: Done[] = [];
  const words = new Map<number, Words>();
  for (const one of [...done].sort((a, b) => a.index - b.index)) {
    const result = isMade(one) ? await judged(models, one) : one;
    out.push(result);
    const own = isMade(result) ? await models.words(result.task) : undefined;
    if (own) words.set(one.index, own);
  }
  if (words.size === 0) return out;
  const worlds = new Set(slots.filter(({ index }) => words.has(index)).map(({ world }) => world));
  const redone = await again(
    slots
      .filter(({ world }) => worlds.has(world))
      .map((slot) => {
        const own = words.get(slot.index);
        return own ? { ...slot, words: own } : slot;
      }),
  );
  const byIndex = new Map(redone.map((one) => [one.index, one]));
  const result: Done[] = [];
  for (const one of out)
    result.push(isMade(one) && words.has(one.index) ? await better(models, one, byIndex.get(one.index)) : one);
  return result;
};
