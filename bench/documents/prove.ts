/** Certifies a service that an API document became, alone, with a made-up company around it. */
import type { ServiceSpec } from '../../src/artifacts/service.js';
import { assembleWorld } from '../../src/author/assemble.js';
import type { WorldDraft } from '../../src/author/draft.js';
import { certifyService } from '../../src/certify/certify.js';
import { repairService } from '../../src/certify/repair.js';
import { TreadleError } from '../../src/errors.js';
import { type LoadedService, loadWorld, unloadWorld } from '../../src/world/loaded.js';
import type { Engine } from '../../src/world/state/engine.js';

const START = 1_750_000_000;

const draftOf = (spec: ServiceSpec, seed: string): WorldDraft => ({
  id: 'documents',
  company: {
    name: 'Brackwater',
    legalName: 'Brackwater Ltd',
    domain: 'brackwater.example',
    about: 'A company that uses the service under test.',
    country: 'GB',
    city: 'Bristol',
    timezone: 'Europe/London',
    currency: 'GBP',
    locale: 'en_GB',
    industry: { naics: '541512', title: 'Computer Systems Design Services' },
    employees: 60,
    founded: 2009,
  },
  brief: { text: '', evidence: [] },
  clock: START,
  seed,
  services: [{ spec, role: 'domain', prefix: '' }],
  links: [],
  policies: [],
  invariants: [],
  processes: [],
});

export interface Proof {
  pass: boolean;
  tools: number;
  /** Tools that the repair left out. */
  dropped: { tool: string; why: string }[];
  /** Validators that failed in the last round, each with its evidence. */
  failed: { validator: string; evidence: string[] }[];
}

const MOST_ROUNDS = 2;

/** What validators 1 to 6 say of the service, repaired as a build would; data that cannot be made fails before them. */
export const prove = (engine: Engine, spec: ServiceSpec, seed: string): Proof => {
  const dropped: Proof['dropped'] = [];
  let at = spec;
  try {
    for (let round = 0; ; round++) {
      const world = loadWorld(engine, assembleWorld(engine, draftOf(at, seed)));
      const { certificate } = certifyService(world, world.services.get(at.id) as LoadedService);
      unloadWorld(world);
      const repair = certificate.pass || round === MOST_ROUNDS ? undefined : repairService(at, certificate);
      if (!repair) {
        const failed = certificate.findings.filter((finding) => !finding.pass);
        const lines = failed.map(({ id, evidence }) => ({ validator: id, evidence }));
        return { pass: certificate.pass, tools: Object.keys(at.tools).length, dropped, failed: lines };
      }
      dropped.push(...repair.dropped);
      at = repair.spec;
    }
  } catch (thrown) {
    const evidence = thrown instanceof TreadleError ? thrown.line() : String(thrown);
    return { pass: false, tools: 0, dropped, failed: [{ validator: 'assembly', evidence: [evidence] }] };
  }
};
