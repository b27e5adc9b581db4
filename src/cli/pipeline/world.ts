/** From a draft to a certified world, repairing what can be repaired on the way. */
import type { Certificate } from '../../artifacts/certificate.js';
import { assembleWorld, type BuiltWorld } from '../../author/assemble.js';
import type { WorldDraft } from '../../author/draft.js';
import { type CertifiedWorld, certifyWorld } from '../../certify/certify.js';
import { repairService } from '../../certify/repair.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';

export interface MadeWorld {
  built: BuiltWorld;
  loaded: LoadedWorld;
  certified: CertifiedWorld;
  /** Tools left out by the repair. */
  dropped: { what: string; why: string }[];
  timesMs: { author: number; certify: number };
}

const MOST_REPAIRS = 3;

const failuresOf = (certificate: Certificate): string =>
  certificate.findings
    .filter(({ pass }) => !pass)
    .map(({ id, evidence }) => `${id}: ${evidence[0] ?? ''}`)
    .join('; ');

/** The draft with every blamed tool left out; undefined when a service cannot be repaired that way. */
const repaired = (
  draft: WorldDraft,
  certified: CertifiedWorld,
): { draft: WorldDraft; dropped: MadeWorld['dropped'] } | undefined => {
  const dropped: MadeWorld['dropped'] = [];
  const services: WorldDraft['services'] = [];
  for (const service of draft.services) {
    const certificate = certified.services[service.spec.id];
    if (!certificate || certificate.pass) {
      services.push(service);
      continue;
    }
    const repair = repairService(service.spec, certificate);
    if (!repair) return undefined;
    dropped.push(...repair.dropped.map(({ tool, why }) => ({ what: `tool ${tool} of ${service.spec.id}`, why })));
    services.push({ ...service, spec: repair.spec });
  }
  return dropped.length > 0 ? { draft: { ...draft, services }, dropped } : undefined;
};

/** Assembles, loads and certifies; the result may still have failed: look at its certificate. The loaded world is the caller's. */
export const makeWorld = (engine: Engine, first: WorldDraft, now: () => number): MadeWorld => {
  let draft = first;
  const dropped: MadeWorld['dropped'] = [];
  const timesMs = { author: 0, certify: 0 };
  for (let round = 0; ; round++) {
    const start = now();
    const built = assembleWorld(engine, draft);
    const loaded = loadWorld(engine, built);
    const assembled = now();
    const certified = certifyWorld(loaded);
    timesMs.author += assembled - start;
    timesMs.certify += now() - assembled;
    const mended = certified.certificate.pass || round >= MOST_REPAIRS ? undefined : repaired(draft, certified);
    if (!mended) return { built, loaded, certified, dropped, timesMs };
    unloadWorld(loaded);
    draft = mended.draft;
    dropped.push(...mended.dropped);
  }
};

/** Why a made world is no good, in one line; undefined when it is. */
export const whyNot = (made: MadeWorld): string | undefined =>
  made.certified.certificate.pass ? undefined : failuresOf(made.certified.certificate);
