/** What is derived from a spec once and kept with it; a spec is taken as frozen until it is compiled anew. */
import type { ServiceSpec } from '../../artifacts/service.js';

const kept = new WeakMap<ServiceSpec, Map<string, unknown>>();

/** The value kept under `what`, made when it is first asked for. */
export const keptFor = <T>(spec: ServiceSpec, what: string, make: () => T): T => {
  const known = kept.get(spec) ?? new Map<string, unknown>();
  kept.set(spec, known);
  if (!known.has(what)) known.set(what, make());
  return known.get(what) as T;
};

/** Drops everything kept for a spec, which an author may have changed in place. */
export const forgetSpec = (spec: ServiceSpec): void => {
  kept.delete(spec);
};
