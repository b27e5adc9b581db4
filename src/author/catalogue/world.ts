/** Puts services together into a world: compiled for one another, dressed, linked, with rules and processes. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Company, Evidence, Invariant, Link, Policy } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import type { Rng } from '../../kit/rng.js';
import { coreProducts, dressProduct } from '../core/services.js';
import { DIALECTS, dressService } from '../dialects/dress.js';
import type { DraftService } from '../draft.js';
import { compileArchetype } from './compile.js';
import { invariantsFor } from './invariants.js';
import { connected, linksOf } from './links.js';
import { policiesOf } from './policies.js';
import { processesFor } from './processes.js';

export interface AssembledWorld {
  services: DraftService[];
  links: Link[];
  invariants: Invariant[];
  policies: Policy[];
  processes: string[];
  evidence: Evidence[];
}

const lower = (name: string): string => name.toLowerCase();

/** A service gets its id as a prefix when one of its tool names is taken by an earlier service. */
const prefixed = (specs: readonly { spec: ServiceSpec; role: DraftService['role'] }[]): DraftService[] => {
  const taken = new Set<string>();
  return specs.map(({ spec, role }) => {
    const names = Object.keys(spec.tools).map(lower);
    const prefix = names.some((name) => taken.has(name)) ? `${spec.id.replace(/[^a-z0-9]/g, '')}_` : '';
    for (const name of names) taken.add(prefix + name);
    return { spec, role, prefix };
  });
};

/** Core services and the given archetypes as one world. Throws `unknown_archetype` and `not_connected`. */
export const assembleWorld = (archetypes: readonly string[], company: Company, rng: Rng): AssembledWorld => {
  const products = coreProducts(company, rng.stream('core'));
  const core = products.map((product) => dressProduct(product, company.currency));
  const ids = [...core.map(({ id }) => id), ...archetypes];
  const present = new Set(ids);
  const compiled = archetypes.map((id) => compileArchetype(id, company.currency, present));
  const links = linksOf(compiled.flatMap(({ keys }) => keys));
  if (!connected(ids, links))
    throw new TreadleError({
      code: 'not_connected',
      message: 'These services share no key with the rest of the world',
      value: archetypes.join(', '),
      next: 'Choose archetypes that speak of the same things.',
      fault: 'world',
    });
  const evidence = products.map(
    ({ spec, dialect }): Evidence => ({
      choice: `dialect ${dialect} for ${spec.id}`,
      because: 'drawn by the seed',
      kind: 'draw',
    }),
  );
  const dressed = compiled.map(({ spec }) => {
    const own = rng.stream(`dialect ${spec.id}`);
    const dialect = own.pick(DIALECTS);
    evidence.push({ choice: `dialect ${dialect} for ${spec.id}`, because: 'drawn by the seed', kind: 'draw' });
    return dressService(spec, dialect, { currency: company.currency, rng: own.stream('dress') });
  });
  const invariants = invariantsFor(
    present,
    compiled.map(({ spec }) => spec),
  );
  return {
    services: prefixed([
      ...core.map((spec) => ({ spec, role: 'core' as const })),
      ...dressed.map((spec) => ({ spec, role: 'domain' as const })),
    ]),
    links,
    invariants,
    policies: policiesOf(
      invariants,
      compiled.map(({ spec }) => spec),
    ),
    processes: processesFor(present),
    evidence,
  };
};
