/** What differs between a lockfile and what is there now, each thing by its name. */
import type { LockBody } from './lock.js';

export interface Difference {
  what: 'version' | 'world' | 'snapshot' | 'service' | 'task' | 'scenario' | 'rollout' | 'order' | 'file' | 'export';
  name: string;
  /** `unreadable`: with the reason in `why`. */
  is: 'changed' | 'missing' | 'new' | 'unreadable';
  why?: string;
}

/** What could not be read at all, found while looking. */
export interface Broken {
  world: string;
  why: string;
}

type Hashes = Readonly<Record<string, string>>;

const ofHashes = (what: Difference['what'], before: Hashes, now: Hashes, within = ''): Difference[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name): Difference[] => {
    const [old, own] = [before, now].map((hashes) => (Object.hasOwn(hashes, name) ? hashes[name] : undefined));
    if (old === own) return [];
    return [{ what, name: within + name, is: own === undefined ? 'missing' : old === undefined ? 'new' : 'changed' }];
  });
};

const ofWorld = (id: string, before: LockBody['worlds'][string], now: LockBody['worlds'][string]): Difference[] => {
  const [old, own] = [before, now].map(({ traces }) =>
    Object.fromEntries(traces.map((trace) => [trace.id, trace.hash])),
  );
  const rollouts = ofHashes('rollout', old ?? {}, own ?? {}, `${id}/`);
  const orderOf = ({ traces }: typeof before): string => traces.map((trace) => trace.id).join();
  return [
    ...(before.hash === now.hash ? [] : [{ what: 'world', name: id, is: 'changed' } as const]),
    ...(before.snapshot === now.snapshot ? [] : [{ what: 'snapshot', name: id, is: 'changed' } as const]),
    ...ofHashes('service', before.services, now.services, `${id}/`),
    ...ofHashes('task', before.tasks, now.tasks, `${id}/`),
    ...ofHashes('scenario', before.scenarios?.scenarios ?? {}, now.scenarios?.scenarios ?? {}, `${id}/`),
    ...rollouts,
    ...(rollouts.length === 0 && orderOf(before) !== orderOf(now)
      ? [{ what: 'order', name: `rollouts of ${id}`, is: 'changed' } as const]
      : []),
  ];
};

/** Of the corpus alone: version, worlds, services, tasks, rollouts, and files that choose among them. */
export const corpusDifferences = (
  lock: LockBody,
  now: Omit<LockBody, 'exports'>,
  broken: readonly Broken[],
): Difference[] => {
  const unreadable = new Map(broken.map(({ world, why }) => [world, why]));
  const ids = [...new Set([...Object.keys(lock.worlds), ...Object.keys(now.worlds), ...unreadable.keys()])].sort();
  return [
    ...(lock.version === now.version
      ? []
      : [{ what: 'version', name: `Treadle ${lock.version}, now ${now.version}`, is: 'changed' } as const]),
    ...ids.flatMap((id): Difference[] => {
      const why = unreadable.get(id);
      if (why !== undefined) return [{ what: 'world', name: id, is: 'unreadable', why }];
      const [before, own] = [lock.worlds[id], now.worlds[id]];
      if (before && own) return ofWorld(id, before, own);
      return [{ what: 'world', name: id, is: own ? 'new' : 'missing' }];
    }),
    ...ofHashes('file', lock.files, now.files),
  ];
};

/** Of one export: its files, and those that its options name. */
export const exportDifferences = (
  before: LockBody['exports'][number],
  now: Pick<LockBody['exports'][number], 'files' | 'inputs'> | undefined,
): Difference[] =>
  now === undefined
    ? [{ what: 'export', name: before.dir, is: 'missing' }]
    : [
        ...ofHashes('file', before.inputs, now.inputs),
        ...ofHashes('export', before.files, now.files, `${before.dir}/`),
      ];

const WORDS: Record<Difference['is'], string> = {
  changed: 'changed',
  missing: 'is gone',
  new: 'is new',
  unreadable: 'cannot be read',
};

export const differenceWords = ({ what, name, is, why }: Difference): string =>
  `${what} ${name} ${WORDS[is]}${why === undefined ? '' : `: ${why}`}`;
