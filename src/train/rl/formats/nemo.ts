/** NeMo Gym (0.5-0.7): rows for a resources server, which is `treadle serve --gym-port` itself. */
import { gymRow } from '../../../serve/gym/nemo/rows.js';
import type { Row } from '../../tables/shape.js';
import { ABOUT, aboutOf, CHAT, type RlFormat } from './format.js';

export const nemo: RlFormat = {
  id: 'nemo',
  describes:
    'NeMo Gym dataset rows: `responses_create_params` (input and tools of the Responses API), `verifier_metadata.task`, `agent_ref`.',
  door: { flag: '--gym-port', server: 'http://127.0.0.1:8001' },
  columns: {
    responses_create_params: {
      fields: {
        input: CHAT,
        tools: {
          list: {
            fields: { type: 'text', name: 'text', description: 'text', parameters: 'json', strict: 'truth' },
          },
        },
      },
    },
    verifier_metadata: { fields: { ...ABOUT, split: 'text', script: 'json' } },
    agent_ref: { fields: { type: 'text', name: 'text' } },
  },
  row: (item, { agent, split }) => {
    const [system, request] = item.messages;
    const row = gymRow({ id: '', worldId: '', brief: request?.content ?? '' }, item.tools, {
      agent,
      ...(system ? { system: system.content } : {}),
    });
    const metadata = {
      ...aboutOf(item),
      split,
      ...(item.user ? { script: item.user as unknown as Row } : {}),
    };
    return { ...row, verifier_metadata: metadata } as unknown as Row;
  },
  start: ({ server, agent, train, validation, simulated }) => {
    const { hostname, port, protocol } = new URL(server);
    return `Gym reads JSON lines: export with \`--file jsonl\` (Parquet is for looking at the rows; its \`parameters\` are JSON text).

The server is a resources server by itself, at host \`${hostname}\` and port \`${port || (protocol === 'https:' ? 443 : 80)}\`: \`/seed_session\` takes a row, \`/<tool>\` runs a tool with its arguments as body, \`/verify\` gives the reward; the session is a cookie. An agent server called \`${agent}\` (\`agent_ref\` of the rows; \`--agent\` names another) has to have it as its resources server. With \`--gym-token\` every request carries it as a bearer token.

Collect rollouts or train with \`${train}\`, validate with \`${validation}\`. The reward is 1 or 0; \`milestones\` beside it is the share of the stages that were reached, and \`mask_sample\` is true where the reward measures nothing.${simulated ? '\n\n`verifier_metadata.script` is what a simulated user may say, for an agent server that plays one; it is not for the policy.' : ''}`;
  },
  beside: {},
};
