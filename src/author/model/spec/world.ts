/** From the services under work to a WorldDraft: dressed, linked, named. Ids, surfaces, company and provenance are ours. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Evidence, Invariant, Link } from '../../../artifacts/world.js';
import { rng } from '../../../kit/rng.js';
import type { SharedKey } from '../../catalogue/compile.js';
import { leaverRule } from '../../catalogue/leavers.js';
import { linksOf } from '../../catalogue/links.js';
import { policiesOf } from '../../catalogue/policies.js';
import { coreProducts, coreServices, dressProduct } from '../../core/services.js';
import { DIALECTS, dressService } from '../../dialects/dress.js';
import type { DraftService, WorldDraft } from '../../draft.js';
import { canonicalService, type ServiceWork, type Setting } from './service.js';

/** Company, clock, seed and id, from the deterministic author; its services are replaced. */
export type Frame = Pick<WorldDraft, 'id' | 'company' | 'brief' | 'clock' | 'seed'>;

export interface Compiled {
  /** Canonical specs of the services that compile, by id; the core's too. */
  specs: Map<string, ServiceSpec>;
  links: Link[];
  /** Services that do not compile beside the others. */
  failed: { work: ServiceWork; thrown: unknown }[];
}

const MOST_LEAVERS = 2;

/** Links whose both ends are there, with a type in common. */
const sound = (keys: readonly SharedKey[], specs: ReadonlyMap<string, ServiceSpec>): SharedKey[] => {
  const typeOf = ({ service, table, col }: SharedKey['from']): string | undefined =>
    specs.get(service)?.tables[table]?.cols[col]?.type;
  return keys.filter(({ from, to }) => typeOf(from) !== undefined && typeOf(from) === typeOf(to));
};

/** Compiles every service for the others that are there. */
export const compileAll = (frame: Frame, works: readonly ServiceWork[], setting: Setting): Compiled => {
  const core = coreServices(frame.company);
  const present = new Set(works.map(({ id }) => id));
  const specs = new Map(core.map((spec) => [spec.id, spec]));
  const keys: SharedKey[] = [];
  const failed: Compiled['failed'] = [];
  for (const work of works) {
    try {
      const done = canonicalService(work, setting, present);
      specs.set(work.id, done.spec);
      keys.push(...done.keys);
    } catch (thrown) {
      failed.push({ work, thrown });
    }
  }
  return { specs, links: linksOf(sound(keys, specs)), failed };
};

const prefixed = (services: readonly Omit<DraftService, 'prefix'>[]): DraftService[] => {
  const taken = new Set<string>();
  return services.map((service) => {
    const names = Object.keys(service.spec.tools).map((name) => name.toLowerCase());
    const prefix = names.some((name) => taken.has(name)) ? `${service.spec.id.replace(/[^a-z0-9]/g, '')}_` : '';
    for (const name of names) taken.add(prefix + name);
    return { ...service, prefix };
  });
};

/** Rules about people who have left: ours, known to be breakable and mendable by the tools they name. */
export const leaverRules = (compiled: Compiled, works: readonly ServiceWork[]): Invariant[] =>
  works
    .flatMap(({ id }) => {
      const spec = compiled.specs.get(id);
      const rule = spec && leaverRule(spec);
      const isLinked = compiled.links.some(
        ({ from, to }) =>
          from.service === id && from.col === rule?.key.target && to.service === 'directory' && to.col === 'email',
      );
      return rule && isLinked ? [rule] : [];
    })
    .slice(0, MOST_LEAVERS);

const evidenceOf = (works: readonly ServiceWork[], model: string, frame: Frame): Evidence[] => [
  ...works.map(
    ({ id, from, tables }): Evidence => ({
      choice: `service ${id}`,
      because: `written by ${model} from ${from === 'brief' ? 'the brief' : `the document ${from}`}: ${Object.keys(tables).length} tables`,
      kind: 'words',
    }),
  ),
  ...frame.brief.evidence.filter(({ choice }) => !/^(service|dialect) /.test(choice)),
];

/** The draft of the services that compiled. Dialects depend on the seed and the service's id only. */
export const draftOf = (
  frame: Frame,
  compiled: Compiled,
  works: readonly ServiceWork[],
  invariants: readonly Invariant[],
  model: string,
): WorldDraft => {
  const own = works.filter(({ id }) => compiled.specs.has(id));
  const canonical = own.map(({ id }) => compiled.specs.get(id) as ServiceSpec);
  const dressed = canonical.map((spec) => {
    const draw = rng(frame.seed, 'model author', `dialect ${spec.id}`);
    return dressService(spec, draw.pick(DIALECTS), { currency: frame.company.currency, rng: draw.stream('dress') });
  });
  const core = coreProducts(frame.company, rng(frame.seed, 'core')).map((product) =>
    dressProduct(product, frame.company.currency),
  );
  return {
    ...frame,
    brief: { text: frame.brief.text, evidence: evidenceOf(own, model, frame) },
    services: prefixed([
      ...core.map((spec) => ({ spec, role: 'core' as const })),
      ...dressed.map((spec) => ({ spec, role: 'domain' as const })),
    ]),
    links: compiled.links,
    // What a document says reaches no text outside of its own service.
    policies: policiesOf(
      invariants,
      canonical.filter(({ id }) => own.some((work) => work.id === id && work.from === 'brief')),
    ),
    invariants: [...invariants],
    processes: [],
  };
};
