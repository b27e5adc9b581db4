/** An agent under test as a way to perform rollouts: it is told the task and where its tools are, over MCP, and acts by itself. */
import type { LedgerEntry, Message, Producer, Trace } from '../../../artifacts/trace.js';
import type { Recording } from '../../../rollout/gateway/types.js';
import { ourNames, withOurNames } from '../../../rollout/harness/names.js';
import { type ToolDoor, written } from '../../../rollout/harness/tools-door.js';
import { observationText } from '../../../rollout/observation.js';
import { openingMessages, requestText, systemText } from '../../../rollout/prompt.js';
import { type Rollout, traceId } from '../../../rollout/rollout.js';

export interface AgentTask {
  /** The whole request, and the instructions that stand above it. */
  task: string;
  system: string;
  mcpUrl: string;
  mcpToken: string;
  signal?: AbortSignal | undefined;
}

export type AgentFinish = Pick<Trace, 'finish' | 'answer' | 'problem'> & {
  /** The end of what it wrote on its error output. */
  stderr?: string;
  /** What a gateway recorded, where the agent's model was ours. */
  recording?: Recording;
};

export interface TestedAgent {
  /** For people: the command, the address, the policy. */
  name: string;
  producer: Producer;
  run(task: AgentTask): Promise<AgentFinish>;
  close?(): Promise<void>;
}

/** How a client names our tools (`treadle__x`, `mcp__treadle__x`), mapped back to ours. */
const PREFIX = /^(?:mcp(?:__|_|\.))?treadle(?:__|_|[.:/-])/;
const toolName = (shown: string): string => shown.replace(PREFIX, '');

/** Without a gateway nobody saw what the agent thought: its calls are there, its words are not. */
const messagesFrom = (opening: readonly Message[], ledger: readonly LedgerEntry[], answer: string): Message[] => [
  ...opening,
  ...ledger.flatMap(({ index, tool, args, result }): Message[] => {
    const id = `call_${index}`;
    const isObject = args !== null && typeof args === 'object' && !Array.isArray(args);
    const call = isObject
      ? { id, name: tool, arguments: args as Record<string, never> }
      : { id, name: tool, arguments: {}, malformed: JSON.stringify(args) };
    return [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: observationText(result, 16_000), toolCallId: id, name: tool },
    ];
  }),
  ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
];

const usageOf = (recording: Recording | undefined, calls: number): Trace['usage'] => {
  const { turns = calls, promptTokens, completionTokens, cost } = recording?.usage ?? {};
  return {
    turns,
    calls,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
};

/** `onEnd` hears what the agent wrote on its error output. */
export const performBy =
  (agent: TestedAgent, door: ToolDoor, onEnd: (trace: string, stderr: string) => void) =>
  async (
    { host, task, prompt = {}, sample = { seed: '0', index: 0 }, signal }: Rollout,
    hash: string,
  ): Promise<Trace> => {
    const { detail = 'full' } = prompt;
    const ours = ourNames({ toolName }, host.tools());
    const kept = written(host, ours);
    const admission = door.admit(kept.host);
    let end: AgentFinish;
    try {
      end = await agent.run({
        task: requestText(task, detail),
        system: prompt.system ?? systemText(task, prompt),
        mcpUrl: admission.url,
        mcpToken: admission.token,
        signal,
      });
    } finally {
      admission.end();
    }
    const { stderr, recording, ...ended } = end;
    const ledger = [...kept.ledger];
    const id = traceId(hash, agent.producer, sample.seed, sample.index, { detail });
    if (stderr) onEnd(id, stderr);
    const recorded = withOurNames(recording?.messages ?? [], ours);
    return {
      treadle: 'trace/1',
      id,
      task: hash,
      taskId: task.id,
      world: task.world,
      snapshot: task.snapshot,
      producer: agent.producer,
      user: 'none',
      detail,
      messages: recorded.length > 0 ? recorded : messagesFrom(openingMessages(task, prompt), ledger, ended.answer),
      ledger,
      events: [],
      ...ended,
      usage: usageOf(recording, ledger.length),
      ...(recording?.tokens ? { tokens: recording.tokens } : {}),
      ...(recording ? { gateway: recording.facts } : {}),
    };
  };
