/** Certifies a service that an API document became, alone, with a made-up company around it. */
import type { ServiceSpec } from '../../src/artifacts/service.js';
import { assembleWorld } from '../../src/author/assemble.js';
import type { WorldDraft } from '../../src/author/draft.js';
import { certifyService } from '../../src/certify/certify.js';
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
  /** Validators that failed, each with its first line of evidence. */
  failed: { validator: string; evidence: string[] }[];
}

/** What validators 1 to 6 say of the service; a service whose data cannot be made fails before them. */
export const prove = (engine: Engine, spec: ServiceSpec, seed: string): Proof => {
  try {
    const world = loadWorld(engine, assembleWorld(engine, draftOf(spec, seed)));
    const { certificate } = certifyService(world, world.services.get(spec.id) as LoadedService);
    unloadWorld(world);
    const failed = certificate.findings.filter((finding) => !finding.pass);
    return { pass: certificate.pass, failed: failed.map(({ id, evidence }) => ({ validator: id, evidence })) };
  } catch (thrown) {
    const evidence = thrown instanceof TreadleError ? thrown.line() : String(thrown);
    return { pass: false, failed: [{ validator: 'assembly', evidence: [evidence] }] };
  }
};
