/** Where sampling acts: hosts that can be copied as they stand and judged there, in process or on a server. */
import type { Task } from '../../artifacts/task.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { TreadleError } from '../../errors.js';
import type { Session } from '../../serve/sessions/session.js';
import type { ToolHost } from '../../serve/tool-host.js';
import type { Trainer } from '../../serve/trainer.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';

/** As `VerifyRequest`: at the end of stage `at`, or as a whole. */
export interface Judging {
  answer: string;
  answers?: Record<string, string>;
  at?: string;
}

export interface SamplingHost extends ToolHost {
  /** What behind its tools cannot be copied: what an attempt does there, no retry takes back. */
  readonly unforkable: readonly string[];
  /** Another one that stands exactly where this one does: states, files, clock, calls. */
  fork(): SamplingHost | Promise<SamplingHost>;
  /** From state, calls and replies as they are now. */
  judge(request: Judging): Verdict | Promise<Verdict>;
  /** Gives back what it holds. */
  drop(): void | Promise<void>;
}

/** Refuses a host on which an attempt leaves traces that cannot be taken back. Throws `not_forkable`, before anything has run. */
export const mustFork = (host: SamplingHost): SamplingHost => {
  if (host.unforkable.length === 0) return host;
  throw new TreadleError({
    code: 'not_forkable',
    message: 'Sampling takes failed attempts back, and what is done behind these tools cannot be taken back',
    value: host.unforkable.join(', '),
    next: "Leave these servers out, describe them with keeps: 'workspace' or 'nothing' if that is true of them, or use treadle rollout.",
  });
};

/** A session in this process, which it takes over. Code tools change nothing but its states and files, so all of it forks. */
export const sessionHost = (session: Session, task: Task, hash: string): SamplingHost & { session: Session } => ({
  session,
  unforkable: [],
  tools: () => session.tools(),
  call: (name, args) => session.perform(name, args),
  fork: () => sessionHost(session.fork(session.id), task, hash),
  judge: ({ answer, answers, at }) => {
    const evidence = gather(session, answer);
    return verify(task, answers ? { ...evidence, answers } : evidence, '', hash, at);
  },
  drop: () => session.drop(),
});

/**
 * A session of a server (MegaMCP), in process or over HTTP: forks, stage verdicts and whole ones are the server's own. The
 * session must have been opened with its task; the host closes it. Throws as the server does.
 */
export const servedHost = async (trainer: Trainer, id: string): Promise<SamplingHost> => {
  const [tools, { unforkable }] = await Promise.all([trainer.tools(id), trainer.session(id)]);
  const at = (own: string): SamplingHost => ({
    unforkable,
    tools: () => tools,
    call: (tool, args) => trainer.call(own, { tool, arguments: args }),
    fork: async () => {
      const [branch] = await trainer.fork(own, { count: 1 });
      if (!branch) throw new TreadleError({ code: 'not_forkable', message: 'The server gave no branch', value: own });
      return at(branch.id);
    },
    judge: ({ answer, answers, at: stage }) =>
      trainer.verify(own, { answer, ...(answers ? { answers } : {}), ...(stage === undefined ? {} : { at: stage }) }),
    drop: async () => {
      await trainer.close(own);
    },
  });
  return at(id);
};
