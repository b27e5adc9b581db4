/**
 * verl: rows of its RLHF dataset for multi-turn rollouts (`data_source`, `prompt`, `ability`, `reward_model`, `extra_info`, and
 * `agent_name`, which picks the agent loop). verl makes and releases a tool for every call, so the session is opened by the loop.
 */

import type { Row } from '../../tables/shape.js';
import { CLIENT } from '../adapters/client.js';
import { VERL_ADAPTER } from '../adapters/verl.js';
import { ABOUT, aboutOf, CHAT, chatTools, type RlFormat } from './format.js';

export const VERL_AGENT = 'treadle_agent';

export const verl: RlFormat = {
  id: 'verl',
  describes:
    'verl dataset rows: `data_source`, `agent_name`, `prompt`, `ability`, `reward_model` and `extra_info` with `tools_kwargs` and `tool_selection`; `tools` is JSON text. `reward_model.ground_truth` names the task: the truth itself stays with the server.',
  door: { flag: '--openenv-port', server: 'http://127.0.0.1:8000' },
  columns: {
    data_source: 'text',
    agent_name: 'text',
    prompt: CHAT,
    ability: 'text',
    reward_model: { fields: { style: 'text', ground_truth: 'text' } },
    tools: 'text',
    extra_info: {
      fields: {
        ...ABOUT,
        split: 'text',
        index: 'whole',
        need_tools_kwargs: 'truth',
        tools_kwargs: {
          fields: {
            treadle: { fields: { create_kwargs: { fields: { server: 'text', task: 'text', scenario: 'text' } } } },
          },
        },
        tool_selection: { list: 'text' },
        interaction_kwargs: { fields: { name: 'text', task: 'text', script: 'text' } },
      },
    },
  },
  row: (item, { split, index, server }) => ({
    data_source: `treadle/${item.kind}`,
    agent_name: VERL_AGENT,
    prompt: item.messages,
    ability: 'tool_use',
    reward_model: { style: 'rule', ground_truth: item.ref },
    tools: JSON.stringify(chatTools(item)),
    extra_info: {
      ...aboutOf(item),
      split,
      index,
      need_tools_kwargs: true,
      tools_kwargs: {
        treadle: {
          create_kwargs: { server, task: item.ref, ...(item.scenario ? { scenario: item.scenario.ref } : {}) },
        },
      },
      tool_selection: item.tools.map(({ name }) => name),
      ...(item.user
        ? { interaction_kwargs: { name: 'treadle', task: item.ref, script: JSON.stringify(item.user) } }
        : {}),
    } as Row,
  }),
  start: ({
    train,
    validation,
    simulated,
  }) => `\`treadle_verl.py\` beside the rows is an agent loop named \`${VERL_AGENT}\`: it opens a session of the row's task, offers the row's \`tools\`, and sets the reward that the server gives at the end. Put the folder on PYTHONPATH and name it in an agent-loop file:

\`\`\`yaml
# agent.yaml
- name: ${VERL_AGENT}
  _target_: treadle_verl.TreadleAgentLoop
\`\`\`

\`\`\`sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
  data.train_files=${train} data.val_files=${validation} data.return_raw_chat=True \\
  actor_rollout_ref.rollout.mode=async actor_rollout_ref.rollout.multi_turn.enable=True \\
  actor_rollout_ref.rollout.agent.agent_loop_config_path=agent.yaml
\`\`\`

The loop was written against verl's agent-loop interface of 2026 and has not been run under verl by Treadle's tests; its client, \`treadle_client.py\`, has.${simulated ? '\n\n`extra_info.interaction_kwargs.script` is what a simulated user may say; the loop plays it by rules (`treadle_client.ScriptedUser`).' : ''}`,
  beside: { 'treadle_client.py': CLIENT, 'treadle_verl.py': VERL_ADAPTER },
};
