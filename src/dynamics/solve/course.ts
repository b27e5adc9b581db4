/**
 * The reference carried out while events fire: it notices what has fired, plans anew, makes up for what came too late, and puts in
 * what the results say this time where ids and rows are others than recorded. What it did is the re-solved reference.
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Reference, Source } from '../../artifacts/task.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { valueAt } from '../../kit/json-path.js';
import type { Session } from '../../serve/sessions/session.js';
import { followedArguments } from '../../tasks/follow.js';
import { memoryOf } from '../author/believing.js';
import { valueNow } from '../author/same-row.js';
import type { Stage } from '../author/trial.js';
import { EventEngine } from '../engine/engine.js';
import { type Fired, isLate, type Step } from './edits.js';
import { type Solved, solve } from './solved.js';

interface Done extends Step {
  result: Json;
  /** What it showed is what it shows while nothing happens. */
  isAsEver: boolean;
}

/** Events that fired in a session, in their order, with its calls by then. */
const firedIn = (session: Session): { event: ScenarioEvent; calls: number }[] => {
  const { woven } = session;
  if (!(woven instanceof EventEngine)) return [];
  return woven.log.flatMap(({ event, fate, calls }) => {
    const own = woven.graph.events.get(event);
    return fate === 'fired' && own ? [{ event: own, calls }] : [];
  });
};

export class Course {
  readonly #stage: Stage;
  readonly #done: Done[];
  #fired: Fired[];
  /** Events for which nothing can be done any more: they came too late. */
  #missed: string[];
  #plan: Solved;

  private constructor(stage: Stage, done: Done[], fired: Fired[], missed: string[], plan: Solved) {
    this.#stage = stage;
    this.#done = done;
    this.#fired = fired;
    this.#missed = missed;
    this.#plan = plan;
  }

  static of(stage: Stage): Course {
    return new Course(stage, [], [], [], solve(stage.task, []));
  }

