/** Claude Code in print mode: `claude -p` with the world's tools over MCP and the gateway in place of its API. */
import { z } from 'zod';
import type { Found, Harness, HarnessKind } from './types.js';

const MCP = 'mcp.json';

const Printed = z.object({ result: z.string(), is_error: z.literal(false).optional() });

const harness = ({ command, path, reads }: Found): Harness => ({
  id: 'claude-code',
  command: (place) => ({
    command,
    args: [
      ...['-p', '--output-format', 'json', '--model', place.model, '--append-system-prompt', place.system],
      // What it may use without asking: the world's tools. Asking is refusing, since nobody is there.
      ...['--mcp-config', MCP, '--strict-mcp-config', '--allowedTools', 'mcp__treadle', '--no-session-persistence'],
    ],
    env: {
      ANTHROPIC_BASE_URL: place.anthropicBaseUrl,
      ANTHROPIC_API_KEY: place.modelToken,
      // Smaller jobs of its own go to the same model: the gateway answers for no other.
      ANTHROPIC_SMALL_FAST_MODEL: place.model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: place.model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ENABLE_TOOL_SEARCH: 'false',
      MCP_TIMEOUT: '120000',
    },
    files: {
      [MCP]: JSON.stringify({
        mcpServers: {
          treadle: { type: 'http', url: place.mcpUrl, headers: { Authorization: `Bearer ${place.mcpToken}` } },
        },
      }),
    },
    stdin: place.task,
    path,
    reads,
  }),
  toolName: (shown) => (shown.startsWith('mcp__treadle__') ? shown.slice('mcp__treadle__'.length) : undefined),
  answer: (stdout) => {
    try {
      const line = stdout.trim().split('\n').at(-1) ?? '';
      return Printed.safeParse(JSON.parse(line)).data?.result;
    } catch {
      return undefined;
    }
  },
});

export const CLAUDE_CODE: HarnessKind = {
  id: 'claude-code',
  recipe: {
    npm: ['@anthropic-ai/claude-code@2.1.332'],
    program: 'node_modules/.bin/claude',
    name: 'claude',
    needs: 'npm (390 MB)',
  },
  harness,
};
