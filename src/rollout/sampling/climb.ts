/**
 * Prefix-preserving rejection sampling, stage by stage (weft.txt 3.3.1): what passes is kept, what fails is dropped and tried
 * again from history, user, tokens, ledger, clock and state exactly as they were before the stage.
 */
import type { Message, Producer } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { addressOf, type Json } from '../../kit/hash.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { ask, type End, offeredTools } from '../loop.js';
import { traceOf } from '../rollout.js';
import { beginRun, forkRun, type Run } from '../run.js';
import { GAVE_AWAY } from '../users/fault.js';
import { dismiss, type Stand, type Tried, tryStage, userSaid } from './attempt.js';
import { addCost, type Cost, noCost, sumOf } from './cost.js';
import { mustFork } from './host.js';
import {
  type Attempt,
  attemptLimits,
  attemptSeed,
  type Ended,
  type Judged,
  producerOf,
  type Ready,
  sampledId,
} from './plan.js';
import type { SampledStage } from './stages.js';

/** Physical tries of one attempt: what the infrastructure breaks is no failure of the policy's (weft.txt, Table 4). */
const PHYSICAL = 2;

/** What failed first, in one line. */
const whyFailed = ({ verdict, end }: Tried): string => {
  const check = verdict.milestones.flatMap(({ checks }) => checks).find(({ pass }) => !pass);
  if (end.finish !== 'answered') return end.problem?.message ?? `the attempt ended by ${end.finish}`;
  return check ? `${check.check} (${check.kind}): ${check.evidence}` : 'its milestone does not hold';
};

const segmentOf = ({ stand }: Tried, from: number): string =>
  JSON.stringify(stand.run.messages.slice(from).map(({ content, toolCalls = [] }) => [content, toolCalls]));

export interface ClimbSettings {
  plan: Ready;
  /** Of the logical rollout: kept trajectory and dropped attempts share it. */
  id: string;
  producer: Producer;
}

/** `method` tells its rollouts from those of others by the same producer. */
export const climbSettings = (plan: Ready, method: Record<string, Json>): ClimbSettings => {
  const producer = producerOf(plan);
  return { plan, producer, id: sampledId(plan, producer, { ...method, retries: plan.retries }) };
};

/** The run with the pointer to its stage below; tokens that hold a pointer are not those of the history that is kept. */
const pointed = (run: Run, pointer: Message): Run => {
  const out = forkRun(run);
  out.messages.push(pointer);
  out.track.add(undefined);
  return out;
};

/** The history without the pointer to its stage and, where it only told that the stage is done, without the reply that did. */
const cleared = (run: Run, pointer: Message, keepsReply: boolean): Run => {
  const end = keepsReply ? run.messages.length : run.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = run.messages.filter((message, at) => message !== pointer && at < end);
  return { ...run, messages };
};

export class Climb {
  readonly kept = noCost();
  readonly dropped = noCost();
  readonly negatives: Judged[] = [];
  readonly passed: { node: string; attempts: number }[] = [];
  ended: Ended | undefined;
  /** How the last stage ended, and the verdict on the whole. */
  end: End | undefined;
  whole: Verdict | undefined;

  private constructor(
    readonly settings: ClimbSettings,
    readonly tools: readonly SessionTool[],
    public stand: Stand,
  ) {}

  /** Throws `not_forkable`, before anything has run, and what opening a host throws. */
  static async open(settings: ClimbSettings): Promise<Climb> {
    const { plan } = settings;
    const host = await plan.open();
    try {
      mustFork(host);
      const run = beginRun(plan.task, plan.prompt, plan.user?.());
      const tools = offeredTools({ host, ...(plan.prompt ? { prompt: plan.prompt } : {}) });
      return new Climb(settings, tools, { host, run, answers: {}, verdicts: [] });
    } catch (thrown) {
      await host.drop();
      throw thrown;
    }
  }

  get spent(): Cost {
    return sumOf([this.kept, this.dropped]);
  }

  /** Has the stage asked for; false where that broke, and `ended` says why. Its request then belongs to what is kept. */
  async ask(stage: SampledStage): Promise<boolean> {
    const { plan } = this.settings;
    const place = { limits: attemptLimits(plan, 1), ...(plan.signal ? { signal: plan.signal } : {}) };
    for (let n = 1; ; n++) {
      const run = forkRun(this.stand.run);
      const end = await ask(run, place);
      const { problem } = end ?? userSaid(run, stage.node);
      if (n < PHYSICAL && (end?.finish === 'error' || problem?.fault === 'user')) continue;
      if (!end && problem?.code !== GAVE_AWAY) {
        this.stand = { ...this.stand, run };
        return true;
      }
      this.end = end ?? { finish: 'error', answer: '', ...(problem ? { problem } : {}) };
      const why = end ? (end.finish === 'cut' ? 'cut' : 'infrastructure') : 'user';
      return this.#give(why, stage.node, 0, problem?.message ?? this.end.finish);
    }
  }

