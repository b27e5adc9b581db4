/**
 * A corpus in the registry: every world, service, task and verifier under its name, none of them read. What is opened of a world
 * are three small files that already hold the addresses: world.yaml as text, its certificate, and the list of its tasks.
 */
import { parseArtifact } from '../artifacts/registry.js';
import { NAME } from '../artifacts/table.js';
import type { Task } from '../artifacts/task.js';
import { addressOf, type Json } from '../kit/hash.js';
import type { Registry } from '../serve/registry/registry.js';
import { changedContent } from '../serve/registry/store.js';
import { verifierOf } from '../serve/registry/verifier.js';
import { checkSnapshot, unknownWorld, type WorldSource } from '../serve/registry/worlds.js';
import type { Corpus } from './corpus.js';
import { readBytes, readData } from './files.js';

/** By whom these records were published; what others published under the same names stays the newest. */
const SOURCE = 'corpus';

export interface PublishedCorpus {
  worlds: number;
  services: number;
  tasks: number;
  verifiers: number;
  /** Gives the corpus's worlds by their content address, as they are on the disk now. */
  source: WorldSource;
}

interface Addresses {
  hash: string;
  services: readonly { id: string; hash: string }[];
}

const BLOCK = /^services:\n((?: {2}.*\n)+)/m;
const ENTRY = /^ {2}- id: ([a-z0-9_]+)\n {4}hash: "?([0-9a-f]{64})"?$/gm;

/** The service references of a world.yaml as `treadle build` writes it; undefined for one written otherwise. Parsing takes 10 ms. */
const referencesIn = (text: string): Addresses['services'] | undefined => {
  const [, block = ''] = BLOCK.exec(text) ?? [];
  const found = [...block.matchAll(ENTRY)].map(([, id = '', hash = '']) => ({ id, hash }));
  const entries = block.match(/^ {2}- /gm)?.length ?? 0;
  return found.length > 0 && found.length === entries && found.every(({ id }) => NAME.test(id)) ? found : undefined;
};

const addressesOf = (corpus: Corpus, id: string): Addresses => {
  const file = corpus.path('worlds', id, 'world.yaml');
  const services = referencesIn(Buffer.from(readBytes(file)).toString('utf8'));
  const certified = corpus.worldCertificate(id)?.subject;
  if (services && certified) return { hash: certified, services };
  const world = parseArtifact('world', readData(file), file);
  return { hash: addressOf(world), services: world.services };
};

/** Throws what the disk says, and `disk_full` where the registry has a folder; what was published until then stays. */
export const publishCorpus = (registry: Registry, corpus: Corpus): PublishedCorpus => {
  const counts = { worlds: 0, services: 0, tasks: 0, verifiers: 0 };
  const idOf = new Map<string, string>();
  for (const id of corpus.worlds()) {
    const at = (...parts: string[]): string => corpus.path('worlds', id, ...parts);
    const { hash, services } = addressesOf(corpus, id);
    for (const service of services) {
      const read = (): Json => readData(at('services', `${service.id}.json`)) as Json;
      registry.publish('service', `${id}/${service.id}`, { hash: service.hash, read }, SOURCE);
      counts.services++;
    }
    for (const task of corpus.listTasks(id).tasks) {
      const file = at('tasks', `${task.id}.yaml`);
      const read = (): Task => parseArtifact('task', readData(file), file);
      const name = `${id}/${task.id}`;
      registry.publish('task', name, { hash: task.hash, read: () => readData(file) as Json }, SOURCE);
      registry.offer('verifier', name, () => verifierOf(read()) as unknown as Json, SOURCE);
      counts.tasks++;
      counts.verifiers++;
    }
    registry.publish('world', id, { hash, read: () => readData(at('world.yaml')) as Json }, SOURCE);
    counts.worlds++;
    idOf.set(hash, id);
  }
  return { ...counts, source: corpusWorlds(corpus, idOf) };
};

/** Worlds of a corpus by their content address. */
const corpusWorlds = (corpus: Corpus, idOf: ReadonlyMap<string, string>): WorldSource => ({
  partsOf(worldHash, snapshot) {
    const id = idOf.get(worldHash);
    if (id === undefined) throw unknownWorld(worldHash);
    const { certificates: _, ...parts } = corpus.readWorld(id);
    const found = addressOf(parts.world);
    if (found !== worldHash) throw changedContent(worldHash, found);
    checkSnapshot(parts.world, snapshot);
    return parts;
  },
});
