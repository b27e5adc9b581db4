/** Drafts of an input: one a world, each from its own seed. */

import type { ServiceSpec } from '../../artifacts/service.js';
import { authorFromBrief, type Pins } from '../../author/catalogue/author.js';
import type { WorldDraft } from '../../author/draft.js';
import { authorFromDocument } from '../../author/openapi/author.js';
import { placeDocument } from '../../author/place-document.js';
import { TreadleError } from '../../errors.js';
import { type DocumentOutcome, outcomeOf } from './document.js';
import type { Input } from './input.js';

export interface Drafting {
  /** The draft of slot `index`; `attempt` above 0 after an earlier one failed certification. */
  draft(index: number, attempt: number): WorldDraft;
  /** What became of a document. */
  document?: DocumentOutcome;
}

/** Services of a document that fit into one world beside the three of the core: a world connection takes ten. */
const MOST_SERVICES = 5;

const seedOf = (seed: string, index: number, attempt: number): string =>
  `${seed}/${index + 1}${attempt > 0 ? `/r${attempt}` : ''}`;

const fromDocument = (input: Input, seed: string, pins: Pins): Drafting => {
  const { services, report } = authorFromDocument(input.text, { name: input.name, seed });
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

/** Reads the input once; throws what the author says of a bad one. */
export const draftsOf = (input: Input, seed: string, pins: Pins = {}): Drafting =>
  input.kind === 'document'
    ? fromDocument(input, seed, pins)
    : { draft: (index, attempt) => authorFromBrief(input.text, { seed: seedOf(seed, index, attempt), pins }) };
