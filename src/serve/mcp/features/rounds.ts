/** Questions in revision 2026-07-28 (SEP-2322): a request ends as unfinished, and comes again with answers and the state we gave it. */
import { canonicalJson } from '../../../kit/hash.js';
import { isObject, type Params } from '../messages.js';
import { needCapabilities } from './caller.js';
import { fittingAnswer, type Questions } from './questions.js';
import type { Seal } from './seal.js';

/** Thrown out of a tool that has to wait for answers; the round, not what became of the tool, decides what is sent. */
export class Unfinished extends Error {}

export interface Round {
  ask<Q extends Questions>(questions: Q): Promise<Record<keyof Q & string, Params>>;
  /** The members of an unfinished result, when something is still to be answered. */
  unfinished(): string | undefined;
}

export interface RoundOf {
  seal: Seal;
  /** What this state may be used for: one host, method and target. */
  purpose: string;
  params: Params;
  /** The client's capabilities. */
  declared: Params;
}

/** What the state is bound to beside its host: another tool, or other arguments, is another conversation. */
export const purposeOf = (owner: string, method: string, params: Params): string =>
  canonicalJson([owner, method, params.name ?? params.uri ?? null, params.arguments ?? null]);

/** Reads what came with a request; a string says why it is not acceptable. */
export const roundOf = ({ seal, purpose, params, declared }: RoundOf): Round | string => {
  const { inputResponses = {}, requestState } = params;
  if (!isObject(inputResponses)) return 'params.inputResponses must be an object';
  if (requestState !== undefined && typeof requestState !== 'string') return 'params.requestState must be a string';
  // Answers of earlier rounds come back in the state; a client sends only those of the last.
  const earlier = requestState === undefined ? {} : seal.open(requestState, purpose);
  if (!isObject(earlier)) return 'params.requestState is not one that this request was given, or it is too old';
  const given: Params = Object.assign(Object.create(null), earlier, inputResponses);
  const settled: Params = {};
  let open: Questions | undefined;
  return {
    ask: async (questions) => {
      const answers: Params = {};
      const missing: Questions = {};
      for (const [name, question] of Object.entries(questions)) {
        const answer = fittingAnswer(question, given[name]);
        if (answer === undefined) missing[name] = question;
        else answers[name] = settled[name] = answer;
      }
      if (Object.keys(missing).length === 0) return answers as Record<keyof typeof questions & string, Params>;
      needCapabilities(declared, missing);
      open = { ...open, ...missing };
      throw new Unfinished('Waiting for the client; let this pass');
    },
    unfinished: () => {
      if (open === undefined) return undefined;
      const inputRequests = Object.fromEntries(
        Object.entries(open).map(([name, { method, params: asked = {} }]) => [name, { method, params: asked }]),
      );
      const state = JSON.stringify(seal.close(settled, purpose));
      return `"inputRequests":${JSON.stringify(inputRequests)},"requestState":${state},"resultType":"input_required"`;
    },
  };
};
