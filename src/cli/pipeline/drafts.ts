/** Drafts of an input: one a world, each from its own seed. */

import type { ServiceSpec } from '../../artifacts/service.js';
import { authorFromBrief, type Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { placeDocument } from '../../author/place-document.js';
import { TreadleError } from '../../errors.js';
import { type DocumentOutcome, outcomeOf, readAsServices } from './document.js';
import type { Input } from './input.js';
import { type Briefs, briefAt } from './sweep.js';

/** Where the worlds of a build come from; a model takes its time. */
export interface Drafts {
  /** The draft of slot `index`; `attempt` above 0 after an earlier one failed certification. */
  draft(index: number, attempt: number): WorldDraft | Promise<WorldDraft>;
}

export interface Drafting extends Drafts {
  draft(index: number, attempt: number): WorldDraft;
  /** What became of a document. */
  document?: DocumentOutcome;
}

/** Services of a document that fit into one world beside the three of the core: a world connection takes ten. */
const MOST_SERVICES = 5;

const seedOf = (seed: string, index: number, attempt: number): string =>
  `${seed}/${index + 1}${attempt > 0 ? `/r${attempt}` : ''}`;

const fromDocument = (input: Input, seed: string, pins: Pins): Drafting => {
  const { services, report } = readAsServices(input, seed);
  if (report.refused) {
    const { code, reasons, next } = report.refused;
    throw new TreadleError({ code, message: reasons.join('; '), value: input.name, next });
  }
  const packs: ServiceSpec[] = services.slice(0, MOST_SERVICES);
  return {
    document: outcomeOf(report, services, packs),
    draft: (index, attempt) =>
      placeDocument({ title: report.title, services: packs, seed: seedOf(seed, index, attempt), pins }),
  };
};

const fromBriefs = (briefs: Briefs, seed: string): Drafting => ({
  draft: (index, attempt) => {
    const { text, pins } = briefAt(briefs, index);
    return authorFromBrief(text, { seed: seedOf(seed, index, attempt), pins });
  },
});

/** Reads the input once; throws what the author says of a bad one. Of many briefs, each is read when its slot comes. */
export const draftsOf = (input: Input | Briefs, seed: string, pins: Pins = {}): Drafting => {
  if (input.kind === 'briefs') return fromBriefs(input, seed);
  if (input.kind === 'document') return fromDocument(input, seed, pins);
  return { draft: (index, attempt) => authorFromBrief(input.text, { seed: seedOf(seed, index, attempt), pins }) };
};
