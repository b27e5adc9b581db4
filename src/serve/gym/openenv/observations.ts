/** What a reset or a step answers, in OpenEnv's form: the observation, with reward and done beside it. */
import type { Json } from '../../../kit/hash.js';
import type { CallOutcome, SessionTool } from '../../tool-host.js';
import type { Reward } from '../reward.js';
import { FINISH } from './actions.js';

export interface StepResult {
  observation: Record<string, Json>;
  /** Null until the episode is finished. */
  reward: number | null;
  done: boolean;
  metadata: Record<string, Json>;
}

/** How an agent that knows nothing but tools ends its episode. */
const FINISH_TOOL = {
  name: FINISH,
  description: 'Ends the episode. Give the answer to what was asked; an empty text when nothing was asked.',
  input_schema: {
    type: 'object',
    properties: { answer: { type: 'string', description: 'Just what was asked for.' } },
    required: ['answer'],
    additionalProperties: false,
  },
};

export interface ShownTool {
  name: string;
  description: string;
  input_schema: object;
}

/** A service's own tool called `finish` keeps its name; then only the action of that type ends the episode. */
export const shownTools = (tools: readonly SessionTool[]): ShownTool[] => {
  const own = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  return own.some(({ name }) => name === FINISH) ? own : [...own, FINISH_TOOL];
};

const wordsOf = (result: Json, code: string): string => {
  const inner = (result as { error?: { message?: unknown } } | null)?.error?.message;
  return typeof inner === 'string' ? inner : `The tool failed: ${code}`;
};

const ERROR_TYPES: Record<string, string> = {
  unknown_tool: 'tool_not_found',
  invalid_argument: 'invalid_args',
  missing_argument: 'invalid_args',
  unknown_argument: 'invalid_args',
};

/** The result holds what the agent sees of an error too; `error` says of what kind it is. `notices`: what a scenario tells now. */
export const callObservation = (tool: string, { result, error, notices }: CallOutcome): Record<string, Json> => ({
  tool_name: tool,
  result,
  error: error
    ? { error_type: ERROR_TYPES[error.code] ?? 'execution_error', message: wordsOf(result, error.code) }
    : null,
  ...(notices ? { notices: notices.map(({ to, text }) => ({ from: to, text })) } : {}),
});

/**
 * A result with its metadata in both places: OpenEnv's clients read it in the observation until 0.3, and beside it since, and
 * typed ones keep nothing else of an observation that they have no class for.
 */
export const stepResult = (
  observation: Record<string, Json>,
  metadata: Record<string, Json>,
  end?: { reward: number },
): StepResult => ({
  observation: { ...observation, metadata },
  reward: end?.reward ?? null,
  done: end !== undefined,
  metadata,
});

/** The episode's last observation. It has a call's form, so that clients that only call tools can read it. */
export const finishResult = ({ reward, milestones, reached, invalid }: Reward): StepResult =>
  stepResult(
    { tool_name: FINISH, result: { done: true, reward }, error: null },
    { milestones, reached, ...(invalid ? { invalid: 'The verifier broke: this reward measures nothing' } : {}) },
    { reward },
  );
