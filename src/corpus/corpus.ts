/**
 * The corpus: a folder a person can read. worlds/<id>/ holds world.yaml, services/*.json, data/*.sqlite, certificates and
 * tasks; traces/ and exports come beside. Everything an artifact refers to is checked by its content address on reading.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate, Finding } from '../artifacts/certificate.js';
import { parseArtifact } from '../artifacts/registry.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Snapshot } from '../artifacts/snapshot.js';
import type { Task } from '../artifacts/task.js';
import { TreadleError } from '../errors.js';
import { addressOf, sha256 } from '../kit/hash.js';
import type { WorldParts } from '../world/loaded.js';
import {
  diskError,
  exists,
  namesIn,
  readBytes,
  readData,
  removeFiles,
  removeYaml,
  writeJson,
  writeParsed,
  writeWhole,
  writeYaml,
  yamlOf,
} from './files.js';
import { type DroppedTask, FileName, readListing, TaskListing } from './listings.js';
import { chainOf, maskedText, tablesOf } from './statistics/masked.js';
import { surfaceOf, WorldSurface } from './surface.js';

export const CORPUS_VERSION = 'corpus/1';

export interface WorldFiles extends WorldParts {
  snapshot: Snapshot;
  /** By service id; the world's own under `world`. */
  certificates: Readonly<Record<string, Certificate>>;
}

/** A world but for its images. */
export type WorldDescription = Omit<WorldFiles, 'images'>;

export interface TaskFiles {
  tasks: readonly Task[];
  certificates: Readonly<Record<string, Certificate>>;
  dropped: readonly DroppedTask[];
  /** Set while the build has still to choose among the tasks; it is not read back. */
  isToChoose?: boolean;
}

export class Corpus {
  private constructor(readonly dir: string) {}

  /** Opens a corpus folder, and makes it when `create` is set. Throws `no_corpus`, `other_version`, `read_only` ... */
  static open(dir: string, create = false): Corpus {
    const marker = join(dir, 'treadle.json');
    if (!exists(marker)) {
      if (!create) {
        const next = 'Make one with: treadle build "<a brief>" --out DIR';
        throw new TreadleError({ code: 'no_corpus', message: 'There is no corpus in this folder', value: dir, next });
      }
      Corpus.#mustBeFree(dir);
      writeJson(marker, { treadle: CORPUS_VERSION });
    }
    const found = readData(marker) as { treadle?: unknown };
    if (found?.treadle !== CORPUS_VERSION) {
      const next = 'Build it again with this version into a new folder, or use the Treadle that wrote it.';
      throw new TreadleError({
        code: 'other_version',
        message: `The corpus is not of version ${CORPUS_VERSION}`,
        value: found?.treadle ?? 'none',
        next,
      });
    }
    return new Corpus(dir);
  }

  static #mustBeFree(dir: string): void {
    if (!exists(dir)) return;
    let isFolder = false;
    try {
      isFolder = statSync(dir).isDirectory();
    } catch (thrown) {
      throw diskError(thrown, dir, 'write');
    }
    const next = 'Choose an empty or new folder with --out.';
    if (!isFolder) throw new TreadleError({ code: 'not_a_folder', message: 'This is not a folder', value: dir, next });
    // A marker that was cut off at birth is ours.
    if (namesIn(dir).every((name) => name === 'treadle.json.part')) return;
    throw new TreadleError({
      code: 'not_empty',
      message: 'The folder holds other files and no corpus',
      value: dir,
      next,
    });
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  /** Ids of the complete worlds, sorted; a half-written one is not listed. */
  worlds(): string[] {
    return namesIn(this.path('worlds')).filter((id) => this.hasWorld(id));
  }

  /** Whether a whole world of that id is here; an id is a name and never a path. */
  hasWorld(id: string): boolean {
    return FileName.safeParse(id).success && exists(this.path('worlds', id, 'world.yaml'));
  }
  hasTasks(id: string): boolean {
    return this.hasWorld(id) && exists(this.path('worlds', id, 'tasks', 'index.json'));
  }

