/** From a draft to a certified world, repairing what can be repaired on the way. */
import type { Certificate } from '../../artifacts/certificate.js';
import { assembleWorld, type BuiltWorld } from '../../author/assemble.js';
import type { WorldDraft } from '../../author/draft.js';
import { type CertifiedWorld, certifyWorld } from '../../certify/certify.js';
import { repairInvariants, repairService } from '../../certify/repair.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';

export interface MadeWorld {
  built: BuiltWorld;
  loaded: LoadedWorld;
  certified: CertifiedWorld;
  /** Tools and invariants left out by the repair. */
  dropped: { what: string; why: string }[];
  timesMs: { author: number; certify: number };
}

const MOST_REPAIRS = 3;

const failuresOf = (certificate: Certificate): string =>
  certificate.findings
    .filter(({ pass }) => !pass)
    .map(({ id, evidence }) => `${id}: ${evidence[0] ?? ''}`)
    .join('; ');

type Mended = { draft: WorldDraft; dropped: MadeWorld['dropped'] };

/** The draft with every blamed tool left out; undefined when a service cannot be repaired that way. */
const withoutTools = (draft: WorldDraft, certified: CertifiedWorld): Mended | undefined => {
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
  return { draft: { ...draft, services }, dropped };
};

/** The draft without invariants that are at fault, and without the policies that speak of them. */
const withoutInvariants = (draft: WorldDraft, certified: CertifiedWorld): Mended => {
  const repair = repairInvariants(certified.studies);
  if (!repair) return { draft, dropped: [] };
  const gone = new Set(repair.dropped.map(({ invariant }) => invariant));
  return {
    draft: {
      ...draft,
      invariants: draft.invariants.filter(({ id }) => !gone.has(id)),
      policies: draft.policies.filter(({ invariant }) => invariant === undefined || !gone.has(invariant)),
    },
    dropped: repair.dropped.map(({ invariant, why }) => ({ what: `invariant ${invariant}`, why })),
  };
};

/** What can be left out is; undefined when that would not help. A tool that goes may be what an invariant needs: that shows next time. */
const repaired = (draft: WorldDraft, certified: CertifiedWorld): Mended | undefined => {
  const tools = withoutTools(draft, certified);
  if (!tools) return undefined;
  const rules = withoutInvariants(tools.draft, certified);
  const dropped = [...tools.dropped, ...rules.dropped];
  return dropped.length > 0 ? { draft: rules.draft, dropped } : undefined;
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
