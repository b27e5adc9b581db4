/** What the stages of an authoring share. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Invariant } from '../../artifacts/world.js';
import type { WorldDraft } from '../draft.js';
import type { Desk } from './desk.js';
import type { Shared } from './parts/plan.js';
import type { ServiceWork, Setting } from './spec/service.js';
import { type Compiled, compileAll, draftOf, type Frame } from './spec/world.js';
import type { Certify, Judged } from './types.js';

export interface Studio {
  desk: Desk;
  certify: Certify;
  frame: Frame;
  setting: Setting;
  /** In the order of the plan, those that are out among them. */
  works: ServiceWork[];
  shared: Shared[];
  /** By `ServiceWork.from`: a document's text as it stands in the prompts of its own service. */
  documents: ReadonlyMap<string, string>;
}

export const standing = ({ works }: Studio): ServiceWork[] => works.filter(({ out }) => out === undefined);

export const documentOf = ({ documents }: Studio, { from }: ServiceWork): string => documents.get(from) ?? '';

/** Keeps what a part came to, for those who learn from the conversation. */
export const noteWork = ({ desk }: Studio, part: string, { id, tables }: ServiceWork): void =>
  desk.conversation.write({ kind: 'written', turn: desk.turns - 1, part, service: id, tables });

export type Trial =
  | { ok: true; draft: WorldDraft; judged: Judged; compiled: Compiled }
  | { ok: false; thrown: unknown; compiled: Compiled };

/** Services that no chain of links ties to the directory, by id. */
export const loose = ({ specs, links }: Compiled): string[] => {
  const near = new Set(['directory']);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { from, to } of links)
      if (near.has(from.service) !== near.has(to.service)) {
        near.add(from.service).add(to.service);
        grown = true;
      }
  }
  return [...specs.keys()].filter((id) => !near.has(id));
};

const failures = (certificate: Certificate | undefined): object[] =>
  (certificate?.findings ?? [])
    .filter(({ pass }) => !pass)
    .map(({ id, evidence, repair }) => ({ id, evidence: evidence.slice(0, 3), repair }));

export interface Sitting {
  /** For the log: `service lending`, `world`, `data`. */
  stage: string;
  works: readonly ServiceWork[];
  invariants: readonly Invariant[];
  /** Ids of the services in question; absent: the world. */
  only?: readonly string[];
}

/** Compiles and certifies services together, and keeps what was seen. */
export const tryOut = async (studio: Studio, { stage, works, invariants, only }: Sitting): Promise<Trial> => {
  const { frame, setting, desk } = studio;
  const compiled = compileAll(frame, works, setting);
  const [broken] = compiled.failed;
  if (broken) return { ok: false, thrown: broken.thrown, compiled };
  try {
    const draft = draftOf(frame, compiled, works, invariants, setting.model);
    const judged = await studio.certify(draft, only);
    desk.conversation.write({
      kind: 'certified',
      stage,
      turn: desk.turns - 1,
      ...(judged.world ? { pass: judged.world.pass, world: failures(judged.world) } : {}),
      services: Object.fromEntries(Object.entries(judged.services).map(([id, one]) => [id, failures(one)])),
    });
    return { ok: true, draft, judged, compiled };
  } catch (thrown) {
    return { ok: false, thrown, compiled };
  }
};
