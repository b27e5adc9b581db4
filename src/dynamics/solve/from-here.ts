/** Whether a task can still be done from where a session stands: tried on forks, and only what passed there counts. */
import type { Session } from '../../serve/sessions/session.js';
import { judgedOn, type Stage } from '../author/trial.js';
import { Course } from './course.js';
import { mended } from './search.js';

export interface Outlook {
  isSolvable: boolean;
  /** How it was done, or what was tried. */
  evidence: string;
}

/** What goes on with the calls that are left of a plan, each on a fork. */
const WAYS: readonly { name: string; course: (stage: Stage, session: Session) => Course }[] = [
  { name: 'the rest of the reference as events make it', course: (stage, session) => Course.joining(stage, session) },
  {
    name: 'the changed calls of the reference although they were made already',
    course: (stage, session) => Course.joining(stage, session, true),
  },
  { name: 'the whole reference again', course: (stage) => Course.of(stage) },
];

/** The session is left as it is. */
export const outlookFrom = (stage: Stage, session: Session): Outlook => {
  const tried: string[] = [];
  for (const { name, course: join } of WAYS) {
    const fork = session.fork(`${session.id}-on`);
    try {
      const before = fork.calls;
      const course = join(stage, fork);
      const answer = course.finish(fork);
      const calls = fork.calls - before;
      if (course.missed.length === 0 && judgedOn(stage, fork, answer).verdict.pass)
        return { isSolvable: true, evidence: `${name} passes: ${calls} more calls` };
      const more = mended(stage, fork, answer, course.reference.calls);
      if (more)
        return {
          isSolvable: true,
          evidence: `${name}, then ${more.map(({ tool }) => tool).join(', ')}, passes: ${calls + more.length} more calls`,
        };
      tried.push(name);
    } catch {
      // Events whose edits contradict one another at this point: another way may do.
      tried.push(`${name} (no plan)`);
    } finally {
      fork.drop();
    }
  }
  return {
    isSolvable: false,
    evidence: `none of these passes, nor with calls that mend what fails: ${tried.join('; ')}`,
  };
};
