/** What the model author is given and what it hands back. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { ModelClient } from '../../models/types.js';
import type { Pins } from '../catalogue/author.js';
import type { WorldDraft } from '../draft.js';
import type { Budget, Spent } from './budget.js';

/** Prose that describes one product: Markdown, HTML or plain text. It is data; each document is read alone. */
export interface Prose {
  /** File name or title; never a machine path. */
  name: string;
  text: string;
}

/** A brief, documents, or both; at least one of them. */
export interface AuthorSource {
  brief?: string | undefined;
  documents?: readonly Prose[] | undefined;
  pins?: Pins | undefined;
}

export interface Judged {
  /** Absent where only single services were asked about. */
  world?: Certificate;
  /** By service id. */
  services: Readonly<Record<string, Certificate>>;
}

/**
 * Assembles, loads and certifies a draft, or only the named services of it; throws when its data cannot be built. It is handed in,
 * since a stage may not import a later one.
 */
export type Certify = (draft: WorldDraft, only?: readonly string[]) => Judged | Promise<Judged>;

export interface AuthorRequest {
  model: ModelClient;
  source: AuthorSource;
  seed: string;
  certify: Certify;
  budget?: Budget | undefined;
  /** JSON lines of the whole conversation; an existing file of the same request is gone on with. */
  conversation?: string | undefined;
  /** One line of progress. */
  say?: ((line: string) => void) | undefined;
}

/** Why something is wrong, in words that a model can act on. */
export interface Issue {
  /** Where: `invoice.amount`, `loan.renew`, `rule 2`. */
  at: string;
  why: string;
  /** What would mend it. */
  hint?: string | undefined;
}

export interface ServiceOutcome {
  id: string;
  /** `brief`, or the document's name. */
  from: string;
  /** Whether it stands in the draft; it certified then. */
  kept: boolean;
  tables: number;
  tools: number;
  /** What was left out of it, or why all of it was. */
  lost: Issue[];
}

export interface AuthorReport {
  /** `certified`: the world passed everything; `partial`: its services did, the world did not; `nothing`: no service did. */
  outcome: 'certified' | 'partial' | 'nothing';
  services: ServiceOutcome[];
  invariants: { kept: number; lost: Issue[] };
  spent: Spent;
  /** Why it ended before it was done; absent when it was done. */
  ended?: { code: string; why: string };
  /** Of the draft handed back; absent when that could not even be built. */
  certificate?: Certificate;
}

export interface Authored {
  draft: WorldDraft;
  report: AuthorReport;
}
