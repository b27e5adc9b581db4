/** Hermes Agent, one-shot: `hermes -z TASK` with a HERMES_HOME of its own (rollout.md; hermes_cli/oneshot.py of hermes-agent 0.19). */
import type { Found, Harness, HarnessKind, HarnessPlace } from './types.js';

const HOME = '.hermes';

/** JSON is YAML too. */
const configOf = (place: HarnessPlace): object => ({
  model: { provider: 'openai', default: place.model },
  providers: {
    openai: { api: place.openaiBaseUrl, api_key: place.modelToken, discover_models: false },
  },
  // Nobody is there to approve anything, and a second conversation about a title is none of the task.
  approvals: { mode: 'off' },
  auxiliary: { title_generation: { enabled: false } },
  mcp_servers: {
    treadle: {
      url: place.mcpUrl,
      headers: { Authorization: `Bearer ${place.mcpToken}` },
      timeout: Math.min(120, place.timeoutSeconds),
      connect_timeout: 120,
    },
  },
  // It goes on without the tools where they are late, and a loaded machine is late.
  mcp_discovery_timeout: 120,
});

const harness = ({ command, path, reads }: Found): Harness => ({
  id: 'hermes',
  command: (place) => ({
    command,
    args: ['-z', `${place.system}\n\n${place.task}`, '-m', place.model],
    env: { HERMES_HOME: `${place.workdir}/${HOME}`, PYTHONDONTWRITEBYTECODE: '1' },
    files: { [`${HOME}/config.yaml`]: JSON.stringify(configOf(place)) },
    path,
    reads,
  }),
  toolName: (shown) => (shown.startsWith('mcp__treadle__') ? shown.slice('mcp__treadle__'.length) : undefined),
  // It prints the final reply and nothing else.
  answer: (stdout) => stdout.trim() || undefined,
});

export const HERMES: HarnessKind = {
  id: 'hermes',
  recipe: {
    pip: ['hermes-agent[mcp]==0.19.0'],
    python: ['python3.13', 'python3.12', 'python3.11', 'python3'],
    program: 'venv/bin/hermes',
    path: ['venv/bin'],
    name: 'hermes',
    needs: 'Python 3.11 to 3.13 with venv (240 MB)',
  },
  harness,
};