  /** The world's own file comes last: while it is missing, the world counts as not written. */
  writeWorld(files: WorldFiles): void {
    const at = (...parts: string[]): string => this.path('worlds', files.world.id, ...parts);
    for (const spec of files.services) writeJson(at('services', `${spec.id}.json`), spec);
    for (const [id, image] of Object.entries(files.images)) writeWhole(at('data', `${id}.sqlite`), image);
    this.writeCertificates(files.world.id, files.certificates);
    const snapshot = writeYaml(at('snapshot.yaml'), files.snapshot);
    writeJson(at('surface.json'), surfaceOf(files.world, files.services));
    const world = yamlOf(files.world);
    writeParsed(at(), [snapshot, world]);
    writeWhole(at('world.yaml'), world.text);
  }

  /** What the world shows of itself: as kept beside it, or made of its specs where that is lost. */
  readSurface(id: string): WorldSurface {
    const file = this.path('worlds', id, 'surface.json');
    try {
      if (this.hasWorld(id)) return readListing(WorldSurface, file);
    } catch {
      // Specs are the truth; what was cut off or edited is made again.
    }
    const { world, services } = this.readDescription(id);
    return surfaceOf(world, services);
  }

  /** By service id; the world's own under `world`. */
  writeCertificates(world: string, certificates: WorldFiles['certificates']): void {
    for (const [id, certificate] of Object.entries(certificates))
      writeJson(this.path('worlds', world, 'certificates', `${id}.json`), certificate);
  }

  /** A world with its services' images. */
  readWorld(id: string): WorldFiles {
    const described = this.readDescription(id);
    const images: Record<string, Uint8Array> = {};
    for (const ref of described.world.services) {
      const data = this.path('worlds', id, 'data', `${ref.id}.sqlite`);
      const image = readBytes(data);
      this.#same(sha256(image), described.snapshot.databases[ref.id] ?? '', data);
      images[ref.id] = image;
    }
    return { ...described, images };
  }

  /** A world without its images: all that reports and exports need. */
  readDescription(id: string): WorldDescription {
    const at = (...parts: string[]): string => this.path('worlds', id, ...parts);
    if (!this.hasWorld(id)) {
      const known = this.worlds();
      const next =
        known.length > 0
          ? `It has ${known.slice(0, 8).join(', ')}${known.length > 8 ? ' ...' : ''}.`
          : 'It has none yet: run treadle build.';
      throw new TreadleError({ code: 'no_world', message: 'The corpus has no such world', value: id, next });
    }
    const world = parseArtifact('world', readData(at('world.yaml')), at('world.yaml'));
    const snapshot = parseArtifact('snapshot', readData(at('snapshot.yaml')), at('snapshot.yaml'));
    const services = world.services.map((ref): ServiceSpec => {
      const file = at('services', `${ref.id}.json`);
      const spec = parseArtifact('service', readData(file), file);
      this.#same(addressOf(spec), ref.hash, file);
      return spec;
    });
    this.#same(addressOf(snapshot), world.snapshot, at('snapshot.yaml'));
    const certificates = Object.fromEntries(
      namesIn(at('certificates'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => [
          name.replace(/\.json$/, ''),
          parseArtifact('certificate', readData(at('certificates', name)), at('certificates', name)),
        ]),
    );
    return { world, snapshot, services, certificates };
  }

  #same(found: string, wanted: string, file: string): void {
    if (found === wanted) return;
    const next = 'Restore the file, or build the world again.';
    throw new TreadleError({
      code: 'changed_file',
      message: `${file} is not what the world was certified with`,
      value: found.slice(0, 12),
      next,
    });
  }

