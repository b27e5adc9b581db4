/** Grows the stages of a composed task: errand after errand, each step an atomic task on what came before (weft.txt 3.1.2). */

import type { Check } from '../../artifacts/check.js';
import type { Binding, Call, TaskEdge } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { evaluate } from '../../verify/checks.js';
import { gather } from '../../verify/evidence.js';
import { checksOf } from '../checks.js';
import type { Ground } from '../ground/ground.js';
import { rubricOf } from '../rubric.js';
import { Course } from './course.js';
import type { Errand } from './errands.js';
import { Focus } from './focus.js';
import { Milestones } from './milestones.js';
import { Rerun } from './rerun.js';
import type { PlannedCase } from './rounds.js';
import { isChange, keysSeen, type Seen, type Stage, tryStage } from './stage.js';
import { nextStep } from './walk.js';

export interface Wish {
  /** Stages wanted. */
  stages: number;
  /** Fewer than this are no task of the wanted kind. */
  least: number;
  /** Services that the stages may use. */
  services: ReadonlySet<string>;
  /** Cases of processes, in the order in which they come. */
  cases: readonly PlannedCase[];
  /** How the user of the task speaks. */
  persona: string;
  stray: Call | undefined;
  random: Rng;
}

/** Stages of one errand on one case. */
export interface Case {
  errand?: Pick<Errand, 'id' | 'title' | 'purpose'>;
  nodes: string[];
}

export interface Grown {
  stages: Stage[];
  cases: Case[];
  edges: TaskEdge[];
  milestones: Milestones;
  course: Course;
  /** The stages once more, for the gate. */
  rerun: Rerun;
  /** Steps of processes and of what lies around them that came to nothing, and why. */
  dropped: { tool: string; wants: string; why: string }[];
}

/** Tries a stage may take on average before the world is given up. */
const TRIES_PER_STAGE = 8;
/** Cases in a row that come to nothing. */
const MOST_EMPTY = 4;
/** Steps beyond the process that concern the same case. */
const MOST_EXTRA = 2;
/** Steps of a case without a process. */
const WALK: readonly [number, number] = [3, 6];
/** Share of a process's look-ups whose finding is asked for. */
const ASKED = 0.5;
/** Fewer steps than this are not called by the process's name. */
const LEAST_OF_PROCESS = 2;
/** Stages that must be left for a process to be begun. */
const LEAST_LEFT = 3;

class Growth {
  readonly stages: Stage[] = [];
  readonly cases: Case[] = [];
  readonly edges: TaskEdge[] = [];
  readonly dropped: Grown['dropped'] = [];
  readonly milestones = new Milestones();
  readonly course: Course;
  readonly rerun: Rerun;
  readonly #ground: Ground;
  readonly #wish: Wish;
  readonly #focus: Focus;
  /** Checks of stages that no change shows: they hold from then on. */
  readonly #extra: Check[] = [];
  readonly #seen = new Map<string, Seen>();
  readonly #taken = new Set<string>();
  readonly #used = new Map<string, number>();
  readonly #failed = new Map<string, number>();
  /** Last stage that wrote a row. */
  /** Tables of which this case has written rows. */
  readonly #written = new Set<string>();
  readonly #writer = new Map<string, string>();
  readonly #said: { text: string; answer?: string }[] = [];
  #calls = 0;
  #tries = 0;

  constructor(ground: Ground, wish: Wish) {
    this.#ground = ground;
    this.#wish = wish;
    this.course = new Course(ground);
    this.rerun = new Rerun(ground);
    this.#focus = new Focus(ground.world, (service, table) => this.course.real(service, table));
  }

