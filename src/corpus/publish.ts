/**
 * A corpus in the registry: every world, service, task, verifier and scenario under its name, none of them read. What is opened of a
 * world are small files that already hold the addresses: world.yaml as text, its certificate, and the lists of its tasks and
 * scenarios.
 */
import { parseArtifact } from '../artifacts/registry.js';
import { NAME } from '../artifacts/table.js';
import type { Task } from '../artifacts/task.js';
import { addressOf, canonicalJson, deepFreeze, type Json } from '../kit/hash.js';
import type { Registry } from '../serve/registry/registry.js';
import { verifierOf } from '../serve/registry/verifier.js';
import { type BytesOf, recordedWorlds, type WorldSource } from '../serve/registry/worlds.js';
import type { Corpus } from './corpus.js';
import { readBytes, readData, unreadable } from './files.js';
import { yamlValue } from './parsed.js';
import { listScenarios } from './scenarios.js';

/** By whom these records were published; what others published under the same names stays the newest. */
const SOURCE = 'corpus';

export interface PublishedCorpus {
  worlds: number;
  services: number;
  tasks: number;
  verifiers: number;
  scenarios: number;
  /** Gives every world of the registry by its content address; those of the corpus as they are on the disk then. */
  source: WorldSource;
  /** The corpus's own name of a world, by its content address. */
  idOf(world: string): string | undefined;
}

interface Addresses {
  hash: string;
  /** By the world's certificate, which was made of parts that had passed their schemas. */
  isCertain: boolean;
  services: readonly { id: string; hash: string }[];
}

/** A string of its own: one cut out of a file's text would keep the whole text in memory. */
const alone = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

const BLOCK = /^services:\n((?: {2}.*\n)+)/m;
const ENTRY = /^ {2}- id: ([a-z0-9_]+)\n {4}hash: "?([0-9a-f]{64})"?$/gm;

/** The service references of a world.yaml as `treadle build` writes it; undefined for one written otherwise. Parsing takes 10 ms. */
const referencesIn = (text: string): Addresses['services'] | undefined => {
  const [, block = ''] = BLOCK.exec(text) ?? [];
  const found = [...block.matchAll(ENTRY)].map(([, id = '', hash = '']) => ({ id: alone(id), hash: alone(hash) }));
  const entries = block.match(/^ {2}- /gm)?.length ?? 0;
  return found.length > 0 && found.length === entries && found.every(({ id }) => NAME.test(id)) ? found : undefined;
};

const addressesOf = (corpus: Corpus, id: string): Addresses => {
  const file = corpus.path('worlds', id, 'world.yaml');
  const services = referencesIn(Buffer.from(readBytes(file)).toString('utf8'));
  const certified = corpus.worldCertificate(id)?.subject;
  if (services && certified) return { hash: certified, services, isCertain: true };
  const world = parseArtifact('world', readData(file), file);
  return { hash: addressOf(world), services: world.services, isCertain: false };
};

/** How many parsed tasks are remembered: a session reads its task and right after it the task's verifier. */
const MOST_RECENT = 64;

/** Reads YAML as `readData` does, but holds on to the last few files only: that one's memory is for builds, 12 KiB a task. */
const recentReader = (): ((file: string) => Json) => {
  const recent = new Map<string, { text: string; value: Json }>();
  return (file) => {
    const text = Buffer.from(readBytes(file)).toString('utf8');
    const known = recent.get(file);
    if (known?.text === text) return known.value;
    try {
      const value = deepFreeze(yamlValue(file, text) as Json);
      recent.set(file, { text, value });
      if (recent.size > MOST_RECENT) recent.delete(recent.keys().next().value as string);
      return value;
    } catch (thrown) {
      throw unreadable(file, thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown));
    }
  };
};

/** Throws what the disk says, and `disk_full` where the registry has a folder; what was published until then stays. */
export const publishCorpus = (registry: Registry, corpus: Corpus): PublishedCorpus => {
  const counts = { worlds: 0, services: 0, tasks: 0, verifiers: 0, scenarios: 0 };
  const idOf = new Map<string, string>();
  const readYaml = recentReader();
  for (const id of corpus.worlds()) {
    const at = (...parts: string[]): string => corpus.path('worlds', id, ...parts);
    const { hash, services, isCertain } = addressesOf(corpus, id);
    for (const service of services) {
      const read = (): Json => readData(at('services', `${service.id}.json`)) as Json;
      registry.publish('service', `${id}/${service.id}`, { hash: service.hash, read, isChecked: isCertain }, SOURCE);
      counts.services++;
    }
    for (const { id: task, hash: taskHash } of corpus.listTasks(id).tasks) {
      const read = (): Json => readYaml(at('tasks', `${task}.yaml`));
      const verifier = (): Json => verifierOf(registry.read('task', taskHash) as unknown as Task) as unknown as Json;
      registry.publish('task', `${id}/${task}`, { hash: taskHash, read }, SOURCE);
      registry.offer('verifier', `${id}/${task}`, verifier, SOURCE);
      counts.tasks++;
      counts.verifiers++;
    }
    for (const { id: scenario, hash: scenarioHash } of listScenarios(corpus, id)?.scenarios ?? []) {
      const read = (): Json => readData(at('scenarios', `${scenario}.json`)) as Json;
      registry.publish('scenario', `${id}/${scenario}`, { hash: scenarioHash, read }, SOURCE);
      counts.scenarios++;
    }
    registry.publish('world', id, { hash, read: () => readYaml(at('world.yaml')) }, SOURCE);
    counts.worlds++;
    idOf.set(hash, id);
  }
  const bytesOf: BytesOf = (_, world, service) => {
    const id = idOf.get(addressOf(world));
    if (id === undefined) return undefined;
    const at = (...parts: string[]): string => corpus.path('worlds', id, ...parts);
    return service === undefined
      ? Buffer.from(canonicalJson(readYaml(at('snapshot.yaml'))))
      : readBytes(at('data', `${service}.sqlite`));
  };
  return { ...counts, source: recordedWorlds(registry, bytesOf), idOf: (world) => idOf.get(world) };
};
