/** OpenClaw, one headless turn: `openclaw agent exec` with a config of its own (rollout.md; docs.openclaw.ai/cli/agent). */
import type { Found, Harness, HarnessKind, HarnessPlace } from './types.js';

const CONFIG = 'openclaw.json';
const TASK = 'task.md';

const configOf = (place: HarnessPlace): object => ({
  models: {
    providers: {
      treadle: {
        baseUrl: place.openaiBaseUrl,
        apiKey: place.modelToken,
        api: 'openai-completions',
        models: [{ id: place.model, name: place.model, input: ['text'], contextWindow: 128_000, maxTokens: 8_192 }],
      },
    },
  },
  agents: { defaults: { model: { primary: `treadle/${place.model}` }, skipBootstrap: true } },
  // Nobody is there to be written to; and behind its tool search MCP tools would hide.
  tools: { deny: ['message'], toolSearch: false },
  mcp: {
    servers: {
      treadle: {
        url: place.mcpUrl,
        // Without it, it takes the address for one of the older SSE kind.
        transport: 'streamable-http',
        headers: { Authorization: `Bearer ${place.mcpToken}` },
      },
    },
  },
});

interface Envelope {
  payloads?: { text?: unknown; isError?: unknown }[];
  text?: unknown;
  reply?: unknown;
}

/** The last JSON object that it printed: notices may stand before it. */
const envelopeOf = (stdout: string): Envelope | undefined => {
  for (let at = stdout.indexOf('{'); at >= 0; at = stdout.indexOf('{', at + 1)) {
    try {
      return JSON.parse(stdout.slice(at)) as Envelope;
    } catch {
      // Not here.
    }
  }
  return undefined;
};

const harness = ({ command, path, reads }: Found): Harness => ({
  id: 'openclaw',
  command: (place) => ({
    command,
    args: [
      ...['agent', 'exec', '--message-file', TASK, '--config', CONFIG, '--cwd', place.workdir],
      ...['--model', `treadle/${place.model}`, '--json', '--timeout', String(place.timeoutSeconds)],
    ],
    env: { OPENCLAW_DISABLE_UPDATE_CHECK: '1' },
    files: { [CONFIG]: JSON.stringify(configOf(place)), [TASK]: `${place.system}\n\n${place.task}` },
    path,
    reads,
  }),
  toolName: (shown) => (shown.startsWith('treadle__') ? shown.slice('treadle__'.length) : undefined),
  answer: (stdout) => {
    const envelope = envelopeOf(stdout);
    const texts = (envelope?.payloads ?? []).flatMap(({ text, isError }) =>
      typeof text === 'string' && isError !== true ? [text] : [],
    );
    const text = texts.at(-1) ?? envelope?.text ?? envelope?.reply;
    return typeof text === 'string' ? text : undefined;
  },
});

export const OPENCLAW: HarnessKind = {
  id: 'openclaw',
  recipe: {
    npm: ['node@24', 'openclaw@2026.9.6'],
    program: 'node_modules/.bin/openclaw',
    path: ['node_modules/node/bin'],
    name: 'openclaw',
    needs: 'npm; it brings a Node 24 of its own (770 MB)',
  },
  harness,
};
