/**
 * TRL: conversational `prompt` for GRPO; every other column reaches the `reset` of its `environment_factory` and the reward
 * functions by name. TRL takes its tools from the methods of an environment, so the columns tell which they are.
 */
import { addressOf } from '../../../kit/hash.js';
import { CLIENT } from '../adapters/client.js';
import { TRL_ADAPTER } from '../adapters/trl.js';
import { ABOUT, aboutOf, CHAT, chatTools, type RlFormat } from './format.js';

export const trl: RlFormat = {
  id: 'trl',
  describes:
    'TRL rows for `GRPOTrainer` with `environment_factory`: `prompt` as messages; `task`, `server`, `tools` (JSON text) and `toolset` are what an environment is reset with. Rows of one `toolset` offer the same tools.',
  door: { flag: '--openenv-port', server: 'http://127.0.0.1:8000' },
  columns: { prompt: CHAT, ...ABOUT, server: 'text', toolset: 'text', tools: 'text', script: 'text' },
  row: (item, { server }) => {
    const tools = chatTools(item);
    return {
      prompt: item.messages,
      ...aboutOf(item),
      server,
      toolset: addressOf(tools).slice(0, 16),
      tools: JSON.stringify(tools),
      script: item.user ? JSON.stringify(item.user) : '',
    };
  },
  start: ({
    train,
    simulated,
  }) => `\`treadle_trl.py\` beside the rows makes an environment class of the tools that the rows name:

\`\`\`python
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer
from treadle_trl import environment_class, reward

rows = load_dataset(${train.endsWith('.parquet') ? '"parquet"' : '"json"'}, data_files="${train}", split="train")
trainer = GRPOTrainer(
    model="Qwen/Qwen3-4B",
    train_dataset=rows,
    reward_funcs=reward,
    environment_factory=environment_class(rows),
    args=GRPOConfig(max_completion_length=16384, num_generations=8),
)
trainer.train()
\`\`\`

All environments of a trainer have the same methods. Where two worlds have a tool of one name and two meanings, \`environment_class\` says so: train on the rows of one \`toolset\` or one \`world\` at a time. \`max_completion_length\` counts the whole conversation.${simulated ? '\n\n`script` is what a simulated user may say, for a trainer that plays one; it is not for the policy, and `environment_factory` has no place for it.' : ''}`,
  beside: { 'treadle_client.py': CLIENT, 'treadle_trl.py': TRL_ADAPTER },
};
