// An agent for tests: it knows the corpus (which no honest agent does), finds the task it is asked for, and does it over MCP, well
// or badly as its second argument says: ok | flaky | wrong | silent | loud | exit | hang | junk.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const [corpus, how = 'ok'] = process.argv.slice(2);
const { TREADLE_TASK: asked, TREADLE_MCP_URL: url, TREADLE_MCP_TOKEN: token } = process.env;

const tasks = readdirSync(join(corpus, 'worlds')).flatMap((world) =>
  readdirSync(join(corpus, 'worlds', world, 'tasks'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(corpus, 'worlds', world, 'tasks', name), 'utf8'))),
);
const task = tasks.find(({ brief }) => brief === asked);

let id = 0;
const call = async (name, args) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }),
  });
  return response.text();
};

if (how === 'silent') process.exit(0);
if (how === 'hang') setInterval(() => {}, 1000);
else if (how === 'junk') {
  process.stdout.write(Buffer.from([0, 27, 91, 50, 74, 255, 254, 60, 98, 62, 10]));
  process.stderr.write('\u001b[31m<junk> & "more"\u0000\n');
} else {
  const { calls, answer } = task.reference;
  const run = Math.random();
  const bad = how === 'wrong' || (how === 'flaky' && run < 0.5);
  for (const [i, { tool, args }] of calls.entries()) {
    if (bad && i === calls.length - 1) continue;
    await call(tool, args);
  }
  if (how === 'loud') await call('no_such_tool', {});
  console.log(bad ? 'I could not do it.' : answer);
  if (how === 'exit') {
    console.error('Traceback: it broke');
    process.exit(3);
  }
}
