/** The services together: rules between them, the certificate of the whole, and what has to go for it to pass. */

import type { Invariant } from '../../artifacts/world.js';
import { seedWorld } from '../../world/seed/seed.js';
import { askPart } from './ask.js';
import { blameOf, dropBlamed } from './blame.js';
import { hintsPart } from './parts/hints.js';
import { rulesPart } from './parts/rules.js';
import { issueOf, type ServiceWork } from './spec/service.js';
import { compileAll, leaverRules } from './spec/world.js';
import { loose, noteWork, type Studio, standing, type Trial, tryOut } from './studio.js';
import type { Issue } from './types.js';

const MOST_TRIALS = 10;
const MOST_RULE_REPAIRS = 2;

export interface Settled {
  /** The last trial; its draft is what is handed back. */
  trial: Trial;
  invariants: Invariant[];
  lost: Issue[];
}

/** Services out that nothing ties to the others, or that do not compile beside them. */
const leaveOutLoose = (studio: Studio): void => {
  for (let again = true; again; ) {
    again = false;
    const works = standing(studio);
    const compiled = compileAll(studio.frame, works, studio.setting);
    const ids = new Set(loose(compiled));
    for (const work of works) {
      const broken = compiled.failed.find((one) => one.work === work);
      if (!broken && !ids.has(work.id)) continue;
      work.out = broken ? issueOf(broken.thrown, work.id).why : 'no shared column ties it to the other services';
      again = true;
    }
  }
};

/** Takes blamed tools or whole services out; false when no service is at fault. */
const mendServices = (studio: Studio, trial: Trial & { ok: true }): boolean => {
  let changed = false;
  for (const work of standing(studio)) {
    const certificate = trial.judged.services[work.id];
    const spec = trial.draft.services.find((service) => service.spec.id === work.id)?.spec;
    if (!certificate || !spec || certificate.pass) continue;
    const failed = certificate.findings.find(({ pass }) => !pass);
    if (!dropBlamed(work, blameOf(certificate, spec, work)))
      work.out = `${failed?.id}: ${failed?.evidence[0] ?? ''}`.slice(0, 300);
    changed = true;
  }
  return changed;
};

/** Rules that the failed findings of the world name, each with what was seen. */
const blamedRules = ({ judged }: Trial & { ok: true }, invariants: readonly Invariant[]): Map<string, Issue> => {
  const out = new Map<string, Issue>();
  for (const finding of (judged.world?.findings ?? []).filter(({ pass }) => !pass))
    for (const { id, says } of invariants) {
      // A finding's evidence also tells of rules that are well; what is held against one begins like this.
      const line = finding.evidence.find((one) => one.startsWith(`${id}: `));
      if (line === undefined || out.has(id)) continue;
      const hint = finding.repair?.hint;
      out.set(id, {
        at: `the rule "${says.slice(0, 80)}"`,
        why: `${finding.id}: ${line.slice(0, 300)}`,
        ...(hint ? { hint } : {}),
      });
    }
  return out;
};

const speaksOf = ({ trigger, target }: Invariant, ids: ReadonlySet<string>): boolean =>
  ids.has(trigger.service) && ids.has(target.service);

const askRules = async (
  studio: Studio,
  kept: readonly Invariant[],
  known: readonly Issue[],
): Promise<{ rules: Invariant[]; left: Issue[] }> => {
  const works = standing(studio);
  const { specs, links } = compileAll(studio.frame, works, studio.setting);
  const { part, rules } = rulesPart(works, specs, links, kept);
  const left = await askPart(studio.desk, part, known);
  const written = rules();
  studio.desk.conversation.write({ kind: 'written', turn: studio.desk.turns - 1, part: part.id, rules: written });
  return { rules: written, left };
};

/** Rules, then the whole until it passes or nothing more can be taken out. */
export const settleWorld = async (studio: Studio): Promise<Settled> => {
  leaveOutLoose(studio);
  const lost: Issue[] = [];
  let rules: Invariant[] = [];
  if (standing(studio).length > 0) {
    const asked = await askRules(studio, [], []);
    rules = asked.rules;
    lost.push(...asked.left);
  }
  const compiled = compileAll(studio.frame, standing(studio), studio.setting);
  let own = leaverRules(compiled, standing(studio));
  let repairs = 0;
  for (let n = 0; ; n++) {
    const works = standing(studio);
    const ids = new Set(['directory', 'mail', 'chat', ...works.map(({ id }) => id)]);
    rules = rules.filter((rule) => speaksOf(rule, ids));
    own = own.filter((rule) => speaksOf(rule, ids));
    const invariants = [...rules, ...own];
    const trial = await tryOut(studio, { stage: 'world', works, invariants });
    if (n >= MOST_TRIALS || works.length === 0 || !trial.ok || trial.judged.world?.pass) {
      if (trial.ok || works.length === 0 || n >= MOST_TRIALS) return { trial, invariants, lost };
      // Data that cannot be built together: the service written last is the likeliest cause.
      const last = works.at(-1) as ServiceWork;
      last.out = issueOf(trial.thrown, last.id).why;
      continue;
    }
    if (mendServices(studio, trial)) {
      leaveOutLoose(studio);
      continue;
    }
    const blamed = blamedRules(trial, invariants);
    if (blamed.size === 0) return { trial, invariants, lost };
    const issues = rules.flatMap(({ id }) => blamed.get(id) ?? []);
    rules = rules.filter(({ id }) => !blamed.has(id));
    own = own.filter(({ id }) => !blamed.has(id));
    if (issues.length > 0 && repairs++ < MOST_RULE_REPAIRS && !studio.desk.ended)
      rules = (await askRules(studio, rules, issues)).rules;
    else lost.push(...blamed.values());
  }
};

/** Asks for hints on each service's data, and keeps them when the world still passes. */
export const hintData = async (studio: Studio, settled: Settled): Promise<Settled> => {
  const { trial, invariants } = settled;
  if (!trial.ok || !trial.judged.world?.pass || studio.desk.ended) return settled;
  const { company, clock, seed, links, services } = trial.draft;
  const specs = services.map(({ spec }) => spec);
  const { rows } = seedWorld(specs, { company, clock, seed, links, invariants });
  const works = standing(studio);
  const before = new Map(works.map((work) => [work.id, work.tables]));
  for (const work of works) {
    const spec = trial.compiled.specs.get(work.id);
    if (!spec) continue;
    const { part, tables } = hintsPart(work, spec, rows[work.id] ?? {});
    await askPart(studio.desk, part);
    work.tables = tables();
    noteWork(studio, part.id, work);
  }
  const again = await tryOut(studio, { stage: 'data', works, invariants });
  if (again.ok && again.judged.world?.pass) return { ...settled, trial: again };
  for (const work of works) {
    work.tables = before.get(work.id) ?? work.tables;
    work.lost.push({ at: `data of ${work.id}`, why: 'with the hints the world did not certify; they were left out.' });
  }
  return settled;
};
