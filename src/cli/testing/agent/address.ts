/** An agent that is a service: it is posted a task and answers when it is done. */
import { asTreadleError, TreadleError } from '../../../errors.js';
import { cappedFetch } from '../../../models/capped-fetch.js';
import { deadlineOf } from '../../../rollout/deadline.js';
import type { AgentFinish, AgentTask, TestedAgent } from './agent.js';

const failed = (code: string, message: string, fault: string): AgentFinish => ({
  finish: 'error',
  answer: '',
  problem: { code, message, fault },
});

/** `{"answer": ...}`, a JSON string, or plain text. */
const answerIn = (text: string): string => {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'string') return value.trim();
    const answer = (value as { answer?: unknown } | null)?.answer;
    if (typeof answer === 'string' || typeof answer === 'number') return String(answer).trim();
  } catch {
    // Plain text.
  }
  return text.trim();
};

const post = async (url: string, body: object, signal: AbortSignal): Promise<AgentFinish> => {
  let response: Response;
  try {
    const headers = { 'content-type': 'application/json' };
    response = await cappedFetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const why =
      thrown instanceof Error ? ((thrown.cause as Error | undefined)?.message ?? thrown.message) : String(thrown);
    return failed('agent_unreachable', `The agent's address cannot be reached: ${why}`, 'infrastructure');
  }
  const text = await response.text();
  if (response.ok) return { finish: 'answered', answer: answerIn(text) };
  return failed(
    'agent_status',
    `The agent answered with status ${response.status}: ${text.trim().slice(0, 300)}`,
    'policy',
  );
};

/** Throws `bad_option` for what is no http address. */
export const addressAgent = (url: string, timeoutMs: number): TestedAgent => {
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new TreadleError({
      code: 'bad_option',
      message: '--agent-url takes an http address',
      value: url,
      next: 'Give for example --agent-url http://127.0.0.1:9000/run.',
    });
  const run = async ({ task, system, mcpUrl, mcpToken, signal }: AgentTask): Promise<AgentFinish> => {
    const deadline = deadlineOf(timeoutMs, signal);
    const timeout = Math.ceil(timeoutMs / 1000);
    const body = { task, system, mcp_url: mcpUrl, mcp_token: mcpToken, timeout_seconds: timeout };
    try {
      return await deadline.within(() => post(url, body, deadline.signal));
    } catch (thrown) {
      const error = asTreadleError(thrown, 'infrastructure', 'agent_broke_off');
      const isOver = error.code === 'deadline' || error.code === 'cut';
      return { ...failed(error.code, error.line(), error.fault), finish: isOver ? 'cut' : 'error' };
    } finally {
      deadline.clear();
    }
  };
  return { name: url, producer: { policy: 'harness', name: 'service' }, run };
};
