/** The task gate: every line executed, the evidence kept (certify.md, "The task gate"). */
import type { Certificate, Finding } from '../artifacts/certificate.js';
import type { Call, Task } from '../artifacts/task.js';
import type { Invariant } from '../artifacts/world.js';
import { addressOf } from '../kit/hash.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import { brokenRows } from '../verify/invariants.js';
import { type Alternative, alternativesOf } from './alternatives.js';
import { fitting } from './ground/descriptors.js';
import type { Ground } from './ground/ground.js';
import type { Plan } from './ground/plan.js';
import { lostSources } from './ground/trace.js';
import { MUTANT_KINDS } from './mutants/kinds.js';
import type { Mutant } from './mutants/mutant.js';
import { failureOf, Rehearsal, replay } from './replay.js';

/** Kinds of mutants that must apply and die. */
export const LEAST_MUTANT_KINDS = 5;

export interface GateOptions {
  random: Rng;
  /** A change that has nothing to do with the task. */
  stray: Call | undefined;
  /** Another look-up of the same thing. */
  other: Plan | undefined;
  /** Solutions that whoever made the task knows to be wrong, and to be right. */
  wrong?: readonly Mutant[] | undefined;
  right?: readonly Alternative[] | undefined;
}

const finding = (id: string, pass: boolean, evidence: string[], hint = ''): Finding => ({
  id,
  pass,
  evidence,
  ...(pass
    ? {}
    : {
        repair: {
          part: id === 'mutants_fail' || id === 'alternatives_pass' ? ('verifier' as const) : ('task' as const),
          hint,
        },
      }),
});

const nullAgent = (rehearsal: Rehearsal): Finding => {
  const pass = !rehearsal.judge({ calls: [], answer: '' }).pass;
  return finding(
    'null_agent_fails',
    pass,
    [pass ? 'no call and an empty answer fail' : 'doing nothing passes'],
    'Ask for something that is not already so.',
  );
};

const reachable = (task: Task, session: Session): Finding => {
  const lost = lostSources(task, session.ledger);
  const what = lost.map(({ call, arg }) => `${arg} of call ${call}`);
  return finding(
    'reachable',
    lost.length === 0,
    lost.length === 0 ? [`${task.reference.sources.length} arguments traced to the brief or an earlier result`] : what,
    'Say it in the brief, or look it up first.',
  );
};

const determined = (ground: Ground, task: Task): Finding => {
  const evidence: string[] = [];
  let pass = true;
  for (const binding of task.bindings) {
    const service = ground.world.services.get(binding.service);
    const hits = service
      ? fitting(service, binding.table, binding.descriptors, ground.rows(service)(binding.table)).length
      : 0;
    pass &&= hits === 1;
    evidence.push(
      `${binding.name}: ${hits} ${binding.service}.${binding.table} row fits ${binding.descriptors.map(({ words }) => words).join(' + ')}`,
    );
  }
  return finding('determined', pass, evidence.length > 0 ? evidence : ['names no single row'], 'Add a descriptor.');
};

const notLeaked = (task: Task): Finding => {
  const keys = task.bindings.map(({ key }) => String(key)).filter((key) => key.length > 3);
  const leaked = keys.filter((key) => task.brief.includes(key));
  const told =
    task.answer &&
    task.answer.kind !== 'number' &&
    task.brief.toLowerCase().includes(task.reference.answer.toLowerCase());
  const evidence =
    leaked.length > 0
      ? [`the brief holds ${leaked.join(', ')}`]
      : told
        ? ['the brief holds the answer']
        : ['no internal id and no answer in the brief'];
  return finding('not_leaked', leaked.length === 0 && !told, evidence, 'Describe the row instead.');
};

/** Invariants that a session's changes are looked at for, and those of them that it broke: they held before. */
export const policiesOf = (
  { world }: Pick<Ground, 'world'>,
  session: Session,
): { concerned: Invariant[]; broken: Invariant[] } => {
  const written = new Set(Object.keys(session.diff()));
  const states = Object.fromEntries([...world.services.keys()].map((id) => [id, session.view(id)]));
  const before = Object.fromEntries([...world.services.values()].map(({ id, pristine }) => [id, pristine]));
  const concerned = world.spec.invariants.filter(
    ({ trigger, target }) => written.has(trigger.service) || written.has(target.service),
  );
  const broken = concerned.filter((invariant) => {
    const after = brokenRows(world, invariant, states, session.clock).length;
    return after > 0 && after > brokenRows(world, invariant, before, world.spec.clock).length;
  });
  return { concerned, broken };
};

