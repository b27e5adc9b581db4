/**
 * Sessions on their way into being. The front chooses their ids before any worker hears of them: what a worker began right before it
 * ended, or a front before this one, is found under them and answered, or ended where it is not whole. Nobody is left with a session
 * that nobody was told of.
 */
import type { TreadleError } from '../../../errors.js';
import type { ForkRequest, OpenedSession, OpenRequest } from '../../api.js';
import { attempts, type Birth, type Grant, type Granting } from '../../sessions/server/grants.js';
import type { Once } from '../../trainer.js';
import type { Fleet } from './fleet.js';
import type { Router } from './router.js';
import type { Worker } from './worker.js';

export interface BirthsOptions {
  fleet: Fleet;
  router: Router;
  granting: Granting;
  /** Throws `at_capacity`. */
  needRoom(count: number): void;
  /** One that takes a session more; counts as opening it until `opening` is told otherwise. Throws `no_worker`. */
  reserve(): Promise<Worker>;
}

const AGAIN_MS = 1_000;

/** Nothing is kept of it, or nothing any more. */
const ABSENT: ReadonlySet<string> = new Set(['session_lost', 'unknown_session']);

/** A worker refused it half way, and its ids are used up. */
const ifSpent = (why: TreadleError): 'it is spent' => {
  if (why.code === 'grant_spent') return 'it is spent';
  throw why;
};

type Tried = OpenedSession[] | 'its worker ended';

export class Births {
  constructor(readonly options: BirthsOptions) {}

  open(request: OpenRequest, once: Once | undefined): Promise<OpenedSession[]> {
    const { needRoom, reserve } = this.options;
    return this.#begin({ open: request }, once, async (grants) => {
      needRoom(1);
      const worker = await reserve();
      try {
        const { value } = await worker.rpc.request('trainer', ['open', request, grants[0]]);
        return this.#admitted([value as OpenedSession], worker);
      } catch (thrown) {
        if ((thrown as TreadleError).code !== 'worker_link' || !worker.rpc.isClosed) throw thrown;
        await worker.buried;
        return 'its worker ended';
      } finally {
        worker.opening--;
      }
    });
  }

  async fork(id: string, request: ForkRequest, once: Once | undefined): Promise<OpenedSession[]> {
    const { needRoom, router } = this.options;
    let wasFound = true;
    const made = await this.#begin({ fork: id, request }, once, async (grants) => {
      needRoom(grants.length);
      const said = await router.attempt(id, 'trainer', ['fork', id, request, grants]);
      if ('ended' in said) {
        await said.ended.buried;
        return 'its worker ended';
      }
      wasFound = false;
      return this.#admitted(said.value as OpenedSession[], said.owner);
    });
    // Whoever forked it may have ended before it retired.
    if (wasFound && request.retire) await router.request(id, 'trainer', ['retire', id]);
    return made;
  }

  /** Attempts follow one another until one is answered or refused; each has sessions of its own. */
  async #begin(
    birth: Birth,
    once: Once | undefined,
    attempt: (grants: Grant[]) => Promise<Tried>,
  ): Promise<OpenedSession[]> {
    const { router, granting } = this.options;
    const made = attempts(granting, birth, once).find((grants) => grants.every(({ id }) => router.find(id)));
    const answered = made && (await this.#found(made, once));
    if (answered) return answered;
    for (let n = 0; ; n++) {
      const grants = granting.of(birth, once, n);
      if (grants.some(({ id }) => router.isGone(id))) continue;
      const isBegun = grants.some(({ id }) => router.find(id) !== undefined);
      const tried = isBegun ? 'its worker ended' : await attempt(grants).catch(ifSpent);
      if (tried === 'it is spent') continue;
      if (tried !== 'its worker ended') return tried;
      const found = await this.#found(grants, once);
      if (found) return found;
    }
  }

  #admitted(opened: OpenedSession[], owner: Worker): OpenedSession[] {
    owner.admitted += opened.length;
    for (const { id } of opened) this.options.router.add(id, owner);
    return opened;
  }

  /** All of an attempt's sessions, or none: then those that are there end. Rejects where that cannot be told now. */
  async #found(grants: readonly Grant[], once: Once | undefined): Promise<OpenedSession[] | undefined> {
    const { router, fleet } = this.options;
    fleet.moves.orphan(
      grants.filter(({ id }) => router.find(id) === undefined).map(({ id }) => router.add(id, undefined)),
    );
    const asked = await Promise.allSettled(
      grants.map(async (grant) => (await router.request(grant.id, 'trainer', ['granted', grant.id, grant])).value),
    );
    const failures = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as TreadleError] : []));
    if (failures.length === 0)
      return asked.map((one) => (one as PromiseFulfilledResult<unknown>).value as OpenedSession);
    const other = failures.find(({ code }) => !ABSENT.has(code));
    // Whoever has a key asks again, and finds what there is then.
    if (other && once?.key !== undefined) throw other;
    for (const { id } of grants) void this.#discard(id);
    if (other) throw other;
    return undefined;
  }

  /** Nobody was told of it, so nobody misses it. */
  async #discard(id: string): Promise<void> {
    const { router, fleet } = this.options;
    while (!fleet.isClosed) {
      try {
        if (!(await router.request(id, 'trainer', ['discard', id])).value) return;
        break;
      } catch (thrown) {
        if (ABSENT.has((thrown as TreadleError).code)) break;
        await fleet.options.clock.sleep(AGAIN_MS);
      }
    }
    router.forget(id);
  }
}
