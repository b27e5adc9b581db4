/** One rollout at the gateway: its token, its budget, what was said. */
import { TreadleError } from '../../errors.js';
import { isExact } from '../../models/exact/token-client.js';
import { serverOf } from '../../models/post.js';
import type { Retries } from '../../models/retry.js';
import { mintToken } from '../../serve/http/tokens.js';
import type { Asked, Writer } from './asked.js';
import { conversations } from './conversations.js';
import { type ExactAnswerer, exactFrom } from './exact.js';
import { BUDGETS, isClientsOwn } from './failures.js';
import { purse } from './purse.js';
import { type Answerer, relayTo, type Way } from './relay.js';
import type { Backend, Budget, GatewayRollout, Recording } from './types.js';

export interface Asking {
  asked: Asked;
  writer: Writer;
  /** Aborted when the client goes away, or when the rollout ends. */
  calling: AbortController;
  drained(signal: AbortSignal): Way['drained'];
}

export interface OpenRollout extends Omit<GatewayRollout, 'openaiBaseUrl' | 'anthropicBaseUrl'> {
  backend: Backend;
  /** Answers, or says why not; never throws. */
  answer(asking: Asking): Promise<void>;
  /** Tokens of a prompt: exact where the backend's kind allows, else a guess. Throws as a ModelClient. */
  count(asked: Asked): Promise<number>;
}

export interface OpenOptions {
  backend: Backend;
  budget?: Budget;
  signal?: AbortSignal;
}

const closed = (message: string): TreadleError =>
  new TreadleError({ code: 'cut', message, fault: 'infrastructure', next: 'Open a rollout of its own.' });

/** Characters that are taken for a token where a backend cannot count. */
const CHARS_A_TOKEN = 4;

const answererOf = (backend: Backend, retries: Retries, silenceMs: number): ExactAnswerer => {
  const { kind } = backend;
  if (isExact(kind)) return exactFrom({ ...backend, kind }, retries, silenceMs);
  const answer: Answerer = relayTo(backend, serverOf(backend, silenceMs), retries);
  const guess = ({ messages, tools }: Asked): number =>
    Math.ceil(JSON.stringify([messages, tools]).length / CHARS_A_TOKEN);
  return { answer, count: (asked) => Promise.resolve(guess(asked)) };
};

/** Throws `bad_endpoint` and `bad_budget`. */
export const openRollout = (
  { backend, budget = {}, signal }: OpenOptions,
  retries: Retries,
  silenceMs: number,
  onClose: () => void,
): OpenRollout => {
  const money = purse(budget, backend.prices);
  const answerer = answererOf(backend, retries, silenceMs);
  const said = conversations();
  const over = new AbortController();
  const underway = new Set<AbortController>();
  const endAll = (): void => {
    over.abort();
    for (const calling of underway) calling.abort();
  };
  let exchanges = 0;
  let retried = 0;
  /** Failures in a row that were passed on; the last of them, until an answer succeeds. */
  let failures = 0;
  let failure: TreadleError | undefined;
  let end: TreadleError | undefined;
  let recording: Recording | undefined;
  let tell: (error: TreadleError) => void = () => {};
  const spent = new Promise<TreadleError>((resolve) => {
    tell = resolve;
  });
  const finish = (error: TreadleError): void => {
    end ??= error;
    tell(end);
  };
  const callOff = (): void => {
    finish(closed('The rollout was called off'));
    endAll();
  };
  if (signal?.aborted) callOff();
  signal?.addEventListener('abort', callOff, { once: true });

  /** A backend that failed before anything was passed on was tried often enough; one that breaks off may be asked again. */
  const blame = (error: TreadleError, writer: Writer): void => {
    if (isClientsOwn(error) || error.code === 'context_exceeded') return;
    failure = error;
    failures++;
    if (!writer.hasBegun() || failures > retries.most) finish(error);
  };

  const limited = (asked: Asked): Asked => {
    const left = money.left();
    if (left === undefined) return asked;
    const body = { ...asked.body };
    for (const name of ['max_tokens', 'max_completion_tokens'])
      if (typeof body[name] === 'number') body[name] = Math.min(body[name], left);
    return { ...asked, body };
  };

  const answer = async ({ asked, writer, calling, drained }: Asking): Promise<void> => {
    let isAdmitted = false;
    const { signal: either } = calling;
    underway.add(calling);
    try {
      if (recording || end) throw end ?? closed('The rollout is closed');
      await money.admit();
      isAdmitted = true;
      if (recording || end) throw end ?? closed('The rollout is closed');
      const way: Way = {
        asked: limited(asked),
        writer,
        signal: either,
        drained: drained(either),
        onRetry: () => {
          retried++;
        },
      };
      const given = await answerer.answer(way);
      isAdmitted = false;
      money.settle(given.reply, asked.messages);
      if (recording) throw closed('The rollout is closed');
      exchanges++;
      failures = 0;
      failure = undefined;
      // The client need not wait until it is written down; its next request comes after that all the same.
      writer.done(given);
      said.add(asked, given.reply);
    } catch (thrown) {
      if (isAdmitted) money.settle();
      const error =
        thrown instanceof TreadleError
          ? thrown
          : new TreadleError({
              code: 'gateway_failed',
              message: `The gateway failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
              fault: 'infrastructure',
              next: 'This is a defect: please report it with what the harness sent.',
            });
      if ((BUDGETS as readonly string[]).includes(error.code)) finish(error);
      else if (!either.aborted && !recording && !end) blame(error, writer);
      writer.fail(error);
    } finally {
      underway.delete(calling);
    }
  };

  const close = (): Recording => {
    if (recording) return recording;
    const problem = end ?? failure;
    const main = said.main();
    recording = {
      messages: main?.messages ?? [],
      tools: (main?.tools ?? []).map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: parameters,
      })),
      usage: money.usage(),
      ...(main?.tokens ? { tokens: main.tokens } : {}),
      facts: {
        dialect: main?.dialect ?? 'openai',
        exchanges,
        retried,
        rewritten: main?.rewritten ?? false,
        ...(main?.weights.length ? { weights: main.weights } : {}),
      },
      ...(problem ? { problem } : {}),
    };
    signal?.removeEventListener('abort', callOff);
    endAll();
    onClose();
    return recording;
  };
  const count = (asked: Asked): Promise<number> => answerer.count(asked, over.signal);
  return { token: mintToken(), backend, spent, answer, count, close };
};
