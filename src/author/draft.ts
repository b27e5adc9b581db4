/** What every author hands on: a world drafted but not yet filled with data nor proven. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Company, Evidence, Invariant, Link, Policy } from '../artifacts/world.js';
import type { OwnRows } from './own-data/types.js';

export interface DraftService {
  spec: ServiceSpec;
  role: 'core' | 'domain';
  /** Before every tool name of the service; empty unless two services share one. */
  prefix: string;
}

export interface WorldDraft {
  id: string;
  company: Company;
  brief: { text: string; evidence: Evidence[] };
  /** Unix seconds. */
  clock: number;
  seed: string;
  services: DraftService[];
  links: Link[];
  policies: Policy[];
  invariants: Invariant[];
  processes: string[];
  /** A user's own rows, which stand in the initial data as they are. */
  own?: OwnRows;
}
