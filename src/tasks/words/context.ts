/** A clause of background that is true of the row: since when, how much, still in which state. Never anything made up. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { currencyOf, sayValue } from '../ground/say.js';
import { nounOf } from './names.js';
import { sayWhen } from './rows.js';

/** Nouns of people, and of firms that act as such. */
export const PERSON =
  /(customer|patient|employee|member|student|tenant|owner|worker|driver|guard|volunteer|donor|candidate|technician|traveller|resident|contact|lead|shopper|borrower|guest|requester|client|grower|contributor|speaker|applicant|merchant|supplier|cardholder|person|user)$/;
const WAITING =
  /^(open|pending|draft|paused|blocked|suspended|overdue|locked|frozen|on hold|received|registered|requested|planned|inactive|reported)$/;
const SAYS_WHEN = /^(due|valid|to be|needed|planned|scheduled|requested|expected) /;
const DONE = /(ed|sent|paid|held|begun|taken)$/;

/** Facts of the row that the request does not already use, as sentences. */
const facts = (service: LoadedService, spec: Table, row: Row, used: readonly string[], clock: number): string[] => {
  const isPerson = PERSON.test(nounOf(spec));
  const [it, is, was] = isPerson ? ['They', 'are', 'were'] : ['It', 'is', 'was'];
  const currency = currencyOf(service.spec, spec, row);
  return Object.entries(spec.cols).flatMap(([col, column]): string[] => {
    const value = row[col];
    if (column.hidden || used.includes(col) || value === null || value === undefined) return [];
    const words = sayValue(column, value, currency) ?? '';
    if (column.type === 'date' || column.type === 'datetime') {
      if (/^(created|updated|birth)/.test(col)) return [];
      const when = sayWhen(col, words);
      const past = Number(value) < clock;
      if (SAYS_WHEN.test(when) && !isPerson) return [`${it} ${past ? was : is} ${when}.`];
      return past && DONE.test(when.split(' on ')[0] ?? '') && when.includes(' on ') ? [`${it} ${was} ${when}.`] : [];
    }
    if (column.enum && /^(status|state)$/.test(col) && WAITING.test(words)) return [`${it} ${is} still ${words}.`];
    if (column.type === 'money' && /^(amount|total)$/.test(col) && Number(value) > 0)
      return [`${it} ${is} for ${words}.`];
    return [];
  });
};

/** One such sentence, for about a third of the requests; empty otherwise. */
export const background = (
  service: LoadedService,
  table: string,
  row: Row,
  used: readonly string[],
  clock: number,
  random: Rng,
  request = '',
): string => {
  const spec = service.spec.tables[table];
  if (!spec || !random.chance(0.35)) return '';
  // `unblock the bed. It is still blocked.` says it twice, and so does a second column with the same day.
  const known = facts(service, spec, row, used, clock).filter(
    (fact) =>
      !request.includes(fact.replace(/^\w+ (is|was|are|were) /, '').slice(0, -1)) &&
      (!fact.includes(' still ') || !request.includes(fact.slice(fact.indexOf(' still ') + 7, -1).slice(0, 5))),
  );
  return known.length > 0 ? random.pick(known) : '';
};
