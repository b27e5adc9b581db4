/** A service under work: what the model wrote of it, and the ServiceSpec that we make of that. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import { ServiceSpec as Spec } from '../../../artifacts/service.js';
import { TreadleError } from '../../../errors.js';
import { compileService } from '../../../world/program/compile.js';
import { Archetype, type DraftTable } from '../../catalogue/archetype.js';
import { compileDraft, type SharedKey } from '../../catalogue/compile.js';
import type { Issue } from '../types.js';

export interface ServiceWork {
  id: string;
  title: string;
  about: string;
  /** `brief`, or the name of the document that it comes from. */
  from: string;
  /** Nouns the plan asked for, with a word on each. */
  planned: { name: string; about: string }[];
  tables: Record<string, DraftTable>;
  lost: Issue[];
  /** Why it is out. */
  out?: string;
}

export interface Canonical {
  spec: ServiceSpec;
  keys: SharedKey[];
}

/** Who the company and the model are to a service: its currency, and who is to be named as its author. */
export interface Setting {
  currency: string;
  model: string;
}

const CORE = ['directory', 'mail', 'chat'];

/** Ours, whatever the model says: where each tool comes from. */
const signed = (spec: ServiceSpec, work: ServiceWork, model: string): ServiceSpec => ({
  ...spec,
  source: { kind: 'model', ref: work.from === 'brief' ? model : work.from },
  tools: Object.fromEntries(
    Object.entries(spec.tools).map(([name, tool]) => [
      name,
      { ...tool, provenance: { tier: 'synthetic' as const, effect: `model:${work.id}.${tool.id}` } },
    ]),
  ),
});

const archetypeOf = (work: ServiceWork, tables: Record<string, DraftTable>): Archetype =>
  Archetype.parse({ id: work.id, title: work.title, about: work.about, sectors: ['*'], tables });

/**
 * The canonical service of what is written so far, compiled. `present`: ids of the services it may speak of. Throws whatever is
 * wrong: TreadleError, ZodError or Error.
 */
export const canonicalService = (
  work: ServiceWork,
  setting: Setting,
  present: ReadonlySet<string>,
  tables = work.tables,
): Canonical => {
  const known = new Set([...present, ...CORE, work.id]);
  const { spec, keys } = compileDraft(archetypeOf(work, tables), setting.currency, known);
  const done = Spec.parse(signed(spec, work, setting.model));
  compileService(done);
  return { spec: done, keys };
};

/** What was thrown, as an issue for the model: where, why, and the hint. */
export const issueOf = (thrown: unknown, at: string): Issue => {
  if (thrown instanceof TreadleError) {
    const where = typeof thrown.value === 'string' && thrown.value.length < 120 ? thrown.value : at;
    return {
      at: where,
      why: thrown.message.slice(0, 300),
      ...(thrown.next ? { hint: thrown.next.slice(0, 300) } : {}),
    };
  }
  const issues = (thrown as { issues?: { path: PropertyKey[]; message: string }[] }).issues;
  if (Array.isArray(issues) && issues[0])
    return { at: issues[0].path.map(String).join('.') || at, why: issues[0].message.slice(0, 300) };
  return { at, why: (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300) };
};