  /** Tries the stage until an attempt passes, and keeps that; false where none did, and `ended` says why. */
  async take(stage: SampledStage): Promise<boolean> {
    const { plan } = this.settings;
    const from = this.stand;
    const pointer: Message | undefined = stage.asks === undefined ? undefined : { role: 'user', content: stage.asks };
    const stand = pointer ? { ...from, run: pointed(from.run, pointer) } : from;
    const seen = new Set<string>();
    let last: Tried | undefined;
    for (let n = 1; n <= plan.retries + 1; n++) {
      const seed = attemptSeed(plan, stage.node, n);
      const attempt: Attempt = { node: stage.node, attempt: n, seed };
      const tried = await this.#physical(stand, stage, attempt);
      plan.onAttempt?.(attempt, tried.passed);
      if (tried.passed) {
        await this.#keep(tried, stage, n, pointer);
        return true;
      }
      if (tried.broken === undefined) this.#remember(tried, stage, n, pointer);
      seen.add(segmentOf(tried, stand.run.messages.length));
      await dismiss(tried, this.dropped);
      last = tried;
      if (tried.broken === undefined) continue;
      this.end = tried.end;
      const told = tried.end.problem?.message ?? whyFailed(tried);
      return this.#give(tried.broken, stage.node, n, told);
    }
    const tries = plan.retries + 1;
    const alike = tries > 1 && seen.size === 1 ? ', all of them alike' : '';
    const why = `${stage.node} failed ${tries === 1 ? 'its only attempt' : `all ${tries} attempts`}${alike}; the last: ${whyFailed(last as Tried)}`;
    return this.#give('never_passed', stage.node, tries, why);
  }

  async drop(): Promise<void> {
    await this.stand.host.drop();
  }

  /** The attempt, made again where the infrastructure broke it. */
  async #physical(stand: Stand, stage: SampledStage, attempt: Attempt): Promise<Tried> {
    const { plan, id: trace } = this.settings;
    for (let n = 1; ; n++) {
      const place = { tools: this.tools, spent: this.spent, trace };
      const tried = await tryStage(plan, stand, stage, plan.policyFor(attempt), place);
      const isOthers = tried.broken === 'infrastructure' || tried.broken === 'user';
      if (!isOthers || n === PHYSICAL) return tried;
      await dismiss(tried, this.dropped);
    }
  }

  async #keep(tried: Tried, stage: SampledStage, attempts: number, pointer: Message | undefined): Promise<void> {
    const { stand, cost, end, whole } = tried;
    const before = this.stand.host;
    this.stand = pointer ? { ...stand, run: cleared(stand.run, pointer, stage.isLast) } : stand;
    this.passed.push({ node: stage.node, attempts });
    addCost(this.kept, cost);
    if (stage.isLast) [this.end, this.whole] = [end, whole];
    await before.drop();
  }

  /** Keeps a failed attempt as it went, with its verdict. One that did what was asked and never said so is no negative. */
  #remember(tried: Tried, stage: SampledStage, attempt: number, pointer: Message | undefined): void {
    if (tried.verdict.pass) return;
    const { plan, id: rollout, producer } = this.settings;
    const { hash, task, detail, limits } = plan;
    const { node } = stage;
    const id = addressOf({ rollout, node, attempt });
    const run = pointer ? cleared(tried.stand.run, pointer, true) : tried.stand.run;
    const user = plan.user ? 'simulated' : 'none';
    const trace = traceOf(run, tried.end, { id, hash, task, producer, user, detail, limits });
    const from = this.stand.run.messages.length;
    this.negatives.push({
      trace: { ...trace, origin: { kind: 'negative', rollout, node, attempt, from } },
      verdict: { ...tried.verdict, trace: id },
      stages: tried.stand.verdicts.map((verdict) => ({ ...verdict, trace: id })),
    });
  }

  #give(why: Ended['why'], node: string, attempts: number, message: string): false {
    this.ended = { why, node, attempts, message };
    return false;
  }
}
