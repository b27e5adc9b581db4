/** The worlds of a corpus that a command is about. */
import { Corpus } from '../corpus/corpus.js';
import { TreadleError } from '../errors.js';

/** Opens the corpus and names the worlds meant. Throws `no_world` for an unknown or missing one. */
export const chosenWorlds = (dir: string, world: string | undefined): { corpus: Corpus; worlds: string[] } => {
  const corpus = Corpus.open(dir);
  const worlds = corpus.worlds();
  if (worlds.length === 0)
    throw new TreadleError({
      code: 'no_world',
      message: 'The corpus holds no world',
      value: dir,
      next: 'Run treadle build first.',
    });
  if (world === undefined) return { corpus, worlds };
  if (!worlds.includes(world))
    throw new TreadleError({
      code: 'no_world',
      message: 'The corpus has no such world',
      value: world,
      next: `It has ${worlds.slice(0, 8).join(', ')}.`,
    });
  return { corpus, worlds: [world] };
};
