/** Serves one request that a feature answers: gives it its caller, follows its cancellation, and turns what it throws into a reply. */
import { randomBytes } from 'node:crypto';
import { TreadleError } from '../../../errors.js';
import type { ToolHost } from '../../tool-host.js';
import type { Outlet } from '../connection.js';
import { CAPABILITIES_KEY, LOG_LEVEL_KEY, metaOf } from '../envelope.js';
import { ACCEPTED, ErrorCode, failure, isObject, type Params, type Reply, success } from '../messages.js';
import type { Request } from '../methods.js';
import { unreachable } from './asks.js';
import { type Caller, needCapabilities, notifier } from './caller.js';
import { fittingAnswer, type Questions } from './questions.js';
import { purposeOf, type Round, roundOf, Unfinished } from './rounds.js';
import { seal } from './seal.js';

/** `work` gives the members of the result, or a Reply of its own; a TreadleError it throws about the client goes to `failed`. */
export type Serve = (
  host: ToolHost,
  request: Request,
  work: (caller: Caller) => Promise<string | Reply>,
  failed?: (error: TreadleError) => string,
) => Promise<Reply>;

const NOBODY: Outlet = { send: () => false, gone: new AbortController().signal };

/** `log` is heard from `info` up while a client of an earlier revision has not said otherwise. */
const CLASSIC_LEVEL = 'info';

/** Asks by requests of our own, all at once, and waits for every answer. */
const askClassic =
  ({ exchange }: Request, outlet: Outlet, declared: Params): Caller['ask'] =>
  async (questions) => {
    needCapabilities(declared, questions);
    const asks = exchange.connection?.asks;
    if (asks === undefined) throw unreachable('it has no session');
    const entries = await Promise.all(
      Object.entries<Questions[string]>(questions).map(async ([name, question]) => {
        const answer = fittingAnswer(question, await asks.ask(outlet, question.method, question.params ?? {}));
        if (answer !== undefined) return [name, answer] as const;
        throw new TreadleError({
          code: 'client_refused',
          message: `The client's answer to ${question.method} does not have the form of one`,
          fault: 'agent',
        });
      }),
    );
    return Object.fromEntries(entries) as Awaited<ReturnType<Caller['ask']>> & Record<string, Params>;
  };

/** `signature` closes every modern result. */
export const featureServer = (signature: string): Serve => {
  const sealed = seal();
  const owners = new WeakMap<ToolHost, string>();
  const ownerOf = (host: ToolHost): string => {
    const known = owners.get(host);
    if (known !== undefined) return known;
    const owner = randomBytes(16).toString('base64url');
    owners.set(host, owner);
    return owner;
  };

  return async (host, request, work, failed) => {
    const { id, method, params, revision, exchange } = request;
    const { connection, outlet = NOBODY } = exchange;
    const isModern = revision.era === 'modern';
    const meta = metaOf(params) ?? {};
    const declared = (isModern ? meta[CAPABILITIES_KEY] : connection?.capabilities) ?? {};
    const capabilities = isObject(declared) ? declared : {};
    let round: Round | undefined;
    if (isModern) {
      const read = roundOf({
        seal: sealed,
        purpose: purposeOf(ownerOf(host), method, params),
        params,
        declared: capabilities,
      });
      if (typeof read === 'string') return failure(id, ErrorCode.invalidParams, read);
      round = read;
    }
    const stop = new AbortController();
    const left = (): void => stop.abort();
    outlet.gone.addEventListener('abort', left);
    if (outlet.gone.aborted) left();
    const running = isModern ? undefined : connection?.running;
    running?.set(id, stop);
    const least = isModern ? meta[LOG_LEVEL_KEY] : (connection?.logLevel ?? CLASSIC_LEVEL);
    const caller: Caller = {
      signal: stop.signal,
      has: (capability) => capability in capabilities,
      ...notifier((message) => outlet.send(message), {
        least: least as string | undefined,
        token: meta.progressToken,
      }),
      ask: round?.ask ?? askClassic(request, outlet, capabilities),
      hangUp: () => outlet.hangUp?.(),
    };
    const complete = (members: string): Reply => success(id, isModern ? `{${members},${signature}}` : `{${members}}`);
    /** A tool may have caught what `ask` threw; an open question decides all the same. */
    const rest = (): Reply | undefined => {
      const members = round?.unfinished();
      return members === undefined ? undefined : success(id, `{${members}}`);
    };
    try {
      const done = await work(caller);
      if (stop.signal.aborted) return ACCEPTED;
      return rest() ?? (typeof done === 'string' ? complete(done) : done);
    } catch (thrown) {
      // Nobody waits for the answer of a cancelled request, and that it stopped is no defect.
      if (stop.signal.aborted) return ACCEPTED;
      const unfinished = thrown instanceof Unfinished ? rest() : undefined;
      if (unfinished !== undefined) return unfinished;
      if (!(thrown instanceof TreadleError) || !thrown.code.startsWith('client_')) throw thrown;
      if (thrown.code === 'client_lacks_capability') {
        const requiredCapabilities = Object.fromEntries((thrown.value as string[]).map((name) => [name, {}]));
        return failure(id, ErrorCode.missingCapability, thrown.message, isModern ? 400 : 200, { requiredCapabilities });
      }
      return failed === undefined ? failure(id, ErrorCode.internal, thrown.message) : complete(failed(thrown));
    } finally {
      outlet.gone.removeEventListener('abort', left);
      if (running?.get(id) === stop) running.delete(id);
    }
  };
};
