/** OpenClaw, one headless turn: `openclaw agent exec` with a config of its own (rollout.md; docs.openclaw.ai/cli/agent). */
import { z } from 'zod';
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
        // It goes on without the tools where they are late, and a loaded machine is late.
        connectionTimeoutMs: 120_000,
        requestTimeoutMs: 120_000,
      },
    },
  },
});

const Envelope = z.object({
  payloads: z.array(z.unknown()).optional(),
  text: z.string().optional(),
  reply: z.string().optional(),
});
const Payload = z.object({ text: z.string(), isError: z.literal(false).optional() });

/** How many lines are tried as the beginning of the JSON object that it prints: notices may stand before it. */
const TRIES = 64;

const envelopeOf = (stdout: string): z.infer<typeof Envelope> | undefined => {
  for (const { index } of [...stdout.matchAll(/^\{/gm)].slice(-TRIES)) {
    try {
      const parsed = Envelope.safeParse(JSON.parse(stdout.slice(index)));
      if (parsed.success) return parsed.data;
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
    const texts = (envelope?.payloads ?? []).flatMap((payload) => Payload.safeParse(payload).data?.text ?? []);
    return texts.at(-1) ?? envelope?.text ?? envelope?.reply;
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
