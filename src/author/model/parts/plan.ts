/** The plan: which services there are, what each keeps, and by which columns they speak of the same thing. */
import { z } from 'zod';
import type { Part } from '../ask.js';
import { DOCUMENT_PLAN, marked, PLAN } from '../prompts.js';
import type { ServiceWork } from '../spec/service.js';
import { excerpt, plainText } from '../text/plain.js';
import { nameOf, plainLine } from '../text/words.js';
import type { Issue, Prose } from '../types.js';
import { type Bag, entries, get, isBag } from './reading.js';

export interface Shared {
  from: { service: string; table: string; col: string };
  to: { service: string; table: string; col: string };
}

export interface Plan {
  services: ServiceWork[];
  shared: Shared[];
  /** ISO 3166 alpha-2, where the model read one out of the text. */
  country?: string;
}

const CORE = new Set(['directory', 'mail', 'chat']);
const MOST_SERVICES = 4;
const MOST_TABLES = 5;
/** Characters of a brief or a document in one prompt; about 3,500 tokens. */
const MOST_READ = 12_000;

const text = z.string();
const tables = z.array(z.object({ name: text, about: text }));
const PlanAnswer = z.object({
  services: z.array(z.object({ id: text, title: text, about: text, tables })),
  shared: z.array(z.object({ from: text, to: text })),
  country: text.optional(),
});
const DocumentAnswer = z.object({ title: text, about: text, tables });

const plannedTables = (bag: Bag, at: string, issues: Issue[]): ServiceWork['planned'] => {
  const planned = new Map<string, string>();
  for (const table of entries(get(bag, 'tables', 'entities', 'resources') ?? [], 'name')) {
    const name = nameOf(get(table, 'name', 'table', 'id'));
    if (name && planned.size < MOST_TABLES && !planned.has(name))
      planned.set(name, plainLine(get(table, 'about', 'description')));
  }
  if (planned.size < 2)
    issues.push({ at, why: 'it has fewer than two tables.', hint: 'Give 2 to 5 tables, each with name and about.' });
  return [...planned].map(([name, about]) => ({ name, about }));
};

const serviceOf = (bag: Bag, from: string, fallback: string, issues: Issue[]): ServiceWork | undefined => {
  const title = plainLine(get(bag, 'title', 'name'), 50);
  const id = nameOf(get(bag, 'id')) ?? nameOf(title) ?? nameOf(fallback);
  if (!id) {
    issues.push({
      at: 'services',
      why: 'a service has no id.',
      hint: 'Give each an id, a title, an about and tables.',
    });
    return undefined;
  }
  if (CORE.has(id)) return undefined;
  const planned = plannedTables(bag, id, issues);
  return {
    id,
    title: title || `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll('_', ' ')}`,
    about: plainLine(get(bag, 'about', 'description')),
    from,
    planned,
    tables: {},
    lost: [],
  };
};

const placeOf = (value: unknown): Shared['from'] | undefined => {
  const [service, table, col, more] = (typeof value === 'string' ? value.split('.') : []).map(nameOf);
  return service && table && col && more === undefined ? { service, table, col } : undefined;
};

const sharedOf = (value: unknown, services: readonly ServiceWork[], issues: Issue[]): Shared[] => {
  const out: Shared[] = [];
  for (const bag of entries(value, 'from', 'shared', 'links')) {
    const [from, to] = [placeOf(get(bag, 'from')), placeOf(get(bag, 'to'))];
    const at = `shared ${String(get(bag, 'from')).slice(0, 60)}`;
    const known = (place: Shared['from']): boolean =>
      services.some(({ id, planned }) => id === place.service && planned.some(({ name }) => name === place.table));
    if (!from || !to) issues.push({ at, why: '"from" and "to" are not service.table.column.' });
    else if (CORE.has(to.service) || CORE.has(from.service)) continue;
    else if (from.service === to.service)
      issues.push({ at, why: 'both ends are in one service.', hint: 'Share columns between different services only.' });
    else if (!known(from) || !known(to))
      issues.push({
        at,
        why: `there is no table ${known(from) ? `${to.service}.${to.table}` : `${from.service}.${from.table}`} in the plan.`,
      });
    else if (
      !out.some(
        (one) => one.from.service === from.service && one.from.table === from.table && one.from.col === from.col,
      )
    )
      out.push({ from, to });
  }
  return out;
};

/** The best plan read so far: the last one with fewest faults. */
export interface Planning {
  part: Part;
  plan(): Plan | undefined;
}

export const planBrief = (brief: string): Planning => {
  let best: { plan: Plan; issues: number } | undefined;
  const read = (value: unknown): Issue[] => {
    const issues: Issue[] = [];
    const byId = new Map<string, ServiceWork>();
    for (const bag of entries(value, 'id', 'services').slice(0, MOST_SERVICES + CORE.size)) {
      const service = serviceOf(bag, 'brief', '', issues);
      if (service && byId.has(service.id)) issues.push({ at: service.id, why: 'two services have this id.' });
      else if (service && byId.size < MOST_SERVICES) byId.set(service.id, service);
    }
    const services = [...byId.values()].filter(({ planned }) => planned.length >= 2);
    if (byId.size === 0)
      issues.push({ at: 'services', why: 'there is no service.', hint: 'Give "services", a list of 2 to 4.' });
    const shared = isBag(value) ? sharedOf(get(value, 'shared', 'links') ?? [], services, issues) : [];
    for (const { id } of services)
      if (services.length > 1 && !shared.some(({ from, to }) => from.service === id || to.service === id))
        issues.push({ at: id, why: 'it shares no column with another service.', hint: 'Add one to "shared".' });
    const country = isBag(value) ? get(value, 'country') : undefined;
    const plan: Plan = {
      services,
      shared,
      ...(typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? { country } : {}),
    };
    if (services.length > 0 && (!best || issues.length <= best.issues)) best = { plan, issues: issues.length };
    return issues;
  };
  const prompt = `Part: plan\nThe company, in the words of its people:\n${marked(excerpt(plainText(brief), MOST_READ))}\nWhich services does it work with?\n${PLAN}`;
  return { part: { id: 'plan', prompt, answer: PlanAnswer, read }, plan: () => best?.plan };
};

/** Reads one document, alone: what it says can shape no service but its own. */
export const planDocument = (document: Prose, nth: number): Planning => {
  let best: { plan: Plan; issues: number } | undefined;
  const read = (value: unknown): Issue[] => {
    const issues: Issue[] = [];
    const [first] =
      isBag(value) && Object.hasOwn(value, 'services') ? entries(value, 'id', 'services') : isBag(value) ? [value] : [];
    const service = first && serviceOf({ ...first, id: undefined }, document.name, document.name, issues);
    if (!service)
      return [...issues, { at: 'service', why: 'there is no title.', hint: 'Give title, about and tables.' }];
    if (service.planned.length >= 2 && (!best || issues.length <= best.issues))
      best = { plan: { services: [service], shared: [] }, issues: issues.length };
    return issues;
  };
  const prompt = `Part: plan of document ${nth}\n${marked(excerpt(plainText(document.text), MOST_READ))}\nWhich records does this product keep?\n${DOCUMENT_PLAN}`;
  return { part: { id: `plan.document_${nth}`, prompt, answer: DocumentAnswer, read }, plan: () => best?.plan };
};
