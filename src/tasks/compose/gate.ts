/**
 * The gate of a composed task. Every stage passed the atomic gate on the state it starts from; here the whole is executed:
 * milestones at the end of every stage, the graph's other orders, and wrong solutions of the whole (certify.md, "The task gate").
 */
import type { Certificate, Finding } from '../../artifacts/certificate.js';
import type { Call, Task } from '../../artifacts/task.js';
import { addressOf } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import { type Evidence, gather } from '../../verify/evidence.js';
import { brokenRows } from '../../verify/invariants.js';
import { askingNodes } from '../../verify/stage-answer.js';
import { verify } from '../../verify/verdict.js';
import type { Ground } from '../ground/ground.js';
import { lostSources } from '../ground/trace.js';
import { failureOf } from '../replay.js';
import { leftAlike } from './alike.js';
import { graphFaults, otherOrder } from './order.js';
import type { Part, Rerun } from './rerun.js';
import { isChange, type Stage } from './stage.js';

/** Stages that one kind of wrong solution attacks. */
const MOST_ATTACKED = 10;

interface Site {
  ground: Ground;
  task: Task;
  stages: readonly Stage[];
  rerun: Rerun;
  stray: Call | undefined;
  random: Rng;
  hash: string;
}

const finding = (
  id: string,
  pass: boolean,
  evidence: string[],
  hint: string,
  part: 'task' | 'verifier' = 'task',
): Finding => ({
  id,
  pass,
  evidence,
  ...(pass ? {} : { repair: { part, hint } }),
});

/** Replies to the questions as one message. */
export const finalAnswer = (stages: readonly Pick<Stage, 'answer' | 'says'>[]): string => {
  const said = stages.filter(({ answer }) => answer !== undefined).map(({ says }) => says);
  if (said.length === 0) return 'Done. Everything is as you asked.';
  return said.length === 1 ? (said[0] as string) : said.map((text, i) => `${i + 1}. ${text}`).join('\n');
};

const judge = ({ task, hash }: Site, session: Session, answer: string, at?: string, kept?: Evidence) =>
  verify(task, { ...(kept ?? gather(session, answer)), answer }, session.id, hash, at);

const nullAgent = (site: Site): Finding => {
  const { session } = site.rerun.run(0, []);
  const { pass, milestones } = judge(site, session, '');
  session.drop();
  const passing = milestones.filter((one) => one.pass).length;
  return finding(
    'null_agent_fails',
    !pass,
    [pass ? 'doing nothing passes' : `doing nothing fails (${passing} of ${milestones.length} milestones hold)`],
    'Ask for something that is not already so.',
  );
};

const reference = (site: Site): Finding => {
  const { stages, rerun, task } = site;
  const failures: string[] = [];
  for (const [n, { node, says }] of stages.entries()) {
    const verdict = judge(site, rerun.after(n), says, node);
    if (!verdict.pass) failures.push(`after ${node}: ${failureOf(verdict)}`);
  }
  const verdict = judge(site, rerun.end, task.reference.answer);
  if (!verdict.pass) failures.push(`at the end: ${failureOf(verdict)}`);
  const failed = rerun.end.ledger.filter(({ ok }) => !ok).length;
  if (failed > 0) failures.push(`${failed} calls failed`);
  const { calls } = task.reference;
  return finding(
    'reference_passes',
    failures.length === 0,
    failures.length > 0
      ? failures.slice(0, 5)
      : [`${calls.length} calls, ${stages.length} milestones hold at their ends and the whole at its end`],
    'Replay the reference and look at the failing check.',
  );
};

const stable = ({ rerun, stages }: Site): Finding => {
  const { session } = rerun.run(0, [...stages.keys()]);
  const isSame = session.equals(rerun.end);
  session.drop();
  return finding(
    'stable',
    isSame,
    [isSame ? 'two sessions end in the same bytes' : 'two sessions end in different states'],
    'Something is not seeded.',
  );
};

const policy = ({ ground, rerun }: Site): Finding => {
  const { world } = ground;
  const states = (session: Session) =>
    Object.fromEntries([...world.services.keys()].map((id) => [id, session.view(id)]));
  const start = rerun.after(-1);
  const broken = world.spec.invariants.filter((invariant) => {
    const after = brokenRows(world, invariant, states(rerun.end), rerun.end.clock).length;
    return after > 0 && after > brokenRows(world, invariant, states(start), world.spec.clock).length;
  });
  const evidence =
    broken.length === 0 ? [`${world.spec.invariants.length} invariants looked at`] : broken.map(({ says }) => says);
  return finding('obeys_policy', broken.length === 0, evidence, 'Do what the policy asks as part of the task.');
};

const graph = ({ task }: Site): Finding => {
  const faults = graphFaults(task.nodes, task.edges, task.bindings);
  const state = task.edges.filter(({ carries }) => carries === 'state').length;
  const evidence = [`${task.nodes.length} nodes, ${state} state and ${task.edges.length - state} information edges`];
  return finding(
    'graph',
    faults.length === 0,
    faults.length > 0 ? faults : evidence,
    'Bind each name to one row, and let edges lead forward.',
  );
};

