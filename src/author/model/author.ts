/**
 * The model author: a brief or prose documents to a certified world draft, written and repaired by a model one part at a time
 * (AgentMercury, PLANET). Ids, company, dialects, core services and provenance are ours; what the model writes is data.
 */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { authorFromBrief, type Pins } from '../catalogue/author.js';
import { places } from '../catalogue/brief/data.js';
import type { WorldDraft } from '../draft.js';
import { askPart } from './ask.js';
import { meterOf } from './budget.js';
import { openConversation } from './conversation.js';
import { type Desk, deskOf } from './desk.js';
import { type Planning, planBrief, planDocument, type Shared } from './parts/plan.js';
import { marked } from './prompts.js';
import { makeService } from './settle-service.js';
import { hintData, type Settled, settleWorld } from './settle-world.js';
import type { ServiceWork } from './spec/service.js';
import { compileAll, draftOf, type Frame } from './spec/world.js';
import { type Studio, standing } from './studio.js';
import { excerpt, plainText } from './text/plain.js';
import { plainLine } from './text/words.js';
import type { Authored, AuthorReport, AuthorRequest, AuthorSource, Issue, Prose, ServiceOutcome } from './types.js';

const MOST_DOCUMENTS = 4;
/** A world connection takes ten databases, three of them the core's. */
const MOST_SERVICES = 7;
/** Characters of a document that stand in each prompt of its service. */
const MOST_SHOWN = 8_000;

interface Given {
  brief: string | undefined;
  documents: Prose[];
  pins: Pins;
}

/** Unique, and never `brief`: a service sees only the text that it comes from. */
const nameOfDocument = (documents: readonly Prose[], name: string, n: number): string => {
  const plain = plainLine(name, 60);
  const isTaken = documents.slice(0, n).some((other) => plainLine(other.name, 60) === plain);
  return plain === '' || plain === 'brief' || isTaken ? `${plain} document ${n + 1}`.trim() : plain;
};

const givenOf = ({ brief, documents = [], pins = {} }: AuthorSource): Given => {
  const prose = documents.map(({ name, text }, n) => ({ name: nameOfDocument(documents, name, n), text }));
  const words = brief?.trim() ? brief : undefined;
  const blank = prose.find(({ text }) => !/\p{L}/u.test(plainText(text).slice(0, 20_000)));
  if (words === undefined && prose.length === 0)
    throw new TreadleError({
      code: 'empty_brief',
      message: 'There is neither a brief nor a document',
      value: '',
      next: 'Describe the business in a sentence or two, or give a document.',
    });
  if (blank)
    throw new TreadleError({
      code: 'empty_document',
      message: 'The document has no words in it',
      value: blank.name,
      next: 'Give the text of the documentation, as Markdown, HTML or plain text.',
    });
  if (prose.length > MOST_DOCUMENTS)
    throw new TreadleError({
      code: 'too_many_documents',
      message: `At most ${MOST_DOCUMENTS} documents fit into one world`,
      value: prose.length,
      next: 'Give fewer, one a product.',
    });
  return { brief: words, documents: prose, pins };
};

const frameOf = ({ brief, documents, pins }: Given, seed: string): Frame => {
  const title = documents[0]?.name ?? 'company';
  const drawn = authorFromBrief(brief ?? `A company that uses ${/\p{L}/u.test(title) ? title : 'software'}.`, {
    seed,
    pins,
  });
  const { id, company, clock } = drawn;
  const text = brief === undefined ? documents.map(({ name }) => name).join(', ') : drawn.brief.text;
  return { id, company, clock, seed: drawn.seed, brief: { text, evidence: drawn.brief.evidence } };
};

/** Where the text does not say the country by our own reading, the model's may stand, as a note. */
const placed = (frame: Frame, given: Given, seed: string, country: string | undefined): Frame => {
  const isOpen = frame.brief.evidence.some(({ choice, kind }) => kind === 'default' && choice.startsWith('country '));
  if (!isOpen || given.pins.country || !country || !places().countries[country]) return frame;
  const again = frameOf({ ...given, pins: { ...given.pins, country } }, seed);
  const evidence = again.brief.evidence.map((one) =>
    one.choice === `country ${country}`
      ? { ...one, because: 'the model read it out of the text', kind: 'note' as const }
      : one,
  );
  return { ...again, brief: { ...again.brief, evidence } };
};

interface Planned {
  works: ServiceWork[];
  shared: Shared[];
  country?: string;
  lost: Issue[];
}

