/** Drafts that a model writes, one conversation a world, kept under authoring/ so that an interrupted one goes on. */
import { makeFolder } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import type { ModelClient } from '../../models/types.js';
import type { Engine } from '../../world/state/engine.js';
import type { Ui } from '../ui.js';
import type { BuildOptions } from './build.js';
import type { Drafts } from './drafts.js';
import { draftWithModel, type ModelOptions, refuseNothing } from './model-author.js';
import { withOwnIn } from './own.js';

export interface ModelMeans {
  client: ModelClient;
  options: ModelOptions;
}

/** Throws `no_brief` for an API document: the compiler reads those, without a model. */
export const draftsByModel = (
  engine: Engine,
  { input, out, pins, seed }: BuildOptions,
  { client, options }: ModelMeans,
  ui: Ui,
): Drafts => {
  if (input.kind !== 'brief')
    throw new TreadleError({
      code: 'no_brief',
      message: 'A model writes worlds of a brief in words',
      value: input.name,
      next: 'Give a brief, or leave --model out.',
    });
  return {
    draft: async (index, attempt) => {
      const name = `world-${index + 1}${attempt > 0 ? `-draft-${attempt + 1}` : ''}`;
      const folder = `${out}/authoring`;
      makeFolder(folder);
      const authored = await draftWithModel({
        engine,
        client,
        options: { ...options, conversation: `${folder}/${name}.jsonl` },
        source: { brief: input.text, pins },
        seed: `${seed}/${index + 1}${attempt > 0 ? `/r${attempt}` : ''}`,
        say: (line) => ui.progress(`${name}: ${line}`),
      });
      refuseNothing(authored.report);
      return input.own ? withOwnIn(authored.draft, input.own) : authored.draft;
    },
  };
};