const policy = (ground: Ground, session: Session): Finding => {
  const { concerned, broken } = policiesOf(ground, session);
  return finding(
    'obeys_policy',
    broken.length === 0,
    broken.length === 0 ? [`${concerned.length} invariants looked at`] : broken.map(({ says }) => says),
    'Do what the policy asks as part of the task.',
  );
};

const alternatives = (
  ground: Ground,
  task: Task,
  rehearsal: Rehearsal,
  writes: readonly number[],
  { other, right = [] }: GateOptions,
): Finding => {
  const rejected: string[] = [];
  const accepted: string[] = [];
  for (const alternative of [...alternativesOf(ground, task, writes, other), ...right]) {
    const verdict = rehearsal.judge(alternative);
    if (verdict.pass) accepted.push(`${alternative.kind}: passes`);
    else rejected.push(`${alternative.kind} is rejected: ${failureOf(verdict)}`);
  }
  const hint = 'Check less than the reference happened to do.';
  return finding('alternatives_pass', rejected.length === 0, [...rejected, ...accepted], hint);
};

const mutants = (
  ground: Ground,
  task: Task,
  rehearsal: Rehearsal,
  writes: readonly number[],
  options: GateOptions,
): Finding => {
  const material = {
    ground,
    task,
    rehearsal,
    random: options.random,
    stray: options.stray,
    known: options.wrong ?? [],
  };
  const made: Mutant[] = MUTANT_KINDS.flatMap((kind) => {
    const attacked = kind.isOnce || writes.length === 0 ? [writes.at(-1)] : writes;
    return attacked.flatMap((write) => kind.make({ ...material, write }));
  });
  const kinds = new Set(made.map(({ kind }) => kind));
  const alive = made.filter((mutant) => rehearsal.judge(mutant).pass);
  const few = kinds.size < LEAST_MUTANT_KINDS ? [`only ${kinds.size} kinds apply: ${[...kinds].join(', ')}`] : [];
  const counts = [...kinds].map((kind) => {
    const own = made.filter((mutant) => mutant.kind === kind);
    return `${kind}: ${own.filter((mutant) => !alive.includes(mutant)).length} of ${own.length} fail`;
  });
  const evidence = [...alive.map(({ kind, what }) => `survives: ${kind} (${what})`), ...few, ...counts];
  return finding(
    'mutants_fail',
    alive.length === 0 && kinds.size >= LEAST_MUTANT_KINDS,
    evidence,
    alive.length > 0 ? 'A check is missing.' : `Only ${kinds.size} kinds of mutants apply.`,
  );
};

const stable = (ground: Ground, task: Task, first: Session, hash: string): Finding => {
  const { session } = replay(ground, task, task.reference, hash);
  const same = first.equals(session);
  session.drop();
  return finding(
    'stable',
    same,
    [same ? 'two sessions end in the same bytes' : 'two sessions end in different states'],
    'Something is not seeded.',
  );
};

/** Runs the gate. All lines are reported; the task may be kept only when `pass` holds. */
export const gate = (ground: Ground, task: Task, options: GateOptions): Certificate => {
  const hash = addressOf(task);
  const { reference } = task;
  const rehearsal = new Rehearsal(ground, task, hash);
  const first = rehearsal.play(reference.calls);
  const verdict = rehearsal.judge(reference);
  const writes = first.ledger.flatMap(({ touched }, i) => (touched.length > 0 ? [i] : []));
  const passed = verdict.pass && first.ledger.every(({ ok }) => ok);
  const findings: Finding[] = [
    nullAgent(rehearsal),
    finding(
      'reference_passes',
      passed,
      [
        passed
          ? `${reference.calls.length} calls, ${task.milestones[0]?.checks.length ?? 0} checks hold`
          : failureOf(verdict) || 'a call failed',
      ],
      'Replay the reference and look at the failing check.',
    ),
  ];
  if (passed)
    findings.push(
      stable(ground, task, first, hash),
      policy(ground, first),
      determined(ground, task),
      reachable(task, first),
      notLeaked(task),
      alternatives(ground, task, rehearsal, writes, options),
      mutants(ground, task, rehearsal, writes, options),
    );
  rehearsal.drop();
  return {
    treadle: 'certificate/1',
    kind: 'task',
    subject: hash,
    name: task.id,
    pass: findings.every(({ pass }) => pass),
    findings,
  };
};
