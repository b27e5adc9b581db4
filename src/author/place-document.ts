/** A service from an API document becomes a world when it stands beside the company core (certify.md). */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Evidence, Link } from '../artifacts/world.js';
import { authorFromBrief, type Pins } from './catalogue/author.js';
import type { DraftService, WorldDraft } from './draft.js';

export interface Placing {
  /** The document's title; words in it may tell the trade. */
  title: string;
  services: readonly ServiceSpec[];
  seed: string;
  pins?: Pins;
}

const STAFF =
  /^(user|employee|agent|member|staff|assignee|owner|operator|technician|account manager|person|contributor|collaborator|teammate|admin)s?$/;

/** E-mail columns of people who work at the company: the key they share with the directory. */
const staffLinks = (specs: readonly ServiceSpec[]): Link[] =>
  specs.flatMap((spec) =>
    Object.entries(spec.tables).flatMap(([table, { noun, cols }]) => {
      const col = Object.keys(cols).find(
        (name) => /(^|_)e_?mail(_address)?$/.test(name) && cols[name]?.type === 'text',
      );
      if (!col || !STAFF.test(noun.toLowerCase())) return [];
      const to = { service: 'directory', table: 'employee', col: 'email' };
      return [
        {
          id: `${spec.id}_${table}_${col}`.slice(0, 63),
          from: { service: spec.id, table, col },
          to,
          says: `The ${noun} of ${spec.title} is an employee, by e-mail address.`,
        },
      ];
    }),
  );

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
  const core = drawn.services.filter(({ role }) => role === 'core').map((service) => ({ ...service, prefix: '' }));
  const ids = new Set([...core.map(({ spec }) => spec.id), ...services.map(({ id }) => id)]);
  const about: Evidence[] = services.map((spec) => ({
    choice: `service ${spec.id}`,
    because: `from the document: ${Object.keys(spec.tables).length} tables, ${Object.keys(spec.tools).length} tools`,
    kind: 'words',
  }));
  const kept = drawn.brief.evidence.filter(({ choice }) => !/^(service|dialect) /.test(choice));
  return {
    ...drawn,
    brief: { text: title, evidence: [...about, ...kept] },
    services: [...core, ...prefixed(core, services)],
    links: [
      ...drawn.links.filter(({ from, to }) => ids.has(from.service) && ids.has(to.service)),
      ...staffLinks(services),
    ],
    invariants: [],
    policies: [],
    processes: [],
  };
};