const reachable = ({ task, rerun }: Site): Finding => {
  const lost = lostSources(task, rerun.end.ledger);
  return finding(
    'reachable',
    lost.length === 0,
    lost.length === 0
      ? [`${task.reference.sources.length} arguments traced to the brief or an earlier result`]
      : lost.slice(0, 5).map(({ call, arg }) => `${arg} of call ${call}`),
    'Say it in the brief, or look it up first.',
  );
};

const notLeaked = ({ task, stages }: Site): Finding => {
  const brief = task.brief.toLowerCase();
  const keys = task.bindings
    .map(({ key }) => String(key))
    .filter((key) => key.length > 3 && brief.includes(key.toLowerCase()));
  const told = stages.filter(({ answer, says }) => answer && says.length > 3 && brief.includes(says.toLowerCase()));
  const faults = [
    ...keys.map((key) => `the brief holds ${key}`),
    ...told.map(({ node }) => `the brief holds the answer of ${node}`),
  ];
  return finding(
    'not_leaked',
    faults.length === 0,
    faults.length > 0 ? faults : ['no internal id and no answer in the brief'],
    'Describe the row instead.',
  );
};

/** Edges as pairs of places. */
const pairsOf = ({ stages, task }: Site): [number, number][] => {
  const place = new Map(stages.map(({ node }, i) => [node, i]));
  return task.edges.map(({ from, to }) => [place.get(from) as number, place.get(to) as number]);
};

const idleReads = ({ ground, task }: Site): Call[] =>
  [...ground.world.tools].flatMap(([name, { service, tool }]) =>
    task.services.includes(service.id) &&
    tool.tool.op === 'list' &&
    Object.values(tool.tool.args).every(({ required }) => !required)
      ? [{ service: service.id, tool: name, args: {} }]
      : [],
  );

const alternatives = (site: Site): Finding => {
  const { stages, rerun, random, task } = site;
  const accepted: string[] = [];
  const rejected: string[] = [];
  const all = [...stages.keys()];
  const attempt = (kind: string, parts: readonly Part[], answer = task.reference.answer): void => {
    const { session, failed } = rerun.run(0, parts);
    const verdict = judge(site, session, answer);
    session.drop();
    if (verdict.pass && failed === 0) accepted.push(`${kind}: passes`);
    else rejected.push(`${kind} is rejected: ${failureOf(verdict) || `${failed} calls fail`}`);
  };
  for (let n = 0; n < 2; n++) {
    const order = otherOrder(stages.length, pairsOf(site), random.stream(`order-${n}`));
    if (order.some((place, i) => place !== i)) attempt(`other order ${n + 1}`, order);
  }
  const reads = idleReads(site);
  if (reads.length > 0)
    attempt(
      'extra_reads',
      all.flatMap((place) => [place, [reads[place % reads.length] as Call]]),
    );
  const kept = gather(rerun.end, '');
  for (const [kind, answer] of forms(site)) {
    if (judge(site, rerun.end, answer, undefined, kept).pass) accepted.push(`${kind}: passes`);
    else rejected.push(`${kind} is rejected`);
  }
  return finding(
    'alternatives_pass',
    rejected.length === 0,
    [...rejected, ...accepted],
    'An edge is missing, or a check asks for what only the reference did.',
    'verifier',
  );
};

/** The final message in other forms. */
const forms = ({ task, stages }: Site): [string, string][] => {
  const said = stages.filter(({ answer }) => answer !== undefined).map(({ says }) => says);
  if (said.length === 0) return [['other_closing_words', 'All done. Anything else?']];
  if (said.length === 1) return [['in a sentence', `I looked it up: ${said[0]}.`]];
  return [
    ['in brackets', said.map((text, i) => `${i + 1}) ${text}`).join('\n')],
    [
      'bold, after an introduction',
      `All of it is done. The answers:\n\n${said.map((text, i) => `**${i + 1}.** ${text}`).join('\n\n')}`,
    ],
    ['labelled', said.map((text, i) => `Answer ${i + 1}: ${text}`).join('\n')],
    ['with a closing sentence before', `Done.\n${task.reference.answer}`],
  ];
};

interface Attack {
  kind: string;
  what: string;
  from: number;
  parts: readonly Part[];
  answer?: string;
  /** Counts only where it ends otherwise than the reference. */
  mayBeRight?: true;
}

