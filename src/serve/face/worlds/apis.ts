/** The APIs of worlds: for each document one face, over all services of the world that were made of it. */
import type { Binding, Face } from '../../../artifacts/face.js';
import type { ParsedDocument } from '../../../document/parse.js';
import { refsOf } from '../../../document/refs.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import type { Caller, Callers } from '../callers.js';
import { type FaceOptions, RestFace } from '../face.js';
import { type KeyPlace, keyPlacesOf } from '../keys.js';
import type { FaceOperation } from '../types.js';
import type { FaceSource } from './source.js';

export interface WorldApi {
  /** Address of the document. */
  hash: string;
  title: string;
  document: ParsedDocument;
  /** Services behind it, in the world's order. */
  services: readonly string[];
  rest: RestFace;
}

export interface WorldApisOptions
  extends Pick<FaceOptions, 'strict' | 'needsKey' | 'bodyBytes' | 'hooks' | 'onDefect'> {
  source: FaceSource;
  server: SessionServer;
  callers: Callers;
}

/** Worlds whose APIs are remembered; those that share their faces share these too. */
const MOST_WORLDS = 4_096;

/** Names as agents have them, by service and the tool's own name. */
const named = new WeakMap<LoadedWorld, Map<string, string>>();

const namesIn = (world: LoadedWorld): Map<string, string> => {
  const known = named.get(world);
  if (known) return known;
  const made = new Map([...world.tools].map(([name, { service, tool }]) => [`${service.id} ${tool.name}`, name]));
  named.set(world, made);
  return made;
};

/** Of one document: what any of its services binds is bound. */
const merged = (faces: readonly Face[]): { face: Pick<Face, 'bindings' | 'unbound'>; homes: Map<string, string> } => {
  const bindings: Binding[] = [];
  const homes = new Map<string, string>();
  for (const face of faces)
    for (const binding of face.bindings) {
      if (homes.has(binding.operation)) continue;
      homes.set(binding.operation, face.service);
      bindings.push(binding);
    }
  return { face: { bindings, unbound: faces[0]?.unbound ?? [] }, homes };
};

export class WorldApis {
  /** By the faces of a document that a world has. */
  readonly #apis = new Map<string, WorldApi>();
  readonly #documents = new Map<string, ParsedDocument>();
  readonly #worlds = new Map<string, readonly WorldApi[]>();

  constructor(readonly options: WorldApisOptions) {}

  /** Ids of the services of a world that have a face; the document is not read. */
  servicesOf(world: string): string[] {
    return Object.keys(this.options.source.facesOf(world));
  }

  /** In the order of the world's services. Throws what reading faces and documents throws. */
  of(world: string): readonly WorldApi[] {
    const known = this.#worlds.get(world);
    if (known) return known;
    const { source } = this.options;
    const byDocument = new Map<string, { service: string; hash: string; face: Face }[]>();
    for (const [service, hash] of Object.entries(source.facesOf(world))) {
      const face = source.face(hash);
      byDocument.set(face.document, [...(byDocument.get(face.document) ?? []), { service, hash, face }]);
    }
    const apis = [...byDocument].map(([hash, own]) => this.#api(hash, own));
    if (this.#worlds.size >= MOST_WORLDS) this.#worlds.clear();
    this.#worlds.set(world, apis);
    return apis;
  }

  /** Where the documents of a world have keys. */
  keysOf(world: string): KeyPlace[] {
    return this.of(world).flatMap(({ document: { root } }) => keyPlacesOf(root, refsOf(root)));
  }

  #document(hash: string): ParsedDocument {
    const made = this.#documents.get(hash) ?? this.options.source.document(hash);
    this.#documents.set(hash, made);
    return made;
  }

  #api(hash: string, own: readonly { service: string; hash: string; face: Face }[]): WorldApi {
    const key = own.map(({ service, hash: face }) => `${service}:${face}`).join(' ');
    const known = this.#apis.get(key);
    if (known) return known;
    const document = this.#document(hash);
    const { face, homes } = merged(own.map((one) => ({ ...one.face, service: one.service })));
    const { root, version, title } = document;
    const { source: _, server: __, ...rest } = this.options;
    const toolOf = (operation: FaceOperation, caller: Caller): string | undefined =>
      this.#toolOf(homes.get(operation.http.label), operation.binding, caller);
    // What is made for answers follows from the document alone: worlds share it.
    const made: WorldApi = {
      hash,
      title,
      document,
      services: own.map(({ service }) => service),
      rest: new RestFace({ ...rest, root, version, face, seed: hash, toolOf }),
    };
    this.#apis.set(key, made);
    return made;
  }

  /** Undefined where the caller's session does not offer it: it is of a service left out, or the world has no such tool. */
  #toolOf(service: string | undefined, binding: Binding | undefined, { live, service: only }: Caller) {
    if (service === undefined || binding === undefined || (only !== undefined && only !== service)) return undefined;
    const { services, ground } = live.start;
    if (!services.includes(service)) return undefined;
    return namesIn(this.options.server.worlds.get(ground)).get(`${service} ${binding.tool}`);
  }
}
