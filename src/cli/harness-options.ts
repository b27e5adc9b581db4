/** What `treadle rollout` takes about harnesses. */
import { Option } from 'commander';
import { HARNESS_IDS } from '../rollout/harness/registry.js';
import { JAILS } from './pipeline/harness.js';

const paths = (text: string, before: string[] = []): string[] => [...before, ...text.split(',').filter(Boolean)];

export const harnessOptions = (): Option[] => [
  new Option('--harness <id>', 'the agent program that acts (policy harness)').choices([...HARNESS_IDS]),
  new Option('--harness-command <line>', "any agent: 'python3 agent.py --task {task}' (policy harness)"),
  new Option('--harness-name <name>', 'what traces call that agent (default: command)'),
  new Option('--harness-read <paths>', 'what a harness may read besides its own, where it is jailed').argParser(paths),
  new Option('--jail <kind>', 'what holds a harness; auto: bubblewrap where it is installed')
    .choices([...JAILS])
    .default('auto'),
];

export const HARNESS_EXAMPLES = `  treadle rollout treadle-out --policy harness --harness openclaw --base-url http://127.0.0.1:8000/v1 --model qwen3
  treadle rollout treadle-out --policy harness --harness-command 'python3 /me/agent.py {task} {mcp_url}' \\
    --base-url http://127.0.0.1:8000/v1 --model qwen3`;
