/** Corrections to a whole draft: what links and rules say of a renamed table follows. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { WorldDraft } from '../draft.js';
import { applyOverrides } from './apply.js';
import type { Overrides } from './read.js';

/** Old table name -> new one, by service: corrections keep the order of tables. */
const renamesOf = (before: readonly ServiceSpec[], after: readonly ServiceSpec[]): Map<string, string> =>
  new Map(
    before.flatMap((spec, i) => {
      const names = Object.keys(after[i]?.tables ?? {});
      return Object.keys(spec.tables).map((name, at): [string, string] => [`${spec.id}.${name}`, names[at] ?? name]);
    }),
  );

/** Throws `bad_overrides`. */
export const overrideDraft = (draft: WorldDraft, overrides: Overrides): WorldDraft => {
  const before = draft.services.map(({ spec }) => spec);
  const after = applyOverrides(before, overrides);
  const names = renamesOf(before, after);
  const place = <T extends { service: string; table: string }>(at: T): T => ({
    ...at,
    table: names.get(`${at.service}.${at.table}`) ?? at.table,
  });
  const tool = (id: string): string => {
    const [service = '', table = '', ...verb] = id.split('.');
    return [service, names.get(`${service}.${table}`) ?? table, ...verb].join('.');
  };
  return {
    ...draft,
    services: draft.services.map((service, i) => ({ ...service, spec: after[i] ?? service.spec })),
    links: draft.links.map((link) => ({ ...link, from: place(link.from), to: place(link.to) })),
    invariants: draft.invariants.map((rule) => ({
      ...rule,
      trigger: place(rule.trigger),
      target: place(rule.target),
      violatedBy: tool(rule.violatedBy),
      repairedBy: tool(rule.repairedBy),
    })),
  };
};
