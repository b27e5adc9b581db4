import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { authorFromToolList } from './author.js';
import { listLive, splitCommand } from './live.js';

const memory = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
);

it('splits a command line as a shell does', () => {
  expect(splitCommand(`npx -y "a b" 'c "d"' e\\ f ""`)).toEqual(['npx', '-y', 'a b', 'c "d"', 'e f', '']);
  expect(() => splitCommand('a "b')).toThrowError(expect.objectContaining({ code: 'bad_server' }));
});

it('lists a server from npm, and compiles what it can', async () => {
  const { name, text } = await listLive(`"${process.execPath}" ${memory}`);
  const { services, report } = authorFromToolList(text, { name, seed: '1' });
  expect(name).toBe('server_memory');
  expect(Object.keys(services[0]?.tools ?? {})).toEqual(
    expect.arrayContaining(['create_entities', 'read_graph', 'search_nodes']),
  );
  expect(report.unmapped.map(({ operation }) => operation)).toContain('create_relations');
}, 60_000);

it(
  'gives up on a server that hangs',
  () =>
    expect(listLive(`"${process.execPath}" -e "setInterval(() => {}, 1000)"`, 1)).rejects.toMatchObject({
      code: 'server_start_timeout',
    }),
  30_000,
);

const answering = (result: string): string => {
  const script = `let b='';process.stdin.on('data',c=>{b+=c;let i;while((i=b.indexOf('\\n'))>=0){const m=JSON.parse(b.slice(0,i));b=b.slice(i+1);if(m.id===undefined)continue;const r=m.method==='initialize'?{protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:'x',version:'1'}}:${result};if(r)console.log(JSON.stringify({jsonrpc:'2.0',id:m.id,result:r}))}})`;
  return `"${process.execPath}" -e '${script.replaceAll("'", `'"'"'`)}'`;
};

it(
  'gives up on a server that never lists its tools',
  () => expect(listLive(answering('null'), 3)).rejects.toMatchObject({ code: 'server_start_timeout' }),
  30_000,
);

it(
  'gives up on a list without an end',
  () =>
    expect(
      listLive(answering(`{tools:[{name:'t'+m.id,inputSchema:{type:'object'}}],nextCursor:'c'+m.id}`), 20),
    ).rejects.toMatchObject({ code: 'server_bad_answer' }),
  30_000,
);

it.each([
  ['ends at once', `"${process.execPath}" -e "process.exit(3)"`, 'server_start_failed'],
  ['is not there', 'treadle-no-such-command --x', 'cannot_start'],
  ['cannot be reached', 'http://127.0.0.1:1/mcp', 'server_start_failed'],
  ['is nothing', '   ', 'bad_server'],
  ['is no address', 'http://', 'bad_server'],
])('a server that %s', (_, target, code) => expect(listLive(target, 10)).rejects.toMatchObject({ code }), 30_000);
