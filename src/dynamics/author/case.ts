/** A scenario on trial: what the rules look at, each run made once, when it is first asked for. */
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Reference } from '../../artifacts/task.js';
import { Course, solving } from '../solve/course.js';
import { StageWatch, solvingByStage } from '../solve/stage-watch.js';
import { believing } from './believing.js';
import { type Played, type Player, type Stage, type Trial, tryOut } from './trial.js';

/** Whether a rule holds, and what was executed and seen. */
export interface Ruling {
  pass: boolean;
  evidence: string[];
}

export const holds = (...evidence: string[]): Ruling => ({ pass: true, evidence });
export const broken = (...evidence: string[]): Ruling => ({ pass: false, evidence });

/** The rows or words that it brings are no concern of the task: whoever follows them is misled. */
export const isDistractor = ({ effect }: Pick<ScenarioEvent, 'effect'>): boolean =>
  'publish' in effect && !effect.publish.authoritative;

/** The checks that fail, with their evidence. */
export const failing = ({ verdict }: Trial): string[] =>
  verdict.milestones.flatMap(({ checks }) =>
    checks.filter(({ pass }) => !pass).map(({ check, evidence }) => `${check}: ${evidence}`),
  );

/** Calls in the ledger when the event fired; undefined: it never did. */
export const firedAfter = ({ engine }: Trial, id: string): number | undefined =>
  engine.log.find((entry) => entry.event === id && entry.fate === 'fired')?.calls;

export class Case {
  readonly #open: Trial[] = [];
  readonly #kept = new Map<string, Trial>();
  #course: Course | undefined;
  #watch: StageWatch | undefined;
  #reference: Reference | undefined;

  constructor(
    readonly stage: Stage,
    readonly scenario: Pick<Scenario, 'events' | 'seed' | 'offersWait'>,
  ) {}

  /** Events that came while the reference was carried out; those that others exclude did not. */
  get events(): readonly ScenarioEvent[] {
    return this.scenario.events.filter(({ id }) => this.came(id));
  }
  came(id: string): boolean {
    return firedAfter(this.solved, id) !== undefined;
  }

  /** A run that is not kept: for doing a thing twice. */
  run(what: Played | Player): Trial {
    const trial = tryOut(this.stage, this.scenario, what);
    this.#open.push(trial);
    return trial;
  }

  #once(name: string, what: () => Played | Player): Trial {
    const known = this.#kept.get(name);
    if (known) return known;
    const trial = this.run(what());
    this.#kept.set(name, trial);
    return trial;
  }

  /** The reference that notices what fires and plans anew. */
  get solved(): Trial {
    return this.#once('solved', () => {
      const course = Course.of(this.stage);
      this.#course = course;
      if (this.stage.task.disclosure.stages.length < 2) return solving(course);
      this.#watch = new StageWatch(this.stage, course);
      return solvingByStage(course, this.#watch);
    });
  }
  /** How it went. */
  get course(): Course {
    if (!this.#course) this.solved;
    return this.#course as Course;
  }
  /** How its stages were judged at their ends, where it has several. */
  get watch(): StageWatch | undefined {
    if (!this.#course) this.solved;
    return this.#watch;
  }
  /** What it did. */
  get reference(): Reference {
    this.#reference ??= this.course.reference;
    return this.#reference;
  }
  /** Who goes on as planned, and believes what it reads. */
  get stale(): Trial {
    return this.#once('stale', () => believing(this.stage));
  }
  /** The old deeds, and yet the new answer. */
  get ignoring(): Trial {
    return this.#once('ignoring', () => ({ calls: this.stage.task.reference.calls, answer: this.reference.answer }));
  }
  /** Who does what a distractor says; the reference itself where it says nothing. */
  obeying({ id, misled }: ScenarioEvent): Trial {
    const { reference } = this.stage.task;
    const { insert, from, drop, answer = reference.answer } = misled ?? { insert: [], from: 0, drop: 0 };
    const calls = [...reference.calls.slice(0, from), ...insert, ...reference.calls.slice(from + drop)];
    return this.#once(`obeying ${id}`, () => ({ calls, answer }));
  }
  get nothing(): Trial {
    return this.#once('nothing', () => ({ calls: [], answer: '' }));
  }

  /** Gives the sessions of all runs back. */
  drop(): void {
    for (const { session } of this.#open) session.drop();
  }
}