const attacks = (site: Site): Attack[] => {
  const { stages, random, stray } = site;
  const places = [...stages.keys()];
  const changing = places.filter((place) => isChange(stages[place] as Stage));
  const rest = (from: number, without: readonly number[] = []): number[] =>
    places.filter((place) => place >= from && !without.includes(place));
  const skip = random.sample(changing, MOST_ATTACKED).map(
    (place): Attack => ({
      kind: 'skip_stage',
      what: `leaves ${stages[place]?.node} out`,
      from: place,
      parts: rest(place, [place]),
    }),
  );
  const twice = random.sample(changing, MOST_ATTACKED / 2).map(
    (place): Attack => ({
      kind: 'stage_twice',
      what: `does ${stages[place]?.node} twice`,
      from: place,
      parts: [place, ...rest(place)],
      mayBeRight: true,
    }),
  );
  const state = pairsOf(site).filter(
    ([from, to], i) => site.task.edges[i]?.carries === 'state' && changing.includes(from) && changing.includes(to),
  );
  const swapped = random.sample(state, MOST_ATTACKED / 2).map(
    ([from, to]): Attack => ({
      kind: 'wrong_order',
      what: `does ${stages[to]?.node} before ${stages[from]?.node}`,
      from,
      parts: [to, ...rest(from, [to])],
      mayBeRight: true,
    }),
  );
  const half = Math.floor(stages.length / 2);
  const stops: Attack[] = [
    { kind: 'stops_halfway', what: `stops after ${stages[half - 1]?.node}`, from: half, parts: [] },
  ];
  const extra: Attack[] = stray
    ? [{ kind: 'extra_write', what: `also calls ${stray.tool}`, from: stages.length, parts: [[stray]] }]
    : [];
  const claims: Attack[] = [{ kind: 'claim_without_change', what: 'only says that it was done', from: 0, parts: [] }];
  return [...skip, ...twice, ...swapped, ...stops, ...extra, ...(changing.length > 0 ? claims : [])];
};

/** Final messages with one answer wrong, two exchanged, one left out, or all candidates named. */
const wrongAnswers = ({ stages, random }: Site): [string, string][] => {
  const asked = stages.filter(({ answer }) => answer !== undefined);
  const out: [string, string][] = [];
  const told = (change: (says: string, i: number) => string): string =>
    finalAnswer(asked.map((stage, i) => ({ ...stage, says: change(stage.says, i) })));
  for (const place of random.sample([...asked.keys()], MOST_ATTACKED / 2)) {
    const rivals = asked[place]?.answer?.distractors ?? [];
    const [rival] = rivals;
    if (rival !== undefined) out.push(['wrong_answer', told((says, i) => (i === place ? String(rival) : says))]);
    if (asked.length > 1) out.push(['answer_left_out', told((says, i) => (i === place ? '' : says))]);
    if (rivals.length > 1)
      out.push(['shotgun_answer', told((says, i) => (i === place ? [says, ...rivals.slice(0, 6)].join(', ') : says))]);
  }
  if (asked.length > 1 && asked[0]?.says !== asked[1]?.says)
    out.push(['answers_exchanged', told((says, i) => (i < 2 ? (asked[1 - i]?.says as string) : says))]);
  return out;
};

const mutants = (site: Site): Finding => {
  const { rerun, task } = site;
  const counts = new Map<string, { made: number; dead: number }>();
  const alive: string[] = [];
  const note = (kind: string, what: string, isDead: boolean): void => {
    const own = counts.get(kind) ?? { made: 0, dead: 0 };
    counts.set(kind, { made: own.made + 1, dead: own.dead + (isDead ? 1 : 0) });
    if (!isDead) alive.push(`survives: ${kind} (${what})`);
  };
  for (const { kind, what, from, parts, mayBeRight } of attacks(site)) {
    const { session } = rerun.run(from, parts);
    const verdict = judge(site, session, task.reference.answer);
    // What ends where the reference ends is another right way.
    const isRight = mayBeRight && verdict.pass && leftAlike(session, rerun.end);
    session.drop();
    if (!isRight) note(kind, what, !verdict.pass);
  }
  const kept = gather(rerun.end, '');
  for (const [kind, answer] of wrongAnswers(site))
    note(kind, answer.slice(0, 80), !judge(site, rerun.end, answer, undefined, kept).pass);
  const evidence = [...counts].map(([kind, { made, dead }]) => `${kind}: ${dead} of ${made} fail`);
  return finding('mutants_fail', alive.length === 0, [...alive, ...evidence], 'A check is missing.', 'verifier');
};

/** Runs the gate of a composed task; the rerun holds the reference. */
export const composedGate = (
  ground: Ground,
  task: Task,
  stages: readonly Stage[],
  rerun: Rerun,
  options: { stray: Call | undefined; random: Rng },
): Certificate => {
  const hash = addressOf(task);
  const site: Site = { ground, task, stages, rerun, hash, ...options };
  const findings: Finding[] = [nullAgent(site), reference(site)];
  if (findings.every(({ pass }) => pass)) {
    findings.push(
      finding(
        'stages_gated',
        true,
        stages.map(({ node, template }) => `${node}: ${template} passed the atomic gate on the state before it`),
        '',
      ),
      graph(site),
      stable(site),
      policy(site),
      reachable(site),
      notLeaked(site),
      alternatives(site),
      mutants(site),
    );
  }
  const asking = askingNodes(task).length;
  if (asking !== stages.filter(({ answer }) => answer !== undefined).length) throw new Error('questions got lost');
  return {
    treadle: 'certificate/1',
    kind: 'task',
    subject: hash,
    name: task.id,
    pass: findings.every(({ pass }) => pass),
    findings,
  };
};
