/** What a person pastes where to point a client at a running server. */
import type { OpenedSession } from '../../serve/api.js';
import type { FaceOperation } from '../../serve/face/types.js';
import type { MegaMcp } from '../../serve/megamcp.js';
import type { Ui } from '../ui.js';
import type { ServedRest } from './rest.js';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Ready lines by client, for one session; JSON is what most clients' configuration files take. */
export const clientLines = (name: string, { url, token }: { url: string; token: string }): Record<string, string> => {
  const header = `Authorization: Bearer ${token}`;
  const headers = { Authorization: `Bearer ${token}` };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return {
    'Claude Code': `claude mcp add --transport http ${name} ${url} --header ${quoted(header)}`,
    OpenClaw: `openclaw mcp set ${name} ${quoted(JSON.stringify({ url, transport: 'streamable-http', headers }))}`,
    Inspector: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --header ${quoted(header)} --method tools/list`,
    'mcp.json': JSON.stringify({ mcpServers: { [name]: { type: 'http', url, headers } } }),
    curl: `curl ${url} -H ${quoted(header)} -H 'content-type: application/json' -d ${quoted(call)}`,
  };
};

export interface Shown {
  title: string;
  name: string;
  counts: { worlds: number; tasks: number; scenarios: number };
  served: MegaMcp;
  rest?: ServedRest | undefined;
  sessions: readonly OpenedSession[];
}

/** One that needs nothing but its path. */
const isPlainList = ({ http: { method, path }, binding }: FaceOperation): boolean =>
  method === 'get' && !path.includes('{') && binding?.answer.kind === 'rows';

export const sayHowToConnect = (ui: Ui, { title, name, counts, served, rest, sessions }: Shown): void => {
  const [first] = sessions;
  const dynamic = counts.scenarios > 0 ? `, ${counts.scenarios} scenario(s)` : '';
  ui.say(`corpus     ${counts.worlds} world(s), ${counts.tasks} task(s)${dynamic}`);
  ui.say(`agents     ${served.url}`);
  ui.say(`trainers   ${served.trainers.url}  token ${served.trainers.token}`);
  if (served.openEnv) ui.say(`OpenEnv    ${served.openEnv}`);
  if (served.nemoGym) ui.say(`NeMo Gym   ${served.nemoGym}`);
  if (rest) {
    ui.say(`REST       ${rest.url}`);
    for (const line of rest.lines) ui.say(ui.style('dim', `           ${line}`));
  }
  if (first) {
    ui.say('');
    ui.say(`session    ${title}${first.brief === undefined ? '' : `: ${first.brief}`}`);
    for (const { id, token } of sessions) ui.say(`  ${id}  token ${token}`);
    ui.say('');
    for (const [client, line] of Object.entries(clientLines(name, first))) {
      ui.say(`${client}:`);
      ui.say(`  ${ui.style('dim', line)}`);
    }
    const path = rest?.apis.flatMap(({ rest: { operations } }) => operations).find(isPlainList)?.http.path;
    if (first.rest !== undefined && path !== undefined) {
      ui.say('REST:');
      ui.say(`  ${ui.style('dim', `curl ${first.rest}${path} -H ${quoted(`Authorization: Bearer ${first.token}`)}`)}`);
    }
  }
  ui.say('');
  ui.say(
    `More sessions: POST ${served.trainers.url}/v1/sessions {"task": "<name>"}${counts.scenarios > 0 ? ' or {"scenario": "<name>"}' : ''}; all requests: GET /openapi.json.`,
  );
  ui.say('Stop with Ctrl-C.');
};
