/** Admits a hand-written task: read, run, gated; or refused with the line that is at fault. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { addressOf } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { gate } from '../gate.js';
import { strayCall } from '../generate.js';
import { type Ground, prepareGround } from '../ground/ground.js';
import type { HandTask } from './form.js';
import { nearest } from './near.js';
import type { Page, Path } from './page.js';
import { runByHand } from './run.js';
import { taskByHand } from './task.js';

export interface Admitted {
  task: Task;
  certificate: Certificate;
}

/** The ground on which the task's own actor acts. */
const groundFor = (world: LoadedWorld, page: Page, email: string | undefined): Ground => {
  const ground = prepareGround(world);
  if (email === undefined || email === ground.actor.email) return ground;
  const directory = world.services.get('directory');
  const rows = directory?.spec.tables.employee ? ground.rows(directory)('employee') : [];
  const row = rows.find((one) => one.email === email);
  if (!row) {
    const next = `Nearest: ${nearest(
      email,
      rows.map((one) => String(one.email)),
    )}.`;
    throw page.refusal(['actor'], 'the directory has nobody of that e-mail', email, next);
  }
  const actor = { ...callerOf({ name: String(row.name), email }), title: String(row.title ?? '') };
  const base = Session.open(world, { id: 'ground', me: actor });
  let opened = 0;
  return { ...ground, actor, fresh: () => base.fork(`task-${opened++}`) };
};

/** The reference as its checks see it: one that throws or does not hold is told with its own line. */
const mustHold = (page: Page, written: HandTask, verdict: Verdict): void => {
  const results = verdict.milestones.flatMap(({ checks }) => checks);
  const wrong = results.find(({ broken }) => broken) ?? results.find(({ pass }) => !pass);
  if (!wrong) return;
  const at = results.indexOf(wrong);
  const path: Path = written.checks ? ['checks', at] : wrong.kind === 'answer' ? ['answer'] : ['reference'];
  const why = wrong.broken ? `check ${wrong.check} throws` : `the reference fails: check ${wrong.check} does not hold`;
  throw page.refusal(path, why, wrong.evidence, 'Mend the check, or the reference.');
};

/** Where the person wrote what a line of the gate found fault with, and what to do. */
const FAULTS: Readonly<Record<string, { path: Path; why: string; next: string }>> = {
  null_agent_fails: {
    path: ['brief'],
    why: 'doing nothing passes',
    next: 'Ask for something that is not already so, or check what has to change.',
  },
  reference_passes: {
    path: ['reference'],
    why: 'the reference fails',
    next: 'Replay it and look at the failing check.',
  },
  stable: { path: ['reference'], why: 'the reference does not end in the same state twice', next: 'Report this.' },
  obeys_policy: {
    path: ['reference'],
    why: 'the reference breaks a rule of the world',
    next: 'Do what the rule asks as part of the task.',
  },
  determined: { path: ['about'], why: 'the brief does not mean one row', next: 'Say more of the row.' },
  reachable: {
    path: ['reference', 'calls'],
    why: 'an argument cannot be known',
    next: 'Say it in the brief, or look it up first.',
  },
  not_leaked: { path: ['brief'], why: 'the brief leaks', next: 'Describe the row, ask for the answer.' },
  alternatives_pass: {
    path: ['checks'],
    why: 'a right solution is rejected',
    next: 'Check less than the reference happened to do.',
  },
  mutants_fail: {
    path: ['checks'],
    why: 'wrong solutions pass, or too few kinds of them apply',
    next: 'Add the missing check (usually kind unchanged), leave `checks` out so that they are made, or give the answer distractors.',
  },
};

/**
 * Runs the whole of it on a loaded world, and says what the gate finds. Throws `bad_task`, its message beginning with `FILE line N:`,
 * where the reference raises or fails its own checks; with `isLenient` what only makes a task a bad one is left to the gate.
 */
export const judgeByHand = (
  world: LoadedWorld,
  page: Page,
  written: HandTask,
  id: string,
  isLenient = false,
): Admitted => {
  const ground = groundFor(world, page, written.actor);
  const run = runByHand(ground, page, written, isLenient);
  try {
    const task = taskByHand(ground, page, written, id, run, isLenient);
    const hash = addressOf(task);
    mustHold(page, written, verify(task, gather(run.session, task.reference.answer), run.session.id, hash));
    const random = rng(world.spec.seed, 'by-hand', id);
    const certificate = gate(ground, task, {
      random,
      stray: strayCall(ground, random.stream('stray')),
      other: undefined,
    });
    return { task, certificate };
  } finally {
    run.session.drop();
  }
};

/** The same, and refused where a line of the gate fails (gate.ts): nothing is written then. */
export const admitByHand = (world: LoadedWorld, page: Page, written: HandTask, id: string): Admitted => {
  const admitted = judgeByHand(world, page, written, id);
  const failed = admitted.certificate.findings.find(({ pass }) => !pass);
  if (!failed) return admitted;
  const { path, why, next } = FAULTS[failed.id] ?? { path: [], why: failed.id, next: 'Mend the task.' };
  throw page.refusal(path, why, failed.evidence.slice(0, 2).join('; '), next);
};
