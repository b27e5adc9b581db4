/** A stateful fake of an API, in this process: its document compiled, seeded and served over sessions of its own. */

import { refsOf } from '../document/refs.js';
import type { TreadleError } from '../errors.js';
import { addressOf, type Json } from '../kit/hash.js';
import { Callers } from '../serve/face/callers.js';
import { controlOf } from '../serve/face/control.js';
import { type FaceDoorOptions, serveFace } from '../serve/face/door.js';
import { type FaceHooks, type FaceOptions, RestFace } from '../serve/face/face.js';
import { faultsOf } from '../serve/face/faults/faults.js';
import { answerOf, fetchHandler } from '../serve/face/fetch.js';
import { keyPlacesOf } from '../serve/face/keys.js';
import type { FaceRequest, FaceResponse } from '../serve/face/types.js';
import { type WebhookOptions, type Webhooks, webhooksFor } from '../serve/face/webhooks/webhooks.js';
import type { Listening } from '../serve/http/listen.js';
import { openRegistry } from '../serve/registry/registry.js';
import type { ServerLimits } from '../serve/sessions/server/options.js';
import { SessionServer } from '../serve/sessions/server/session-server.js';
import { Engine } from '../world/state/engine.js';
import { type CompiledFake, compileFake, type FakeSource } from './compile.js';

export interface FakeOptions extends FakeSource, Pick<FaceOptions, 'strict' | 'needsKey' | 'bodyBytes'> {
  /** What the source compiles to, where that is known. */
  compiled?: CompiledFake;
  /** Fault rules: `POST /charges=429`. */
  faults?: readonly string[];
  /** What faults with a share are drawn by; `seed` when absent. */
  faultSeed?: string | undefined;
  webhooks?: WebhookOptions;
  /** Serves `/_treadle`; true when absent. */
  control?: boolean;
  limits?: Partial<ServerLimits>;
  onDefect?: (error: TreadleError) => void;
}

export interface Fake extends Omit<CompiledFake, 'built'> {
  /** Its world's name in the registry. */
  world: string;
  /** Rows of its initial data. */
  rows: number;
  /** Id of its one service. */
  service: string;
  server: SessionServer;
  callers: Callers;
  face: CompiledFake['face'];
  rest: RestFace;
  /** Absent for a document that declares none. */
  webhooks: Webhooks | undefined;
  answer(request: FaceRequest): FaceResponse | Promise<FaceResponse>;
  fetch(request: Request): Promise<Response>;
  /** Serves it on a port, as often as wanted. Throws `cannot_listen`. */
  listen(options?: Omit<FaceDoorOptions, 'answer'>): Promise<Listening>;
  /** Ends its sessions and its doors. */
  close(): Promise<void>;
}

const LEDGER_BYTES = 64 * 1024 * 1024;

/** Throws what compiling throws. */
export const openFake = async (options: FakeOptions): Promise<Fake> => {
  const engine = await Engine.start();
  try {
    const { built, ...compiled } = options.compiled ?? compileFake(engine, options);
    const registry = openRegistry({});
    const [spec] = built.services as [(typeof built.services)[number]];
    // Made here and now: to read, check and write it out again would take as long as making it.
    const made = (artifact: object, hash: string) => ({ hash, read: () => artifact as Json, isChecked: true });
    registry.publish(
      'service',
      `${built.world.id}/${spec.id}`,
      made(spec, built.world.services[0]?.hash ?? addressOf(spec)),
    );
    registry.publish('world', built.world.id, made(built.world, addressOf(built.world)));
    const { onDefect } = options;
    const parts = { world: built.world, services: built.services, images: built.images, isAsMade: true };
    const server = new SessionServer({
      engine,
      registry,
      partsOf: () => parts,
      // A server of tests has memory: what was called lately stays in it.
      limits: { ledgerBytes: LEDGER_BYTES, ...options.limits },
      ...(onDefect ? { onDefect } : {}),
    });
    const { document, face } = compiled;
    const refs = refsOf(document.root);
    const keys = keyPlacesOf(document.root, refs);
    const hooks: FaceHooks = {};
    const callers = new Callers({ server, open: { world: built.world.id }, keys });
    const rest = new RestFace({
      root: document.root,
      version: document.version,
      face,
      seed: options.seed,
      callers,
      strict: options.strict ?? false,
      needsKey: options.needsKey ?? false,
      hooks,
      ...(options.bodyBytes ? { bodyBytes: options.bodyBytes } : {}),
      ...(onDefect ? { onDefect } : {}),
    });
    const { operations } = rest;
    const { faults: rules = [], seed, faultSeed = seed } = options;
    const faults = rules.length > 0 ? faultsOf({ rules, operations, seed: faultSeed }) : undefined;
    const { root, version } = document;
    const webhooks = webhooksFor({ ...options.webhooks, document: { root, refs, version }, operations, spec, seed });
    if (faults || webhooks)
      hooks.before = (event) => {
        webhooks?.before(event);
        return faults?.strike(event);
      };
    if (webhooks) hooks.after = (event) => webhooks.after(event);
    const answer = answerOf(rest, options.control === false ? undefined : controlOf(callers, webhooks));
    const doors: Listening[] = [];
    return {
      ...compiled,
      world: built.world.id,
      service: spec.id,
      rows: Object.values(built.world.rows[spec.id] ?? {}).reduce((sum, n) => sum + n, 0),
      server,
      callers,
      rest,
      webhooks,
      answer,
      fetch: fetchHandler(answer, options.bodyBytes),
      listen: async (at = {}) => {
        const door = await serveFace({ answer, ...(options.bodyBytes ? { bodyBytes: options.bodyBytes } : {}), ...at });
        doors.push(door);
        return door;
      },
      close: async () => {
        faults?.close();
        webhooks?.close();
        await Promise.all(doors.map((door) => door.close()));
        await server.shutDown();
        registry.close();
        engine.close();
      },
    };
  } catch (thrown) {
    engine.close();
    throw thrown;
  }
};
