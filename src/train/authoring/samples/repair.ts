/** Repair of a corrupted world: the corrupted part is certified, and what the validators really said is what the author sends back. */
import type { Certificate } from '../../../artifacts/certificate.js';
import type { Part } from '../../../author/model/ask.js';
import { blameOf } from '../../../author/model/blame.js';
import { issueOf } from '../../../author/model/spec/service.js';
import type { Issue, Judged } from '../../../author/model/types.js';
import { rng } from '../../../kit/rng.js';
import { type Asked, askExpert, askRepair } from '../expert.js';
import { actionEntry, ruleEntry, tableEntry } from '../notation/entries.js';
import { landsOn, withWork } from '../proof.js';
import { draftWith } from '../settle.js';
import { actionsStage, rulesStage, type Stage, tablesStage } from '../stages.js';
import type { Sample } from '../types.js';
import { type Making, sampleOf } from './brief.js';
import { without } from './completion.js';
import { type Broken, CORRUPTIONS } from './corruptions.js';

type BrokenWork = Extract<Broken, { work: unknown }>;
type BrokenRule = Extract<Broken, { rules: unknown }>;

interface Found {
  issues: Issue[];
  /** The first validator that failed. */
  by: string;
}

/** What found a corruption that does not even compile. */
export const READER = 'reader';
/** What found a corruption whose initial data cannot be built. */
export const ASSEMBLY = 'assembly';

const firstFailed = (certificate: Certificate | undefined): string | undefined =>
  certificate?.findings.find(({ pass }) => !pass)?.id;

/** What certifying the one service says, as the author words it; undefined when it passes or blames another part. */
const findService = async ({ blueprint, certify }: Making, broken: BrokenWork): Promise<Found | undefined> => {
  const works = withWork(blueprint, broken.work);
  let draft: ReturnType<typeof draftWith>;
  try {
    draft = draftWith(blueprint, works, []);
  } catch {
    // The author's own reader finds it before any validator does, and says so in its own words.
    return { issues: [], by: READER };
  }
  let judged: Judged;
  try {
    judged = await certify(draft, [broken.service]);
  } catch (thrown) {
    // Data that cannot be built leaves nothing to validate; the author sends what was thrown to the tables.
    return broken.verb ? undefined : { issues: [issueOf(thrown, broken.service)], by: ASSEMBLY };
  }
  const certificate = judged.services[broken.service];
  const spec = draft.services.find((service) => service.spec.id === broken.service)?.spec;
  const by = firstFailed(certificate);
  if (!certificate || !spec || !by) return undefined;
  const blame = blameOf(certificate, spec, broken.work);
  const whole = [...blame.tables, ...blame.generic];
  if (!broken.verb) return whole.length > 0 ? { issues: whole, by } : undefined;
  const issues = (blame.actions.get(broken.table) ?? []).filter(({ at }) => at === `${broken.table}.${broken.verb}`);
  return issues.length > 0 ? { issues, by } : undefined;
};

/** What certifying the whole says against the rule, as the author words it. */
const findRule = async ({ blueprint, certify }: Making, broken: BrokenRule): Promise<Found | undefined> => {
  let judged: Judged;
  try {
    judged = await certify(draftWith(blueprint, blueprint.works, broken.rules));
  } catch {
    return undefined;
  }
  const says = broken.rules.find(({ id }) => id === broken.rule)?.says ?? '';
  for (const { id, pass, evidence, repair } of judged.world?.findings ?? []) {
    const line = evidence.find((one) => one.startsWith(`${broken.rule}: `));
    if (pass || line === undefined) continue;
    const at = `the rule "${says.slice(0, 80)}"`;
    const hint = repair?.hint;
    return { issues: [{ at, why: `${id}: ${line.slice(0, 300)}`, ...(hint ? { hint } : {}) }], by: id };
  }
  return undefined;
};

const finished = (making: Making, broken: Broken, found: Found, part: Part, asked: Asked): Sample => ({
  ...sampleOf(making, 'repair', part.id, asked),
  corruption: { name: broken.name, foundBy: found.by },
});

const repairService = async (making: Making, broken: BrokenWork): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const work = blueprint.works.find(({ id }) => id === broken.service);
  const table = work?.tables[broken.table];
  const found = await findService(making, broken);
  if (!work || !table || !found) return undefined;
  let stage: Stage & { into: typeof work };
  let asked: Asked;
  if (broken.verb) {
    const wrong = broken.work.tables[broken.table]?.verbs?.[broken.verb];
    const right = table.verbs?.[broken.verb];
    const before = wrong && actionEntry(broken.table, broken.verb, wrong);
    const entry = right && actionEntry(broken.table, broken.verb, right);
    if (!before || !entry) return undefined;
    stage = actionsStage(blueprint, work, [broken.table], without(work, broken.table, broken.verb));
    const issues = found.by === READER ? undefined : found.issues;
    asked = await askRepair(stage.part, { actions: [before] }, issues, { actions: [entry] });
    if (asked.messages.length < 4) return undefined;
  } else {
    const wrong = broken.work.tables[broken.table];
    if (!wrong || found.by === READER) return undefined;
    stage = tablesStage(blueprint, work, structuredClone(broken.work));
    asked = await askExpert(stage.part, { tables: [tableEntry(broken.table, table)] }, found.issues);
  }
  const holds = asked.left.length === 0 && landsOn(blueprint, withWork(blueprint, stage.into), blueprint.rules);
  return holds ? finished(making, broken, found, stage.part, asked) : undefined;
};

const repairRule = async (making: Making, broken: BrokenRule): Promise<Sample | undefined> => {
  const { blueprint } = making;
  const found = await findRule(making, broken);
  const right = blueprint.rules.find(({ id }) => id === broken.rule);
  const wrong = broken.rules.find(({ id }) => id === broken.rule);
  if (!found || !right || !wrong) return undefined;
  const kept = blueprint.rules.filter(({ id }) => id !== broken.rule);
  const stage = rulesStage(blueprint, [right], kept);
  const before = { rules: [ruleEntry(wrong)] };
  const asked = await askRepair(stage.part, before, found.issues, { rules: [ruleEntry(right)] });
  const holds = asked.left.length === 0 && landsOn(blueprint, blueprint.works, stage.rules());
  return holds ? finished(making, broken, found, stage.part, asked) : undefined;
};

/** Corruptions in the seed's order, round after round at other places; each is certified when it is asked for. */
export const repairSamples = async function* (making: Making, rounds = 3): AsyncGenerator<Sample> {
  const { blueprint, seed } = making;
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const draw = rng(seed, 'repair', blueprint.world.id, String(round));
    for (const corrupt of draw.shuffle(CORRUPTIONS)) {
      const broken = corrupt(blueprint, draw);
      const key = broken && JSON.stringify(broken);
      if (!broken || !key || seen.has(key)) continue;
      seen.add(key);
      const sample = 'rules' in broken ? await repairRule(making, broken) : await repairService(making, broken);
      if (sample) yield sample;
    }
  }
};
