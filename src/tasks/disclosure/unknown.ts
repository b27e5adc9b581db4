/** What an agent may ask for and the user cannot say: it has to be looked up. */
import type { Unknown } from '../../artifacts/disclosure.js';
import type { Candidate } from '../atomic/candidate.js';
import type { Ground } from '../ground/ground.js';
import { nounOf } from '../words/names.js';

/** `the due date of invoice INV-1` -> `due date`, `how many invoices are open` -> `number of invoices` */
const askedOf = (asks: string): string =>
  /^how many \S+/.exec(asks)?.[0].replace('how many', 'number of') ??
  (asks.split(/ (?:of|for|in) /)[0] as string).replace(/^(the|an?) /, '').toLowerCase();

/** The ids of the request's things, and its answer. */
export const unknownOf = (ground: Ground, { bindings, answer }: Candidate): Unknown[] => {
  const nouns = new Set(
    bindings.flatMap(({ service, table }) => {
      const spec = ground.world.services.get(service)?.spec.tables[table];
      return spec ? [nounOf(spec)] : [];
    }),
  );
  const ids: Unknown[] = [...nouns].map((noun, n) => ({
    id: `id_${n}`,
    asked: [`${noun} id`, `id of the ${noun}`, 'internal id'],
  }));
  return answer ? [...ids, { id: 'answer', asked: [askedOf(answer.asks)] }] : ids;
};
