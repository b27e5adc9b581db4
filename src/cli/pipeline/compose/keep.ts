/** Composed tasks of a corpus: made, and kept beside the atomic ones of their worlds. */
import type { Certificate } from '../../../artifacts/certificate.js';
import type { Profile } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import type { ComposedCorpus } from './run.js';

export interface KeptTask {
  id: string;
  world: string;
  profile: Profile;
  process: string | undefined;
  stages: number;
  services: number;
  calls: number;
}

/** Writes them in place of the composed tasks that the worlds have; atomic tasks stay. */
export const keepComposed = (
  corpus: Corpus,
  worlds: readonly string[],
  { tasks, dropped }: ComposedCorpus,
): KeptTask[] => {
  for (const id of worlds) {
    const before = corpus.readTasks(id);
    const own = tasks.filter(({ task }) => task.worldId === id);
    const hadComposed = before.tasks.some(({ kind }) => kind === 'composed');
    if (own.length === 0 && !hadComposed) continue;
    const atomic = before.tasks.filter(({ kind }) => kind !== 'composed');
    const certificates: Record<string, Certificate> = {};
    for (const { id: task } of atomic) {
      const certificate = before.certificates[task];
      if (certificate) certificates[task] = certificate;
    }
    for (const { task, certificate } of own) certificates[task.id] = certificate;
    corpus.writeTasks(id, {
      tasks: [...atomic, ...own.map(({ task }) => task)],
      certificates,
      dropped: [
        ...before.dropped.filter(({ family }) => family !== 'composed'),
        ...dropped
          .filter(({ world }) => world === id)
          .map(({ profile, why }) => ({ family: 'composed', template: `composed:${profile}`, reason: why })),
      ],
    });
  }
  return tasks.map(({ task }) => ({
    id: task.id,
    world: task.worldId,
    profile: task.profile as Profile,
    process: task.process?.title,
    stages: task.nodes.length,
    services: new Set(task.nodes.map(({ service }) => service)).size,
    calls: task.reference.calls.length,
  }));
};
