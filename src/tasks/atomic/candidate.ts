/** What a family proposes: a request in words, the calls that meet it, and how to tell. Nothing of it is proven yet. */
import type { AnswerSpec, Check } from '../../artifacts/check.js';
import type { Binding, Grounding } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Alternative } from '../alternatives.js';
import type { Descriptor } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import type { NamedTool, Plan } from '../ground/plan.js';
import type { Mutant } from '../mutants/mutant.js';
import type { Plain } from '../words/together.js';

export interface Grounded {
  ground: Ground;
  grounding: Grounding;
  drop(): void;
}

export interface Candidate {
  /** lookup, related, chained, count, sum, extreme, create, update, action, errand */
  family: string;
  /** Family and tool or column: what several tasks of one structure share. */
  template: string;
  service: LoadedService;
  /** Who asks, in manner: the request is worded accordingly. */
  persona: string;
  /** Imperative or question, one or two sentences, without greeting. */
  request: string;
  /** The same for requests that ask for more than one thing. */
  plain: Plain;
  /** The request without its descriptors, for vague disclosure. */
  vague: string;
  /** Facts the user knows and may be asked for. */
  facts: string[];
  bindings: Binding[];
  /** Reference calls, run on a scratch session that `plan.session` still holds. */
  plan: Plan;
  answer?: AnswerSpec;
  /** What the reference says at the end. */
  says: string;
  /** Another way to look the same thing up, where there is one. */
  otherPath?: Plan;
  /** Checks beyond those that what the reference changed gives: an invariant that must hold again, a file. */
  checks?: readonly Check[];
  /** Wrong solutions that only the maker can know: the other branch, a row too many. Each must fail. */
  wrong?: readonly Mutant[];
  /** Right solutions likewise: the same rows in another order. Each must pass. */
  right?: readonly Alternative[];
  /** No part of another request: what it must not change, or its own checks, speak of the state as a whole. */
  isAlone?: true;
  /** What it was put together from. */
  parts?: readonly Candidate[];
  /** Rows that the world has for this task alone, and the ground with them in it; give it back with `release`. */
  grounded?: Grounded;
}

/** A family tries to make one candidate of a tool; a string says why it could not. */
export type Family = (ground: Ground, tool: NamedTool, random: Rng) => Candidate | string;

export const bindingOf = (
  name: string,
  service: LoadedService,
  table: string,
  key: string | number,
  descriptors: readonly Descriptor[],
): Binding => ({
  name,
  service: service.id,
  table,
  key,
  descriptors: descriptors.map(({ col, value, words }) => ({ col, value, words })),
});
