// A harness for tests: node agent.mjs MODE TASK. It reads where its model and tools are from its environment, as many agents do.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [mode, task = ''] = process.argv.slice(2);
const { OPENAI_BASE_URL, OPENAI_API_KEY, TREADLE_MODEL, TREADLE_MCP_URL, TREADLE_MCP_TOKEN, TREADLE_SYSTEM } =
  process.env;

let sent = 0;
const mcp = async (method, params = {}) => {
  const response = await fetch(TREADLE_MCP_URL, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TREADLE_MCP_TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++sent, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
};

const chat = async (messages, tools, token = OPENAI_API_KEY) => {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: TREADLE_MODEL, messages, tools }),
  });
  if (!response.ok) throw new Error(`model: ${response.status}`);
  return (await response.json()).choices[0].message;
};

const act = async ({ calls = Number.POSITIVE_INFINITY } = {}) => {
  const { tools } = await mcp('tools/list');
  const shown = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name: `treadle__${name}`, description, parameters: inputSchema },
  }));
  const messages = [
    { role: 'system', content: TREADLE_SYSTEM },
    { role: 'user', content: task },
  ];
  for (let made = 0; ; ) {
    const said = await chat(messages, shown);
    messages.push(said);
    if (!said.tool_calls?.length) return said.content;
    for (const call of said.tool_calls) {
      if (made++ >= calls) return '';
      const name = call.function.name.replace('treadle__', '');
      const { content } = await mcp('tools/call', { name, arguments: JSON.parse(call.function.arguments) });
      messages.push({ role: 'tool', tool_call_id: call.id, content: content.map(({ text }) => text).join('\n') });
    }
  }
};

const forEver = () => new Promise(() => setInterval(() => undefined, 1000));

const MODES = {
  react: async () => console.log(await act()),
  hangs: async () => {
    await act();
    await forEver();
  },
  // Whether it got its work folder, and what it can do outside of it.
  outside: async () => {
    writeFileSync('inside', 'x');
    for (const path of task.split(' ')) {
      try {
        writeFileSync(path, 'x');
      } catch (error) {
        console.error(`${path}: ${error.code}`);
      }
    }
    await chat([{ role: 'user', content: 'hello' }], []);
    console.log('done');
  },
  children: async () => {
    // In its group, and away from it. Their pids are told by the second argument's model call, so that the test can look.
    const nap = ['-e', 'setInterval(() => undefined, 1000)'];
    const near = spawn(process.execPath, nap, { stdio: 'inherit' });
    const away = spawn('setsid', [process.execPath, ...nap], { stdio: 'inherit', detached: true });
    await chat([{ role: 'user', content: `${near.pid} ${away.pid}` }], []);
    console.log('left two behind');
    process.exit(0);
  },
  kills: async () => {
    await act({ calls: 1 });
    process.kill(process.pid, 'SIGKILL');
    await forEver();
  },
  megabytes: async () => {
    await chat([{ role: 'user', content: 'hello' }], []);
    const line = `${'x'.repeat(1023)}\n`.repeat(1024);
    for (;;) if (!process.stdout.write(line)) await new Promise((done) => process.stdout.once('drain', done));
  },
  loud: async () => {
    process.stdout.write(`${'x'.repeat(1023)}\n`.repeat(6 * 1024));
    console.log(await act());
  },
  'no-token': async () => {
    await chat([{ role: 'user', content: task }], [], 'somebody-elses');
  },
  'no-tool': async () => {
    await mcp('tools/call', { name: 'treadle__no_such_tool', arguments: {} });
    console.log(await act());
  },
  // Its tools did not come in time, and it goes on without them.
  toolless: async () => {
    const own = { type: 'function', function: { name: 'exec', description: 'x', parameters: { type: 'object' } } };
    console.log((await chat([{ role: 'user', content: task }], [own])).content);
  },
  idle: async () => console.log('I have done everything you asked.'),
  crashes: async () => {
    throw new Error(`cannot find module in ${process.cwd()} with ${TREADLE_MCP_TOKEN}`);
  },
  fails: async () => {
    await act({ calls: 1 });
    console.error('lost the thread');
    process.exit(3);
  },
  calls: async () => {
    for (;;) {
      const { content } = await mcp('tools/call', { name: 'list_invoices', arguments: {} });
      if (content[0].text.includes('call_budget')) break;
    }
    await forEver();
  },
  env: async () => {
    await chat([{ role: 'user', content: JSON.stringify({ ...process.env, cwd: process.cwd() }) }], []);
    console.log('told');
  },
  tools: async () => {
    await mcp('tools/list');
    const { content } = await mcp('tools/call', JSON.parse(task));
    console.log(content[0].text);
  },
};

await MODES[mode]();
// All of it, before an exit that does not wait.
await new Promise((done) => process.stdout.write('', done));
process.exit(0);
