/** What an agent may do in a step, read from whatever a client sent: an object, JSON text, or either one under `action`. */
import { z } from 'zod';
import { TreadleError } from '../../../errors.js';
import { Labels } from '../../api.js';
import { parseJson } from '../json-request.js';
import { isRecord } from '../record.js';
import { LONGEST_ANSWER } from '../reward.js';

const metadata = z.unknown().optional();

const Action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('list_tools'), metadata }),
  z.strictObject({
    type: z.literal('call_tool'),
    tool_name: z.string().min(1).max(256),
    /** Checked by the tool itself: unfit ones are the agent's to see. */
    arguments: z.unknown().optional(),
    metadata,
  }),
  z.strictObject({ type: z.literal('finish'), answer: z.unknown().optional(), metadata }),
]);

export type Action =
  | { type: 'list_tools' }
  | { type: 'call_tool'; tool: string; args: unknown }
  | { type: 'finish'; answer: string };

export const FINISH = 'finish';

const bad = (message: string, value?: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_action',
    message,
    value,
    next: 'Send {"type":"list_tools"}, {"type":"call_tool","tool_name":...,"arguments":{...}} or {"type":"finish","answer":...}.',
  });

/** An answer as text: what is no text already is what a model wrote as JSON. */
export const answerText = (answer: unknown): string => {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? '');
  return answer === undefined || answer === null ? '' : text.slice(0, LONGEST_ANSWER);
};

/** Python's models fill in `type`, so a bare tool name is a call. */
const typed = (value: Record<string, unknown>): Record<string, unknown> =>
  value.type === undefined && typeof value.tool_name === 'string' ? { ...value, type: 'call_tool' } : value;

/** Throws `bad_action`. JSON text and an `action` wrapper are looked through, each once. */
export const readAction = (data: unknown): Action => {
  let value = data;
  for (let layer = 0; layer < 3 && !(isRecord(value) && !('action' in value)); layer++) {
    if (isRecord(value)) {
      value = value.action;
    } else if (typeof value === 'string') {
      const parsed = parseJson(value);
      if ('fault' in parsed) throw bad(`The action is text, but no JSON: ${parsed.fault}`, value);
      value = parsed.value;
    }
  }
  if (!isRecord(value)) throw bad('An action is an object', value);
  const result = Action.safeParse(typed(value));
  if (!result.success) {
    const [issue] = result.error.issues;
    throw bad(`This is no action: ${issue?.path.join('.') || 'type'}: ${issue?.message}`, value.type);
  }
  const action = result.data;
  if (action.type === 'call_tool') return { type: 'call_tool', tool: action.tool_name, args: action.arguments ?? {} };
  if (action.type === 'finish') return { type: 'finish', answer: answerText(action.answer) };
  return { type: 'list_tools' };
};

/** Others may hold more than this; gyms send what their own environments take. */
const Reset = z.looseObject({
  task: z.string().min(1).max(256).nullish(),
  task_id: z.string().min(1).max(256).nullish(),
  scenario: z.string().min(1).max(256).nullish(),
  world: z.string().min(1).max(256).nullish(),
  seed: z.number().int().min(0).nullish(),
  episode_id: z.string().max(255).nullish(),
  labels: Labels.nullish(),
});

export interface ResetRequest {
  task?: string | undefined;
  /** A dynamic task; its static task need not be named. */
  scenario?: string | undefined;
  world?: string | undefined;
  seed?: number | undefined;
  episodeId?: string | undefined;
  labels?: Labels | undefined;
}

/** Throws `bad_reset`. */
export const readReset = (data: unknown): ResetRequest => {
  const result = Reset.safeParse(data ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new TreadleError({
      code: 'bad_reset',
      message: `The reset data do not fit: ${issue?.path.join('.') || 'data'}: ${issue?.message}`,
      next: 'Send {"task":...}, {"scenario":...} or {"world":...}, with seed, episode_id and labels where wanted.',
    });
  }
  const { task, task_id, scenario, world, seed, episode_id, labels } = result.data;
  return {
    task: task ?? task_id ?? undefined,
    scenario: scenario ?? undefined,
    world: world ?? undefined,
    seed: seed ?? undefined,
    episodeId: episode_id ?? undefined,
    labels: labels ?? undefined,
  };
};
