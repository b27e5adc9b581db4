/** From a draft to a certified world, repairing what can be repaired on the way. */
import type { Certificate } from '../../artifacts/certificate.js';
import { assembleWorld, type BuiltWorld } from '../../author/assemble.js';
import type { WorldDraft } from '../../author/draft.js';
import { writtenRule } from '../../author/house-rules.js';
import { type CertifiedWorld, certifyWorld } from '../../certify/certify.js';
import { repairInvariants, repairLinks, repairService } from '../../certify/repair.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';

export interface MadeWorld {
  built: BuiltWorld;
  loaded: LoadedWorld;
  certified: CertifiedWorld;
  /** Tools, invariants and links left out by the repair. */
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

/** The draft without invariants that are at fault, and without the policies that speak of them; never without any. */
const withoutInvariants = (draft: WorldDraft, certified: CertifiedWorld): Mended => {
  const faulty = certified.studies.filter(({ fault }) => fault);
  if (faulty.length === 0) return { draft, dropped: [] };
  const kept = repairInvariants(certified.studies)?.kept;
  const core = new Set(draft.services.map(({ spec }) => spec.id));
  const last = writtenRule(draft.clock);
  const isLastTried = certified.studies.some(({ invariant }) => invariant.id === last.id);
  if (!kept && (isLastTried || !core.has('chat') || !core.has('mail'))) return { draft, dropped: [] };
  const invariants = kept ?? [last];
  const ids = new Set(invariants.map(({ id }) => id));
  return {
    draft: {
      ...draft,
      invariants,
      policies: [
        ...draft.policies.filter(({ invariant }) => invariant === undefined || ids.has(invariant)),
        ...(kept ? [] : [{ id: last.id, text: last.says, invariant: last.id }]),
      ],
    },
    dropped: faulty.map(({ invariant, fault }) => ({
      what: `invariant ${invariant.id}`,
      why: `${fault?.validator}: ${fault?.line}`,
    })),
  };
};

const withoutLinks = (draft: WorldDraft, { loose }: CertifiedWorld): Mended => {
  const services = draft.services.map(({ spec }) => spec.id);
  const links = repairLinks(services, draft.links, loose);
  if (!links) return { draft, dropped: [] };
  return {
    draft: { ...draft, links },
    dropped: loose.map(({ id }) => ({ what: `link ${id}`, why: 'service_graph: nothing in the data bears it out' })),
  };
};

/** What can be left out is; undefined when that would not help. A tool that goes may be what an invariant needs: that shows next time. */
const repaired = (draft: WorldDraft, certified: CertifiedWorld): Mended | undefined => {
  const tools = withoutTools(draft, certified);
  if (!tools) return undefined;
  const rules = withoutInvariants(tools.draft, certified);
  const links = withoutLinks(rules.draft, certified);
  const dropped = [...tools.dropped, ...rules.dropped, ...links.dropped];
  return dropped.length > 0 ? { draft: links.draft, dropped } : undefined;
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