  /** The world's certificate; undefined when it has none. */
  worldCertificate(id: string): Certificate | undefined {
    const file = this.path('worlds', id, 'certificates', 'world.json');
    return exists(file) ? parseArtifact('certificate', readData(file), file) : undefined;
  }

  /** Adds a finding to the world's certificate, in place of an older one of the same id. */
  addFinding(id: string, finding: Finding): void {
    const file = this.path('worlds', id, 'certificates', 'world.json');
    const certificate = parseArtifact('certificate', readData(file), file);
    const findings = [...certificate.findings.filter((old) => old.id !== finding.id), finding];
    writeJson(file, { ...certificate, findings, pass: findings.every(({ pass }) => pass) });
  }

  /** Whether the world was already run in fresh processes. */
  isDeterministic(id: string): boolean {
    return this.worldCertificate(id)?.findings.some((finding) => finding.id === 'determinism') ?? false;
  }

  /** Replaces the world's tasks. The list goes first and comes last: while it is missing, the world counts as without tasks. */
  writeTasks(world: string, files: TaskFiles): void {
    const at = (...parts: string[]): string => this.path('worlds', world, 'tasks', ...parts);
    const kept = new Set(files.tasks.map(({ id }) => id));
    const strays = (dir: string, ending: string): string[] =>
      namesIn(dir)
        .filter((name) => name.endsWith(ending) && !kept.has(name.slice(0, -ending.length)))
        .map((name) => join(dir, name));
    removeFiles([at('index.json'), ...strays(at(), '.yaml'), ...strays(at('proofs'), '.json')]);
    const written = files.tasks.map((task) => {
      writeJson(at('proofs', `${task.id}.json`), files.certificates[task.id]);
      return writeYaml(at(`${task.id}.yaml`), task);
    });
    writeParsed(at(), written);
    const tasks = files.tasks.map((task) => ({
      id: task.id,
      hash: addressOf(task),
      family: task.nodes[0]?.family ?? '',
      kind: task.kind,
      ...(task.profile ? { profile: task.profile } : {}),
      brief: task.brief,
      masked: maskedText(task),
      chain: chainOf(task),
      tables: tablesOf(task),
    }));
    const { dropped, isToChoose } = files;
    writeJson(at('index.json'), { tasks, dropped, ...(isToChoose ? { isToChoose } : {}) });
  }

  /** Leaves a world with some of the tasks that it was to choose from. Cut off in between, it counts as without tasks. */
  keepTasks(world: string, kept: ReadonlySet<string>): void {
    const at = (...parts: string[]): string => this.path('worlds', world, 'tasks', ...parts);
    const { tasks, dropped } = this.listTasks(world);
    const gone = tasks.filter(({ id }) => !kept.has(id));
    removeFiles([at('index.json'), ...gone.map(({ id }) => at('proofs', `${id}.json`))]);
    removeYaml(
      at(),
      gone.map(({ id }) => `${id}.yaml`),
    );
    writeJson(at('index.json'), { tasks: tasks.filter(({ id }) => kept.has(id)), dropped });
  }

  /** Which tasks a world has, without reading them. */
  listTasks(world: string): TaskListing {
    return this.hasTasks(world)
      ? readListing(TaskListing, this.path('worlds', world, 'tasks', 'index.json'))
      : { tasks: [], dropped: [] };
  }

  readTasks(world: string): TaskFiles {
    const at = (...parts: string[]): string => this.path('worlds', world, 'tasks', ...parts);
    const { tasks: listed, dropped } = this.listTasks(world);
    const certificates: Record<string, Certificate> = {};
    const tasks = listed.map(({ id, hash }) => {
      const file = at(`${id}.yaml`);
      const task = parseArtifact('task', readData(file), file);
      this.#same(addressOf(task), hash, file);
      const proof = at('proofs', `${id}.json`);
      certificates[id] = parseArtifact('certificate', readData(proof), proof);
      return task;
    });
    return { tasks, certificates, dropped };
  }
}