  get #isFull(): boolean {
    return this.stages.length >= this.#wish.stages || this.#tries >= this.#wish.stages * TRIES_PER_STAGE;
  }

  #isGivenAway = (text: string, answer: string | undefined): boolean => {
    const low = text.toLowerCase();
    const own = answer?.toLowerCase();
    return this.#said.some(
      (one) =>
        (one.answer !== undefined && one.answer.length > 3 && low.includes(one.answer)) ||
        (own !== undefined && own.length > 3 && one.text.includes(own)),
    );
  };

  #takenBy(template: string, bindings: readonly Binding[]): string {
    const subject = bindings.map(({ service, table, key }) => `${service}.${table}#${key}`).join(' ');
    return `${template} ${subject}`;
  }

  /** A stage by the tool; whether there is one more. */
  #try(tool: string, wants: 'change' | 'answer'): boolean {
    if (this.#isFull) return false;
    this.#tries++;
    const { course } = this;
    const { persona, random, stray } = this.#wish;
    const narrowed = this.#focus.isEmpty ? undefined : this.#focus.related;
    const node = `s${this.stages.length + 1}`;
    const mark = course.mark();
    const stage = tryStage({
      course,
      ground: course.ground(narrowed),
      tool,
      wants,
      node,
      persona,
      stray,
      random: random.stream(`try-${this.#tries}`),
      seen: this.#seen,
      callsBefore: this.#calls,
      isTaken: (template, bindings) => this.#taken.has(this.#takenBy(template, bindings)),
      isGivenAway: this.#isGivenAway,
    });
    const all = typeof stage === 'string' ? [] : [...this.#extra, ...stage.checks, ...checksOf(course.session)];
    const why = typeof stage === 'string' ? stage : this.#objection(stage, all);
    if (typeof stage === 'string' || why !== undefined) {
      this.#failed.set(tool, (this.#failed.get(tool) ?? 0) + 1);
      this.dropped.push({ tool, wants, why: why ?? '' });
      course.rewind(mark);
      return false;
    }
    mark.session.drop();
    this.#keep(stage, all);
    return true;
  }

  /** Why the stage does not go with those before it; it joins the rerun when it does. */
  #objection(stage: Stage, all: readonly Check[]): string | undefined {
    this.rerun.push(stage);
    const isUndoing = (stage.answer === undefined || isChange(stage)) && this.milestones.fresh(all).length === 0;
    const hidden = isUndoing
      ? undefined
      : this.milestones.overtakenBy(all).find((place) => this.#passesWithout(place, all));
    if (!isUndoing && hidden === undefined) return undefined;
    this.rerun.pop();
    return isUndoing
      ? 'undoes what an earlier stage did'
      : `would hide whether ${this.stages[hidden ?? 0]?.node} was done`;
  }

  /** Whether what is asked so far also holds of a run that left a stage out. */
  #passesWithout(place: number, all: readonly Check[]): boolean {
    const rest = [...this.stages.keys(), this.stages.length].filter((other) => other > place);
    const { session } = this.rerun.run(place, rest);
    const evidence = gather(session, '');
    const passes = all.every((check) => evaluate(check, evidence).pass);
    session.drop();
    return passes;
  }

  #keep(stage: Stage, all: readonly Check[]): void {
    const { node, answer, says, task, template, bindings, played } = stage;
    const rubric = rubricOf(task.brief, { answer, says, changes: isChange(stage) });
    this.milestones.add(node, all, { answer, says, rubric });
    this.#link(stage);
    for (const [key, seen] of keysSeen(this.#ground, stage, this.#calls)) this.#seen.set(key, seen);
    for (const { service, table, key } of bindings) this.#focus.add(service, table, key);
    for (const { touched } of played)
      for (const { service, table, key, change } of touched) {
        this.#writer.set(`${service}.${table}#${key}`, node);
        this.#written.add(`${service}.${table}`);
        if (change !== 'delete') this.#focus.add(service, table, key);
      }
    this.#extra.push(...stage.checks);
    this.#taken.add(this.#takenBy(template, bindings));
    this.#said.push({ text: task.brief.toLowerCase(), ...(answer ? { answer: says.toLowerCase() } : {}) });
    for (const { tool } of stage.calls) this.#used.set(tool, (this.#used.get(tool) ?? 0) + 1);
    this.#calls += stage.calls.length;
    this.stages.push(stage);
    this.cases.at(-1)?.nodes.push(node);
  }

  /** Edges from the stages whose rows or findings this one uses. */
  #link({ node, bindings, played, informedBy }: Stage): void {
    const rows = [
      ...bindings.map(({ service, table, key }) => ({ service, table, key })),
      ...played.flatMap(({ touched }) => touched),
    ];
    const add = (from: string, carries: TaskEdge['carries'], what: string): void => {
      if (
        from === node ||
        this.edges.some((edge) => edge.from === from && edge.to === node && edge.carries === carries)
      )
        return;
      this.edges.push({ from, to: node, carries, what });
    };
    for (const { service, table, key } of rows) {
      const writer = this.#writer.get(`${service}.${table}#${key}`);
      const noun = this.#ground.world.services.get(service)?.spec.tables[table]?.noun ?? table.replaceAll('_', ' ');
      if (writer) add(writer, 'state', `the ${noun} as ${writer} left it`);
    }
    for (const { node: from, what } of informedBy) add(from, 'information', what);
  }

  /** Whether the case leads to rows that the tool could be about; what makes something new may begin anywhere. */
  #concerns(tool: string): boolean {
    const found = this.#ground.world.tools.get(tool);
    if (!found || this.#focus.isEmpty || found.service.role === 'core') return found !== undefined;
    const { op, table } = found.tool.tool;
    return op === 'create' || this.#focus.related(found.service, table) !== undefined;
  }

  /** One errand on a case of its own: what its steps are about grows from step to step. */
  #errand({ errand, anchors }: PlannedCase): number {
    const { id, title, purpose } = errand;
    const before = this.stages.length;
    this.#focus.clear();
    this.#written.clear();
    for (const { service, table, key } of anchors) this.#focus.add(service, table, key);
    this.cases.push({ errand: { id, title, purpose }, nodes: [] });
    for (const step of errand.steps) {
      if (this.#isFull) break;
      // What is looked up on the way is not always asked for.
      const isAsked = step.isInfo && this.#wish.random.chance(ASKED);
      if ((isAsked || !step.isInfo) && this.#concerns(step.tool))
        this.#try(step.tool, step.isInfo ? 'answer' : 'change');
    }
    const made = this.stages.length - before;
    if (made >= LEAST_OF_PROCESS) this.#walk(MOST_EXTRA);
    // One step of a process is not that process.
    else delete this.cases.at(-1)?.errand;
    return this.stages.length - before;
  }

  /** Steps that lead from what the case is about to what belongs to it. */
  #walk(most: number): void {
    const stuck = new Set<string>();
    for (let made = 0, tries = 0; made < most && tries < most * 4 && !this.#isFull; tries++) {
      const step = nextStep(this.#ground.world, this.#focus, {
        services: this.#wish.services,
        uses: (tool) => (this.#used.get(tool) ?? 0) + (this.#failed.get(tool) ?? 0) * 0.7,
        stuck,
        written: this.#written,
        random: this.#wish.random.stream(`walk-${this.#tries}-${tries}`),
      });
      if (!step) return;
      if (this.#try(step.tool, step.wants)) made++;
      else stuck.add(`${step.tool} ${step.wants}`);
    }
  }

  #wander(): number {
    const before = this.stages.length;
    this.#focus.clear();
    this.#written.clear();
    this.cases.push({ nodes: [] });
    this.#walk(this.#wish.random.int(...WALK));
    return this.stages.length - before;
  }

  #dropEmptyCase(): void {
    if (this.cases.at(-1)?.nodes.length === 0) this.cases.pop();
  }

  run(): void {
    const waiting = [...this.#wish.cases];
    for (let empty = 0; empty < MOST_EMPTY && !this.#isFull; ) {
      const left = this.#wish.stages - this.stages.length;
      // A process is not begun that cannot be gone through; and between processes there is what else there is to do.
      const next = left >= LEAST_LEFT && this.cases.length % 4 !== 3 ? waiting.shift() : undefined;
      const made = next ? this.#errand(next) : this.#wander();
      if (!next && made === 0) empty++;
      this.#dropEmptyCase();
    }
  }
}

/** The stages of one task; a string says how many the world gives where they are too few. Course and rerun are the caller's to drop. */
export const grow = (ground: Ground, wish: Wish): Grown | string => {
  const growth = new Growth(ground, wish);
  growth.run();
  const { stages, cases, edges, milestones, course, rerun, dropped } = growth;
  if (stages.length >= wish.least) return { stages, cases, edges, milestones, course, rerun, dropped };
  rerun.drop();
  course.drop();
  return `gives ${stages.length} stages, ${wish.least} wanted`;
};
