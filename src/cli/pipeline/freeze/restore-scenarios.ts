/** A world's scenarios as they were frozen: those that are here, or made again from their settings; in a corpus of links. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Corpus } from '../../../corpus/corpus.js';
import { namesIn } from '../../../corpus/files.js';
import type { Difference } from '../../../corpus/freeze/compare.js';
import type { LockedWorld } from '../../../corpus/freeze/lock.js';
import { hasScenarios, listScenarios } from '../../../corpus/scenarios.js';
import { canonicalJson } from '../../../kit/hash.js';
import type { Engine } from '../../../world/state/engine.js';
import { makeScenarios } from '../dynamics/make.js';

type Hashes = Readonly<Record<string, string>>;

const hashesIn = (corpus: Corpus, id: string): Hashes =>
  Object.fromEntries((listScenarios(corpus, id)?.scenarios ?? []).map((head) => [head.id, head.hash]));

const isAsFrozen = (corpus: Corpus, id: string, { scenarios }: LockedWorld): boolean =>
  canonicalJson(hashesIn(corpus, id)) === canonicalJson(scenarios?.scenarios ?? {});

/** Shows the world in `into`, without its scenarios where they are not the frozen ones. True where they have to be made again. */
export const showWorld = (corpus: Corpus, id: string, locked: LockedWorld | undefined, into: string): boolean => {
  const from = resolve(corpus.path('worlds', id));
  mkdirSync(join(into, 'worlds'), { recursive: true });
  if (!locked || isAsFrozen(corpus, id, locked)) {
    symlinkSync(from, join(into, 'worlds', id), 'junction');
    return false;
  }
  mkdirSync(join(into, 'worlds', id));
  for (const name of namesIn(from))
    if (name !== 'scenarios') symlinkSync(join(from, name), join(into, 'worlds', id, name));
  return locked.scenarios !== undefined;
};

export interface RestoredScenarios {
  again: number;
  differences: Difference[];
}

/** Makes the frozen scenarios of a world in `scratch`. Those that a model had a part in have to be kept, and are named. */
export const restoreScenarios = async (
  scratch: Corpus,
  id: string,
  { scenarios: frozen }: LockedWorld,
  engine: () => Promise<Engine>,
): Promise<RestoredScenarios> => {
  if (!frozen) return { again: 0, differences: [] };
  const { settings, tasks } = frozen;
  if (!settings.model) await makeScenarios(scratch, await engine(), id, { settings, tasks: Object.keys(tasks) });
  const now = hashesIn(scratch, id);
  const differences = Object.entries(frozen.scenarios).flatMap(([name, hash]): Difference[] => {
    if (now[name] === hash) return [];
    return [{ what: 'scenario', name: `${id}/${name}`, is: now[name] === undefined ? 'missing' : 'changed' }];
  });
  return { again: Object.keys(now).length, differences };
};

/** Puts scenarios that were made again where there are none. */
export const putScenariosInto = (corpus: Corpus, scratch: Corpus, id: string): void => {
  if (hasScenarios(corpus, id) || !hasScenarios(scratch, id)) return;
  cpSync(scratch.path('worlds', id, 'scenarios'), corpus.path('worlds', id, 'scenarios'), { recursive: true });
};
