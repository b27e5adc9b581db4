/** Certifies a blueprint; tools and rules that a validator blames are taken out, as the author itself does. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Invariant } from '../../artifacts/world.js';
import type { WorldDraft } from '../../author/draft.js';
import { blameOf, dropBlamed } from '../../author/model/blame.js';
import type { ServiceWork } from '../../author/model/spec/service.js';
import { compileAll, draftOf, leaverRules } from '../../author/model/spec/world.js';
import type { Certify, Judged } from '../../author/model/types.js';
import type { Desk } from './stages.js';

const MOST_TRIALS = 5;

export interface Settled {
  works: ServiceWork[];
  rules: Invariant[];
  draft: WorldDraft;
  validators: string[];
}

/** The draft of services and rules as the author hands it on: its own rules about leavers on top. Throws what does not compile. */
export const draftWith = (desk: Desk, works: readonly ServiceWork[], rules: readonly Invariant[]): WorldDraft => {
  const { frame, setting } = desk;
  const compiled = compileAll(frame, works, setting);
  const [broken] = compiled.failed;
  if (broken) throw broken.thrown;
  const own = leaverRules(compiled, works);
  return draftOf(frame, compiled, works, [...rules, ...own], setting.model);
};

export const passedOf = (certificate: Certificate): string[] =>
  certificate.findings.flatMap(({ id, pass }) => (pass ? [id] : []));

/** The rules that a failed finding names. */
const blamedRules = ({ world }: Judged, rules: readonly Invariant[]): Set<string> =>
  new Set(
    rules
      .filter(({ id }) =>
        (world?.findings ?? []).some(
          ({ pass, evidence }) => !pass && evidence.some((line) => line.startsWith(`${id}: `)),
        ),
      )
      .map(({ id }) => id),
  );

const mendServices = (judged: Judged, draft: WorldDraft, works: readonly ServiceWork[]): boolean => {
  let changed = false;
  for (const work of works) {
    const certificate = judged.services[work.id];
    const spec = draft.services.find((service) => service.spec.id === work.id)?.spec;
    if (!certificate || !spec || certificate.pass) continue;
    if (!dropBlamed(work, blameOf(certificate, spec, work))) return false;
    // The notation has no words for a table without one of its usual tools.
    if (Object.values(work.tables).some(({ tools }) => tools !== undefined)) return false;
    changed = true;
  }
  return changed;
};

/** What passes, or undefined. `desk.works` is not changed. */
export const settle = async (
  desk: Desk,
  given: readonly Invariant[],
  certify: Certify,
): Promise<Settled | undefined> => {
  const works = structuredClone(desk.works);
  let rules = [...given];
  for (let trial = 0; trial < MOST_TRIALS; trial++) {
    let draft: WorldDraft;
    let judged: Judged;
    try {
      draft = draftWith(desk, works, rules);
      judged = await certify(draft);
    } catch {
      return undefined;
    }
    if (judged.world?.pass) return { works, rules, draft, validators: passedOf(judged.world) };
    if (mendServices(judged, draft, works)) continue;
    const blamed = blamedRules(judged, rules);
    if (blamed.size === 0) return undefined;
    rules = rules.filter(({ id }) => !blamed.has(id));
  }
  return undefined;
};
