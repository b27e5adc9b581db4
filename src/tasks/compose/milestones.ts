/** Checks of a composed task: each stage's own, and from which later stage on they are overtaken. */
import type { AnswerSpec, Check } from '../../artifacts/check.js';
import type { Milestone } from '../../artifacts/task.js';
import { canonicalJson } from '../../kit/hash.js';

interface Live {
  check: Check;
  text: string;
}

/** A check without its name: what it asks for. */
const textOf = ({ id: _, until: __, ...asked }: Check): string => canonicalJson(asked as never);

/**
 * What holds of the final state is worked out anew after every stage, over all changes since the start; a stage's own checks are
 * those that were not asked for before, and those that are no longer asked for end there. So a stage is judged at its end by
 * what it did, and the whole by what is left of all stages.
 */
export class Milestones {
  readonly #made: Milestone[] = [];
  #live: Live[] = [];
  #next = 0;

  /** Checks on the state that a stage would add. */
  fresh(all: readonly Check[]): Check[] {
    const known = new Set(this.#live.map(({ text }) => text));
    return all.filter((check) => check.kind !== 'unchanged' && !known.has(textOf(check)));
  }

  /** Places of the stages of which nothing would be asked any more after a stage that leaves `all`. */
  overtakenBy(all: readonly Check[]): number[] {
    const texts = new Set(all.map(textOf));
    return this.#made.flatMap(({ checks }, place) => {
      const own = checks.filter(({ kind, until }) => kind !== 'unchanged' && kind !== 'answer' && until === undefined);
      return own.length > 0 && own.every((check) => !texts.has(textOf(check))) ? [place] : [];
    });
  }

  add(
    node: string,
    all: readonly Check[],
    said: { answer?: AnswerSpec | undefined; says: string; rubric: string[] },
  ): void {
    const texts = new Set(all.map(textOf));
    const known = new Set(this.#live.map(({ text }) => text));
    // The frame is every stage's own, so that each answers for what it changed besides.
    const isNew = (check: Check): boolean => check.kind === 'unchanged' || !known.has(textOf(check));
    for (const { check, text } of this.#live) if (check.kind === 'unchanged' || !texts.has(text)) check.until = node;
    this.#live = this.#live.filter(({ check }) => check.until === undefined);
    const own = all.filter(isNew).map((check): Check => ({ ...check, id: `c${++this.#next}` }));
    this.#live.push(...own.map((check) => ({ check, text: textOf(check) })));
    const asked: Check[] = said.answer ? [{ kind: 'answer', id: `c${++this.#next}`, footprint: [] }] : [];
    this.#made.push({
      id: `m_${node}`,
      node,
      checks: [...asked, ...own],
      ...(said.answer ? { answer: said.answer } : {}),
      says: said.says,
      rubric: said.rubric,
    });
  }

  all(): Milestone[] {
    return this.#made;
  }
}
