/** A composed task judged at the end of each of its stages while it is carried out, as it is where a user asks for one after the other. */
import type { Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import { judgedOn, type Stage } from '../author/trial.js';
import type { Course } from './course.js';
import { stageEnds, withWords } from './stages.js';

export class StageWatch {
  readonly #stage: Stage;
  readonly #course: Course;
  /** Stages that have ended, and of them those that were judged. */
  #ended = 0;
  #judged = 0;
  /** What was said at their ends, by node. */
  readonly #answers: Record<string, string> = {};
  /** Checks that failed there, with their evidence. */
  readonly failed: string[] = [];

  constructor(stage: Stage, course: Course) {
    this.#stage = stage;
    this.#course = course;
  }

  get judged(): number {
    return this.#judged;
  }

  /** To be called before each step, and when nothing is left. */
  look(session: Session): void {
    const { task } = this.#stage;
    const { disclosure } = task;
    if (this.#ended >= disclosure.stages.length) return;
    this.#course.notice(session);
    const ends = stageEnds(task, this.#course.fired, this.#course.steps);
    while (this.#ended < ends.length && this.#course.hasDone(ends[this.#ended] as number)) this.#end(session);
  }

  #end(session: Session): void {
    const { task } = this.#stage;
    const node = task.disclosure.stages[this.#ended]?.node ?? '';
    const says = withWords(task, this.#course.answer).find((one) => one.node === node)?.says ?? 'Done.';
    // Up to the first event a stage is what it was when the task was certified.
    if (this.#course.hasNews) {
      this.#judge(session, says, node);
      this.#judged++;
    }
    this.#answers[node] = says;
    this.#ended++;
    if (this.#ended === task.disclosure.stages.length) this.#judge(session, says, undefined);
  }

  /** At a stage's end, or, once the last has ended, all of them by what was said at theirs. */
  #judge(session: Session, says: string, node: string | undefined): void {
    const { judged } = judgedOn(this.#stage, session, says).revision;
    const evidence = { ...gather(session, says), answers: { ...this.#answers } };
    const { milestones } = verify(judged, evidence, session.id, '0'.repeat(64), node);
    const where = node === undefined ? 'when all stages have ended' : `at the end of stage ${node}`;
    for (const { checks } of milestones)
      for (const { check, pass, evidence: seen } of checks) if (!pass) this.failed.push(`${where}: ${check}: ${seen}`);
  }
}

/** Plays a session as whoever notices every event does, and has each stage judged at its end. */
export const solvingByStage =
  (course: Course, watch: StageWatch) =>
  (session: Session): string => {
    do watch.look(session);
    while (course.step(session));
    return course.answer;
  };
