/** WorldSpec: one company's environment. Services are named by content address; its data is a Snapshot. */
import { z } from 'zod';
import { Name } from './table.js';

export const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');

export const Company = z.strictObject({
  name: z.string(),
  legalName: z.string(),
  /** Under .example. */
  domain: z.string(),
  about: z.string(),
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/),
  city: z.string(),
  /** IANA name. */
  timezone: z.string(),
  /** ISO 4217. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** faker's locale, e.g. `de`. */
  locale: z.string(),
  industry: z.strictObject({ naics: z.string(), title: z.string() }),
  employees: z.number().int().positive(),
  founded: z.number().int(),
});

/** Why something was chosen: which words of the brief, which prior, or a seeded draw. */
export const Evidence = z.strictObject({
  choice: z.string(),
  because: z.string(),
  kind: z.enum(['words', 'prior', 'default', 'draw', 'refused', 'note']),
});

export const ServiceRef = z.strictObject({
  id: Name,
  hash: Hash,
  role: z.enum(['core', 'domain']),
  /** Before every tool name where two services share one; usually empty. */
  prefix: z.string().regex(/^([a-z][a-z0-9]*_)?$/),
});

/** A column of one service's table, by service id. */
export const Place = z.strictObject({ service: Name, table: Name, col: Name });

/** Two services that speak of the same thing by a shared key (`employee_no`, `order_no`). */
export const Link = z.strictObject({ id: Name, from: Place, to: Place, says: z.string() });

/**
 * A rule the world does not enforce: for every trigger row `t` that meets its condition, `expect` holds of the target rows `x`
 * of another service with x.key = t.key. Conditions are SQL over `t.` (trigger) or `x.` (target; may also use `t.`), with :now.
 */
export const Invariant = z.strictObject({
  id: Name,
  says: z.string(),
  trigger: z.strictObject({ service: Name, table: Name, where: z.string() }),
  target: z.strictObject({
    service: Name,
    table: Name,
    expect: z.enum(['none', 'at_least_one', 'every']),
    where: z.string(),
  }),
  key: z.strictObject({ trigger: Name, target: Name }),
  /** Tool ids (`hr_core.employee_record.terminate`: service, then tool id) that break it and mend it. */
  violatedBy: z.string(),
  repairedBy: z.string(),
});

export const Policy = z.strictObject({ id: Name, text: z.string(), invariant: Name.optional() });

export const WorldSpec = z.strictObject({
  treadle: z.literal('world/1'),
  id: Name,
  company: Company,
  brief: z.strictObject({ text: z.string(), evidence: z.array(Evidence) }),
  /** Unix seconds at which every session starts. */
  clock: z.number().int(),
  seed: z.string(),
  services: z.array(ServiceRef).min(1),
  links: z.array(Link),
  policies: z.array(Policy),
  invariants: z.array(Invariant),
  /** Business processes this world can host, by catalogue id. */
  processes: z.array(Name),
  /** Rows of initial data per service and table: the manifest that certification counts against. */
  rows: z.record(Name, z.record(Name, z.number().int().min(0))),
  /** Address of the initial Snapshot. */
  snapshot: Hash,
});

export type Company = z.infer<typeof Company>;
export type Evidence = z.infer<typeof Evidence>;
export type ServiceRef = z.infer<typeof ServiceRef>;
export type Place = z.infer<typeof Place>;
export type Link = z.infer<typeof Link>;
export type Invariant = z.infer<typeof Invariant>;
export type Policy = z.infer<typeof Policy>;
export type WorldSpec = z.infer<typeof WorldSpec>;