  /**
   * As if what has been called on a session so far had been this course: a call that is the plan's, and succeeded, is done, whatever
   * was called besides. `isForgiving`: events count as in time although calls that they change were made already.
   */
  static joining(stage: Stage, session: Session, isForgiving = false): Course {
    const course = Course.of(stage);
    const came = firedIn(session);
    for (const [n, entry] of session.ledger.entries()) {
      course.#take(
        came.filter(({ calls }) => calls === n).map(({ event }) => event),
        isForgiving,
      );
      const made = new Set(course.#done.map(({ id }) => id));
      const text = canonicalJson(entry.args as Json);
      const step = entry.ok
        ? course.#plan.steps.find(
            ({ id, call }) => !made.has(id) && call.tool === entry.tool && canonicalJson(call.args as Json) === text,
          )
        : undefined;
      if (step) course.#did(step, step.call.args, entry.result as Json);
    }
    course.#take(
      came.filter(({ calls }) => calls === session.calls).map(({ event }) => event),
      isForgiving,
    );
    return course;
  }

  /** Goes on from here on another session; the two do not see one another. */
  fork(): Course {
    return new Course(this.#stage, [...this.#done], [...this.#fired], [...this.#missed], this.#plan);
  }

  get fired(): readonly Fired[] {
    return this.#fired;
  }
  /** Whether anything has come. */
  get hasNews(): boolean {
    return this.#fired.length + this.#missed.length > 0;
  }
  get missed(): readonly string[] {
    return this.#missed;
  }
  /** The steps of the plan for what has fired. */
  get steps(): readonly Step[] {
    return this.#plan.steps;
  }
  get answer(): string {
    return this.#plan.reference.answer;
  }
  /** Whether so many steps of the plan are done, from its beginning. */
  hasDone(count: number): boolean {
    if (this.#done.length < count) return false;
    const made = new Set(this.#done.map(({ id }) => id));
    return this.#plan.steps.slice(0, count).every(({ id }) => made.has(id));
  }
  /** The reference's own calls that are behind. */
  get place(): number {
    return Math.max(0, ...this.#done.map(({ place }) => place));
  }

  /** Whether another course has done and seen the same, in whatever order events came, and has the same still to do. */
  standsAs(other: Course): boolean {
    const [own, theirs] = [this.#plan.steps, other.#plan.steps].map((steps) => steps.map(({ id }) => id).join(' '));
    return (
      own === theirs &&
      this.#missed.length === other.#missed.length &&
      this.#done.length === other.#done.length &&
      this.#done.every(({ id, result }, n) => {
        const there = other.#done[n];
        return there?.id === id && (there.result === result || canonicalJson(there.result) === canonicalJson(result));
      })
    );
  }

  /** Takes up what has fired since. Throws `edit_conflict`, `answer_conflict`, `bad_edit`. */
  notice(session: Session): void {
    const all = firedIn(session);
    const known = this.#fired.length + this.#missed.length;
    if (all.length > known) this.#take(all.slice(known).map(({ event }) => event));
  }

  #take(events: readonly ScenarioEvent[], isForgiving = false): void {
    if (events.length === 0) return;
    const at = this.place;
    for (const event of events) {
      const one: Fired = isForgiving ? { event } : { event, at };
      if (isLate(one) && !event.reference.late) this.#missed.push(event.id);
      else this.#fired.push(one);
    }
    this.#plan = solve(this.#stage.task, this.#fired);
  }

  /** The step that is due; undefined: all is done. */
  next(): Step | undefined {
    const made = new Set(this.#done.map(({ id }) => id));
    return this.#plan.steps.find(({ id }) => !made.has(id));
  }

  /** Makes the call that is due and notices what fired; whether there was one. */
  step(session: Session): boolean {
    this.notice(session);
    const due = this.next();
    if (!due) return false;
    const args = this.#argumentsOf(due);
    const { result } = session.call(due.call.tool, structuredClone(args));
    this.#did(due, args, result as Json);
    this.notice(session);
    return true;
  }

  #did(step: Step, args: Step['call']['args'], result: Json): void {
    const memory = step.own === undefined ? undefined : memoryOf(this.#stage).results[step.own];
    const isAsEver = memory !== undefined && JSON.stringify(memory) === JSON.stringify(result);
    this.#done.push({ ...step, call: { ...step.call, args }, result, isAsEver });
  }

  /** Carries out the rest. The answer. */
  finish(session: Session): string {
    while (this.step(session));
    return this.answer;
  }

  #argumentsOf(due: Step): Step['call']['args'] {
    const { steps, reference } = this.#plan;
    // While all that was seen is what was planned with, so are the arguments.
    if (this.#done.every(({ isAsEver }) => isAsEver)) return due.call.args;
    const done = new Map(this.#done.map((one) => [one.id, one]));
    const memory = memoryOf(this.#stage);
    const at = (call: number, path: string): Json | undefined => {
      const from = done.get(steps[call]?.id ?? '');
      if (!from) return undefined;
      if (from.isAsEver || from.own === undefined) return valueAt(from.result, path);
      return valueNow(memory.results[from.own], from.result, path);
    };
    return followedArguments(reference, steps.indexOf(due), { at, unseen: undefined }) ?? due.call.args;
  }

  /** What was done, as a reference. */
  get reference(): Reference {
    const places = new Map(this.#done.map(({ id }, n) => [id, n]));
    const { steps, reference } = this.#plan;
    const sources = reference.sources.flatMap(({ call, arg, from }): Source[] => {
      const place = places.get(steps[call]?.id ?? '');
      if (place === undefined) return [];
      if (!('observed' in from)) return [{ call: place, arg, from }];
      const observed = places.get(steps[from.observed]?.id ?? '');
      const isThere = observed !== undefined && observed < place;
      return [{ call: place, arg, from: isThere ? { ...from, observed } : { constant: 'as it was planned' } }];
    });
    return {
      calls: this.#done.map(({ call }) => call),
      answer: this.answer,
      sources: sources.sort((a, b) => a.call - b.call),
    };
  }
}

/** Plays a session as whoever notices every event does, as `tryOut` takes it. */
export const solving =
  (course: Course) =>
  (session: Session): string =>
    course.finish(session);
