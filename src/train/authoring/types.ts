/** Construction traces: what one sample is, and what is kept of where it comes from (AgentMercury, appendix E). */

import type { Invariant } from '../../artifacts/world.js';
import type { WorldDraft } from '../../author/draft.js';
import type { Shared } from '../../author/model/parts/plan.js';
import type { ServiceWork, Setting } from '../../author/model/spec/service.js';
import type { Frame } from '../../author/model/spec/world.js';
import type { ChatMessage } from '../../models/types.js';

export const KINDS = ['brief', 'completion', 'repair', 'diff'] as const;
/** Brief to world (staged), completion of a partial world, repair of a corrupted one, intent to diff. */
export type Kind = (typeof KINDS)[number];

export const AUTHORING_SCHEMA = 'treadle-authoring/1';

/** A certified world in the notation of the model author: what the samples of one corpus world are cut from. */
export interface Blueprint {
  /** The corpus world: its id and content address. */
  world: { id: string; hash: string };
  brief: string;
  country: string | undefined;
  frame: Frame;
  setting: Setting;
  /** Shared columns of the plan. */
  shared: Shared[];
  works: ServiceWork[];
  /** Rules that the model writes; the author's own come on top. */
  rules: Invariant[];
  /** Certified by every validator that runs in one process. */
  draft: WorldDraft;
  /** Of `draft`: putting a sample's answer in place must lead here again. */
  address: string;
  /** Ids of the validators that passed. */
  validators: string[];
  /** Hints on data that the notation of tables does not carry: `service.table` to rows and kinds. */
  hints: ReadonlyMap<string, TableHint>;
}

export interface TableHint {
  rows: number | undefined;
  /** Column to the kind of its values. */
  kinds: Readonly<Record<string, string>>;
}

export interface Sample {
  kind: Kind;
  /** The stage that is asked for, or what was left out, broken or changed: `tables.lending`. */
  part: string;
  /** As `treadle author --model` sends them. */
  messages: readonly ChatMessage[];
  answer: string;
  seed: string;
  /** For a repair: what was done to the world, and which validator found it. */
  corruption?: { name: string; foundBy: string };
  /** Content address of the world that the answer leads to, and the validators that passed on it. */
  result: { address: string; validators: readonly string[] };
}

/** Every row has every field, so that columnar loaders see one type. */
export interface AuthoringMetadata {
  schema_version: typeof AUTHORING_SCHEMA;
  kind: Kind;
  part: string;
  /** The corpus world. */
  world_id: string;
  world: string;
  /** The world in the author's notation that the answer leads to. */
  result: string;
  archetypes: string[];
  seed: string;
  corruption: string;
  found_by: string;
  validators: string[];
  /** Whether the two fresh processes of validator 11 agreed on the world too. */
  fresh_processes: boolean;
}