const planAll = async (desk: Desk, { brief, documents }: Given): Promise<Planned> => {
  const plannings: Planning[] = [
    ...(brief === undefined ? [] : [planBrief(brief)]),
    ...documents.map((one, n) => planDocument(one, n + 1)),
  ];
  const works = new Map<string, ServiceWork>();
  const out: Planned = { works: [], shared: [], lost: [] };
  for (const { part, plan } of plannings) {
    const left = await askPart(desk, part);
    const found = plan();
    out.lost.push(...left);
    out.shared.push(...(found?.shared ?? []));
    if (found?.country) out.country = found.country;
    for (const work of found?.services ?? []) {
      let id = work.id;
      for (let n = 2; works.has(id); n++) id = `${work.id}_${n}`;
      works.set(id, { ...work, id });
    }
    desk.conversation.write({ kind: 'planned', turn: desk.turns - 1, part: part.id, plan: found ?? null });
  }
  out.works = [...works.values()];
  for (const work of out.works.slice(MOST_SERVICES))
    work.out = `a world holds at most ${MOST_SERVICES} services beside the core`;
  return out;
};

const outcomeOf = (work: ServiceWork, settled: Settled): ServiceOutcome => {
  const spec = work.out === undefined ? settled.trial.compiled.specs.get(work.id) : undefined;
  const lost = work.lost.slice(0, 20);
  return {
    id: work.id,
    from: work.from,
    kept: spec !== undefined,
    tables: Object.keys(spec?.tables ?? {}).length,
    tools: Object.keys(spec?.tools ?? {}).length,
    lost: work.out === undefined ? lost : [{ at: work.id, why: work.out }, ...lost],
  };
};

const reportOf = (studio: Studio, settled: Settled, planLost: readonly Issue[]): AuthorReport => {
  const { trial, invariants, lost } = settled;
  const { desk } = studio;
  const kept = standing(studio).length;
  const outcome = kept === 0 ? 'nothing' : trial.ok && trial.judged.world?.pass ? 'certified' : 'partial';
  const services = studio.works.map((work) => outcomeOf(work, settled));
  const unplanned: ServiceOutcome[] =
    services.length === 0 ? [{ id: 'plan', from: 'plan', kept: false, tables: 0, tools: 0, lost: [...planLost] }] : [];
  return {
    outcome,
    services: [...services, ...unplanned],
    invariants: { kept: kept === 0 ? 0 : invariants.length, lost },
    spent: { ...desk.meter.spent },
    ...(desk.ended ? { ended: desk.ended } : {}),
    ...(trial.ok && trial.judged.world ? { certificate: trial.judged.world } : {}),
  };
};

const draftFrom = (studio: Studio, { trial, invariants }: Settled): WorldDraft => {
  if (trial.ok) return trial.draft;
  const { frame, setting } = studio;
  const works = standing(studio);
  return draftOf(frame, compileAll(frame, works, setting), works, invariants, setting.model);
};

/**
 * Writes a world with the model within the budget. Whatever the model answers, the draft holds only services that certified
 * beside the core; look at `report.outcome`: `nothing` means the draft is the core alone. Throws `empty_brief`,
 * `empty_document`, `unreadable_brief`, `bad_budget`, `no_price`, what the conversation file makes impossible, and what the
 * endpoint said when it never answered at all (`endpoint_down`, `endpoint_rejected` ...).
 */
export const authorWithModel = async (request: AuthorRequest): Promise<Authored> => {
  const { model, seed, certify, budget, conversation: file, say = () => undefined } = request;
  const given = givenOf(request.source);
  const meter = meterOf(budget);
  const frame = frameOf(given, seed);
  const conversation = openConversation(file, { model: model.model, request: sha256(JSON.stringify([given, seed])) });
  const desk = deskOf(model, meter, conversation, say);
  const plan = await planAll(desk, given);
  const home = placed(frame, given, seed, plan.country);
  const studio: Studio = {
    desk,
    certify,
    frame: home,
    setting: { currency: home.company.currency, model: model.model },
    works: plan.works,
    shared: plan.shared,
    documents: new Map(
      given.documents.map(({ name, text }) => [name, `${marked(excerpt(plainText(text), MOST_SHOWN))}\n`]),
    ),
  };
  for (const work of standing(studio)) await makeService(studio, work);
  const settled = await hintData(studio, await settleWorld(studio));
  const report = reportOf(studio, settled, plan.lost);
  const draft = draftFrom(studio, settled);
  conversation.write({
    kind: 'result',
    outcome: report.outcome,
    world: draft.id,
    services: report.services,
    spent: report.spent,
  });
  return { draft, report };
};
