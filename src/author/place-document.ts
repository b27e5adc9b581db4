/** A service from an API document becomes a world when it stands beside the company core (certify.md). */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Evidence, Invariant, Link } from '../artifacts/world.js';
import { rng } from '../kit/rng.js';
import { authorFromBrief, type Pins } from './catalogue/author.js';
import { policiesOf } from './catalogue/policies.js';
import { coreProducts, dressProduct } from './core/services.js';
import type { DraftService, WorldDraft } from './draft.js';
import { recordRule, referTo, staffLinks, staffRule, stateRule, writtenRule } from './house-rules.js';

export interface Placing {
  /** The document's title; words in it may tell the trade. */
  title: string;
  services: readonly ServiceSpec[];
  seed: string;
  pins?: Pins;
}

interface Tied {
  mail: ServiceSpec | undefined;
  links: Link[];
  invariants: Invariant[];
}

/** Each service by what it shares with the core: its staff, else a field of the company's mail that names its records. */
const tie = (core: readonly DraftService[], specs: readonly ServiceSpec[], clock: number): Tied => {
  const tied: Tied = { mail: core.find(({ spec }) => spec.id === 'mail')?.spec, links: [], invariants: [] };
  for (const spec of specs) {
    const staff = staffLinks(spec);
    tied.links.push(...staff);
    const rules = staff.flatMap((link) => staffRule(spec, link) ?? []).slice(0, 1);
    if (staff.length === 0 || rules.length === 0) {
      const reference = tied.mail && referTo(tied.mail, spec);
      if (reference) {
        tied.mail = reference.mail;
        tied.links.push(reference.link);
        const rule = recordRule(spec, reference.link, clock) ?? stateRule(spec, reference.link);
        if (rule) rules.push(rule);
      }
    }
    tied.invariants.push(...rules);
  }
  if (tied.invariants.length === 0) tied.invariants.push(writtenRule(clock));
  return tied;
};

const prefixed = (core: readonly DraftService[], specs: readonly ServiceSpec[]): DraftService[] => {
  const taken = new Set(core.flatMap(({ spec }) => Object.keys(spec.tools).map((name) => name.toLowerCase())));
  return specs.map((spec, index) => {
    const names = Object.keys(spec.tools).map((name) => name.toLowerCase());
    const prefix = names.some((name) => taken.has(name)) ? `api${index + 1}_` : '';
    for (const name of names) taken.add(prefix + name);
    return { spec, role: 'domain', prefix };
  });
};

/** A draft with the document's services and the core; the company is drawn by the seed and from the title's words. */
export const placeDocument = ({ title, services, seed, pins }: Placing): WorldDraft => {
  const words = /\p{L}/u.test(title) ? title : 'company';
  const drawn = authorFromBrief(`A company that uses ${words}.`, { seed, ...(pins ? { pins } : {}) });
  const products = coreProducts(drawn.company, rng(drawn.seed, 'core'));
  const core = products.map(({ spec }): DraftService => ({ spec, role: 'core', prefix: '' }));
  const ids = new Set([...core.map(({ spec }) => spec.id), ...services.map(({ id }) => id)]);
  const about: Evidence[] = services.map((spec) => ({
    choice: `service ${spec.id}`,
    because: `from the document: ${Object.keys(spec.tables).length} tables, ${Object.keys(spec.tools).length} tools`,
    kind: 'words',
  }));
  // What the brief could not answer is our own sentence, not the user's.
  const kept = drawn.brief.evidence.filter(
    ({ choice, kind }) => kind !== 'note' && !/^(service|dialect) /.test(choice),
  );
  const tied = tie(core, services, drawn.clock);
  const placed = products.map((product): DraftService => {
    const spec = tied.mail && product.spec.id === tied.mail.id ? tied.mail : product.spec;
    return { spec: dressProduct({ ...product, spec }, drawn.company.currency), role: 'core', prefix: '' };
  });
  return {
    ...drawn,
    brief: { text: title, evidence: [...about, ...kept] },
    services: [...placed, ...prefixed(placed, services)],
    links: [...drawn.links.filter(({ from, to }) => ids.has(from.service) && ids.has(to.service)), ...tied.links],
    invariants: tied.invariants,
    policies: policiesOf(tied.invariants, []),
    processes: [],
  };
};
