/** An agent that is a command: started once a run, its answer is what it prints. */
import { TreadleError } from '../../../errors.js';
import type { Backend, Gateway, GatewayRollout } from '../../../rollout/gateway/types.js';
import { findProgram, searchPath } from '../../../rollout/harness/search-path.js';
import { commandHarness } from '../../../rollout/harness/template.js';
import type { AgentFinish, AgentTask, TestedAgent } from './agent.js';
import { type AgentEnd, runAgent } from './program.js';

export interface CommandOptions {
  command: string;
  isolated: boolean;
  env: readonly string[];
  timeoutMs: number;
  /** Its model is asked through a gateway, which records what is said. */
  model?: { gateway: Gateway; backend: Backend };
}

/** Places and variables that mean a gateway. */
const NEEDS_MODEL = /\{(model|model_base_url|anthropic_base_url|model_token)\}/;

const check = ({ command, model }: CommandOptions): void => {
  const [place] = NEEDS_MODEL.exec(command) ?? [];
  if (place !== undefined && !model)
    throw new TreadleError({
      code: 'bad_command',
      message: 'The command has a place for a model, and no model is given',
      value: place,
      next: 'Add --base-url URL --model NAME, or take it out: an agent may bring a model of its own.',
    });
};

const said = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? '';

/** What a process's end means: how an agent ends is its own doing, whatever it was; only what keeps it from starting is not. */
const finishOf = ({ exit, stopped, stdout, stderr }: AgentEnd): AgentFinish => {
  const tail = stderr.slice(-4_000);
  const kept = tail.trim() === '' ? {} : { stderr: tail };
  if (stopped) {
    const problem = { code: stopped.code, message: stopped.line(), fault: stopped.fault };
    const isOver = stopped.code === 'deadline' || stopped.code === 'cut';
    return { finish: isOver ? 'cut' : 'error', answer: '', problem, ...kept };
  }
  const { code = null, signal = null } = exit ?? {};
  if (code === 0) return { finish: 'answered', answer: stdout.trim(), ...kept };
  const how = signal === null ? `with status ${code}` : `by ${signal}`;
  const complaint = said(stderr) || said(stdout);
  const message = `The agent ended ${how}${complaint === '' ? '' : `: ${complaint}`}`;
  return { finish: 'error', answer: '', problem: { code: 'agent_exit', message, fault: 'policy' }, ...kept };
};

/** What a gateway has against the backend is not the agent's doing. */
const withRecording = (finish: AgentFinish, rollout: GatewayRollout): AgentFinish => {
  const recording = rollout.close();
  const { problem } = recording;
  if (!problem) return { ...finish, recording };
  const own = { code: problem.code, message: problem.line(), fault: problem.fault };
  return { ...finish, finish: 'error', answer: '', problem: own, recording };
};

/** Throws `bad_command`, and `cannot_start` where there is no such program. */
export const commandAgent = (options: CommandOptions): TestedAgent => {
  const { command, isolated, env, timeoutMs, model } = options;
  check(options);
  const harness = commandHarness(command);
  const place = { task: '', system: '', model: model?.backend.model ?? '', mcpUrl: '', mcpToken: '', workdir: '' };
  const none = { ...place, openaiBaseUrl: '', anthropicBaseUrl: '', modelToken: '', timeoutSeconds: 0 };
  const { command: program } = harness.command(none);
  if (findProgram(program, searchPath()) === undefined)
    throw new TreadleError({
      code: 'cannot_start',
      message: 'There is no such program',
      value: program,
      next: 'Check its spelling and that it is executable. A script needs its interpreter: python3 agent.py.',
    });
  const run = async ({ task, system, mcpUrl, mcpToken, signal }: AgentTask): Promise<AgentFinish> => {
    const rollout = model?.gateway.open({ backend: model.backend, ...(signal ? { signal } : {}) });
    const end = await runAgent({
      command: (workdir) => {
        const made = harness.command({
          ...none,
          task,
          system,
          mcpUrl,
          mcpToken,
          workdir,
          openaiBaseUrl: rollout?.openaiBaseUrl ?? '',
          anthropicBaseUrl: rollout?.anthropicBaseUrl ?? '',
          modelToken: rollout?.token ?? '',
          timeoutSeconds: Math.ceil(timeoutMs / 1000),
        });
        const told = { TREADLE_WORKDIR: workdir, TREADLE_TIMEOUT: String(Math.ceil(timeoutMs / 1000)) };
        // Without a gateway the agent's own keys and addresses stand.
        const ours = Object.entries(made.env).filter(
          ([name]) => rollout !== undefined || /^TREADLE_(?!MODEL$)/.test(name),
        );
        return { ...made, env: { ...Object.fromEntries(ours), ...told } };
      },
      isolated,
      env,
      timeoutMs,
      signal,
    });
    const finish = finishOf(end);
    return rollout ? withRecording(finish, rollout) : finish;
  };
  return {
    name: command,
    producer: {
      policy: 'harness',
      name: 'command',
      ...(model ? { model: model.backend.model } : {}),
    },
    run,
  };
};
