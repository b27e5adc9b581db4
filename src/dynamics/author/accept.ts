/**
 * The ten rules by which an event is accepted (dynamics.md, "An event is accepted only if"), each by execution. A refused candidate
 * keeps the rule it broke and the evidence.
 */
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import { meeting, pathWords } from '../paths.js';
import { affectedChecks, isFrame, writtenPlaces } from '../verifier/footprints.js';
import { believing } from './believing.js';
import { edited, type Played, type Player, type Stage, type Trial, tryOut } from './trial.js';

export const RULES = [
  'applies',
  'writes_as_declared',
  'matters',
  'has_consequences',
  'solvable',
  'noticeable',
  'reversible',
  'cannot_be_ignored',
  'leaves_the_rest',
  'deterministic',
] as const;
export type Rule = (typeof RULES)[number];

export interface Candidate {
  event: ScenarioEvent;
  /** The final reply of the re-solved reference. */
  answer: string;
}

export type Decision =
  | { accepted: true; scenario: Pick<Scenario, 'events' | 'seed'>; reference: Played }
  | { accepted: false; rule: Rule; evidence: string };

const refused = (rule: Rule, evidence: string): Decision => ({ accepted: false, rule, evidence });

const failing = ({ verdict }: Trial): string[] =>
  verdict.milestones.flatMap(({ checks }) =>
    checks.filter(({ pass }) => !pass).map(({ check, evidence }) => `${check}: ${evidence}`),
  );

/** Calls of the reference until the event fired; undefined: it never did. */
const firedAfter = ({ engine }: Trial, { id }: ScenarioEvent): number | undefined =>
  engine.log.find((entry) => entry.event === id && entry.fate === 'fired')?.calls;

const isDistractor = ({ effect }: ScenarioEvent): boolean => 'publish' in effect && !effect.publish.authoritative;

/** Whether the words give away what has to be found out. */
const givesAway = (text: string, answer: string): boolean => {
  const plain = (words: string): string =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const told = plain(answer);
  return told.length > 2 && ` ${plain(text)} `.includes(` ${told} `);
};

/** Decides on one event for a task that stands still otherwise. Leaves no session open. */
export const decide = (stage: Stage, { event, answer }: Candidate, seed: string): Decision => {
  const scenario = { events: [event], seed };
  const open: Trial[] = [];
  const run = (what: Played | Player): Trial => {
    const trial = tryOut(stage, scenario, what);
    open.push(trial);
    return trial;
  };
  try {
    return judgeAll(stage, { event, answer }, scenario, run);
  } finally {
    for (const { session } of open) session.drop();
  }
};

const judgeAll = (
  stage: Stage,
  { event, answer }: Candidate,
  scenario: Pick<Scenario, 'events' | 'seed'>,
  run: (what: Played | Player) => Trial,
): Decision => {
  const { task } = stage;
  const reference: Played = { calls: edited(task.reference, event), answer };
  const solved = run(reference);
  const fate = solved.engine.log.find((entry) => entry.event === event.id);
  if (fate?.fate !== 'fired')
    return refused('applies', fate?.reason ?? 'it never fires while the reference is carried out');

  const written = writtenPlaces(fate.touched);
  const undeclared = written.find((place) => meeting([place], event.writes) === undefined);
  if (undeclared) return refused('writes_as_declared', `it writes ${pathWords(undeclared)} and does not say so`);
  const unwritten = event.writes.find((place) => meeting([place], written) === undefined);
  if (unwritten) return refused('writes_as_declared', `it says that it writes ${pathWords(unwritten)} and does not`);

  const { retire, replace, add, answer: other } = event.checks;
  const declared = [...retire, ...replace.map(({ id }) => id)];
  const touched = affectedChecks(task.milestones, written);
  const changesGoal = event.source === 'requirement' || other !== undefined || declared.length + add.length > 0;
  if (isDistractor(event)) {
    if (changesGoal) return refused('matters', 'a distractor revises no check');
    if (touched.length > 0) return refused('matters', `a distractor meets what ${touched.join(', ')} read`);
  } else if (!changesGoal && touched.length === 0 && !('fault' in event.effect))
    return refused('matters', 'nothing that is asked reads what it writes, and the goal stays');
  const missing = touched.find((id) => !declared.includes(id));
  if (missing !== undefined) return refused('matters', `it meets what ${missing} reads and does not revise it`);

  if (!solved.verdict.pass) return refused('solvable', failing(solved).join('; ') || 'the re-solved reference fails');
  if (!solved.clean && event.source !== 'fault') return refused('solvable', 'a call of the re-solved reference fails');

  const stale = run(believing(stage));
  if (isDistractor(event)) {
    if (!stale.verdict.pass)
      return refused('has_consequences', `a distractor breaks the plan: ${failing(stale).join('; ')}`);
  } else {
    if (firedAfter(stale, event) === undefined) return refused('has_consequences', 'it does not fire on the old plan');
    if (stale.verdict.pass) return refused('has_consequences', 'the old plan passes all the same');
  }

  const at = firedAfter(solved, event) ?? 0;
  const late = event.reference.from < at;
  if (late)
    return refused(
      'noticeable',
      `it fires after call ${at}, when the reference has gone past call ${event.reference.from} already`,
    );
  const told = event.notify.text ?? ('say' in event.effect ? event.effect.say : '');
  const isSilent = event.notify.to === 'none';
  if (!isDistractor(event) && isSilent && event.source !== 'fault' && (event.notify.discoverBy ?? []).length === 0)
    return refused('noticeable', 'nobody tells of it and no tool shows it');
  if (task.answer && event.source !== 'requirement' && givesAway(told, answer))
    return refused('noticeable', 'what is told gives the answer away');

  const undone = solved.engine.log.some(({ touched: rows }) =>
    rows.some(
      ({ service, table, key, change }) =>
        change === 'delete' &&
        solved.session.ledger.some((entry) =>
          entry.touched.some((own) => own.service === service && own.table === table && own.key === key),
        ),
    ),
  );
  if (undone) return refused('reversible', 'it takes away what was done already');

  const nothing = run({ calls: [], answer: '' });
  if (nothing.verdict.pass) return refused('cannot_be_ignored', 'doing nothing passes');
  if (!isDistractor(event)) {
    const ignoring = run({ calls: task.reference.calls, answer });
    // With the new answer but the old deeds: only where something is to be done.
    if (ignoring.verdict.pass && event.reference.insert.length > 0)
      return refused('cannot_be_ignored', 'the old deeds with the new answer pass');
  }

  const revised = new Set([...declared, ...add.map(({ id }) => id)]);
  const rest = task.milestones
    .flatMap(({ checks }) => checks)
    .filter((check) => !revised.has(check.id) && !isFrame(check));
  const changed = rest.find(({ id, kind }) => !solved.revision.kept.includes(id) && !(kind === 'answer' && other));
  if (changed) return refused('leaves_the_rest', `${changed.id} is not what it was`);
  const lost = solved.verdict.milestones
    .flatMap(({ checks }) => checks)
    .find(({ check, pass }) => !revised.has(check) && !pass);
  if (lost) return refused('leaves_the_rest', `${lost.check} fails: ${lost.evidence}`);

  if (run(reference).print !== solved.print)
    return refused('deterministic', 'the same calls gave another log or another state');
  return { accepted: true, scenario, reference };
};
