/** What a server can ask of its client, and what counts as an answer. */
import { isObject, type Params } from '../messages.js';

export type Question =
  | { method: 'elicitation/create'; params: Params }
  | { method: 'sampling/createMessage'; params: Params }
  | { method: 'roots/list'; params?: Params };

/** By a name of the server's own. */
export type Questions = Record<string, Question>;

const ANSWERS: Record<Question['method'], { capability: string; fits: (answer: Params) => boolean }> = {
  'elicitation/create': {
    capability: 'elicitation',
    fits: ({ action, content }) =>
      ['accept', 'decline', 'cancel'].includes(action as string) && (content === undefined || isObject(content)),
  },
  'sampling/createMessage': {
    capability: 'sampling',
    fits: ({ role, content, model }) =>
      typeof role === 'string' && typeof model === 'string' && (isObject(content) || Array.isArray(content)),
  },
  'roots/list': {
    capability: 'roots',
    fits: ({ roots }) => Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root.uri === 'string'),
  },
};

/** Which client capability a question needs. */
export const capabilityFor = ({ method }: Question): string => ANSWERS[method].capability;

/** The answer, when it has the form that the question calls for; else undefined. */
export const fittingAnswer = ({ method }: Question, answer: unknown): Params | undefined =>
  isObject(answer) && ANSWERS[method].fits(answer) ? answer : undefined;
