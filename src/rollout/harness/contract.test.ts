/** What every harness keeps to, looped over the registry and over a command. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ourNames, withOurNames } from './names.js';
import { HARNESS_IDS, HARNESS_KINDS, harnessKind } from './registry.js';
import { commandHarness } from './template.js';
import type { Found, Harness, HarnessPlace } from './types.js';

const FOUND: Found = { command: '/opt/h/bin/h', path: ['/opt/h/node/bin'], reads: ['/opt/h'], version: '1.2.3' };
const PLACE: HarnessPlace = {
  task: 'Void "Brandt\'s" invoice; $(touch /tmp/x) `id`\n--help {mcp_token}',
  system: 'You work for Ada.\n\nCompany policies:\n- None.',
  model: 'org/model-7b',
  openaiBaseUrl: 'http://127.0.0.1:4001/v1',
  anthropicBaseUrl: 'http://127.0.0.1:4001',
  modelToken: 'trd_model-token',
  mcpUrl: 'http://127.0.0.1:4002/mcp',
  mcpToken: 'trd_tools-token',
  workdir: '/workspace',
  timeoutSeconds: 605,
};
const HERE = dirname(fileURLToPath(import.meta.url));
const ALL: [string, Harness][] = [
  ...HARNESS_KINDS.map((kind): [string, Harness] => [kind.id, kind.harness(FOUND)]),
  [
    'command',
    commandHarness('agent --task {task} --system {system} --model {model} --url {model_base_url} --mcp {mcp_url}'),
  ],
];

it('ids, files and the registry agree', () => {
  expect(ALL.map(([id]) => id)).toEqual(HARNESS_IDS);
  expect(new Set(HARNESS_IDS).size).toBe(HARNESS_IDS.length);
  const files = new Set(readdirSync(HERE));
  for (const { id } of HARNESS_KINDS) expect(files.has(`${id}.ts`)).toBe(true);
  const makers = readdirSync(HERE).filter((name) => /: HarnessKind = \{/.test(readFileSync(join(HERE, name), 'utf8')));
  expect(makers.length).toBe(HARNESS_KINDS.length);
  expect(harnessKind('command')).toBeUndefined();
});

it.each(HARNESS_KINDS.map((kind) => [kind.id, kind] as const))('%s says how it is installed', (_, { recipe }) => {
  const packages = [...(recipe.npm ?? []), ...(recipe.pip ?? [])];
  expect(packages.length).toBeGreaterThan(0);
  // A version each: the same harness on every machine.
  for (const name of packages) expect(name).toMatch(/(?:@|==)\d/);
  expect(recipe.program.startsWith('/')).toBe(false);
  expect([recipe.needs, recipe.name].every((text) => text.length > 0)).toBe(true);
  expect(recipe.pip === undefined || (recipe.python ?? []).length > 0).toBe(true);
});

describe.each(ALL)('%s', (id, harness) => {
  const made = harness.command(PLACE);
  const everything = JSON.stringify(made);

  it('is told the task, the instructions, the model, and where both ends are', () => {
    expect(harness.id).toBe(id);
    expect(everything).toContain(JSON.stringify(PLACE.task).slice(1, -1));
    expect(everything).toContain(JSON.stringify(PLACE.system).slice(1, -1));
    expect(everything).toContain(PLACE.model);
    expect(everything).toMatch(/http:\/\/127\.0\.0\.1:4001/);
    for (const said of [PLACE.modelToken, PLACE.mcpUrl, PLACE.mcpToken]) expect(everything).toContain(said);
  });

  it('gives no token away on its command line, and says the same each time', () => {
    const line = [made.command, ...made.args].join(' ');
    expect(line).not.toContain(PLACE.modelToken);
    // The task's own words stay as they are, places in them too.
    expect(line.replace(PLACE.task, '')).not.toContain(PLACE.mcpToken);
    expect(harness.command(PLACE)).toEqual(made);
  });

  it('writes into its folder only', () => {
    for (const name of Object.keys(made.files)) expect(name).not.toMatch(/^\/|\.\./);
    for (const part of [...(made.path ?? []), ...(made.reads ?? [])]) expect(part.startsWith('/')).toBe(true);
    for (const value of Object.values(made.env)) expect(typeof value).toBe('string');
  });

  it('takes a task that looks like an option as a task', () => {
    const { args, stdin, files } = harness.command({ ...PLACE, system: '', task: '--version' });
    const isValue = (at: number): boolean => args[at - 1]?.startsWith('-') === true;
    const at = args.findIndex((arg) => arg.trim() === '--version');
    expect(at < 0 ? (stdin ?? JSON.stringify(files)).includes('--version') : isValue(at)).toBe(true);
  });

  it('has no answer in silence, noise, or half of what it prints', () => {
    expect(harness.answer?.('')).toBeUndefined();
    expect(harness.answer?.('\n\n')).toBeUndefined();
    if (id === 'openclaw' || id === 'claude-code')
      for (const noise of ['warming up', '{"payloads":[', '{}', '[]', 'null', '{"result":7}', '{"payloads":7}'])
        expect([noise, harness.answer?.(noise)]).toEqual([noise, undefined]);
  });
});

describe('names', () => {
  const TOOLS = [
    'get_invoice',
    'Add_Reaction',
    'a_tool_with_a_name_that_is_so_long_that_it_must_be_cut_by_somebody',
  ].map((name) => ({ name }));
  it.each(ALL)('%s', (id, harness) => {
    const prefix = id === 'openclaw' ? 'treadle__' : 'mcp__treadle__';
    const ours = ourNames(harness, TOOLS);
    expect(ours(`${prefix}get_invoice`)).toBe('get_invoice');
    expect(ours(`${prefix}add-reaction`)).toBe('Add_Reaction');
    expect(ours(`${prefix}a_tool_with_a_name_that_is_so_long_that`)).toBe(TOOLS[2]?.name);
    // What does not exist is told apart from what is not ours.
    expect(ours(`${prefix}no_such_tool`)).toBe('no_such_tool');
    expect(ours('exec')).toBe('exec');
    expect(ours(`${prefix}a_tool`)).toBe('a_tool');
  });

  it('of a command are taken in whatever form MCP clients give them', () => {
    const ours = ourNames(commandHarness('x'), TOOLS);
    for (const shown of [
      'get_invoice',
      'treadle__get_invoice',
      'treadle.get_invoice',
      'treadle-get_invoice',
      'mcp_treadle_get_invoice',
      'treadle/get_invoice',
    ])
      expect(ours(shown)).toBe('get_invoice');
  });

  it('are mapped in calls and in results', () => {
    const messages = withOurNames(
      [
        {
          role: 'assistant',
          content: 'treadle__get_invoice',
          toolCalls: [{ id: '1', name: 'treadle__get_invoice', arguments: {} }],
        },
        { role: 'tool', content: 'x', toolCallId: '1', name: 'treadle__get_invoice' },
      ],
      ourNames({ toolName: (shown) => shown.slice(9) }, TOOLS),
    );
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'treadle__get_invoice',
        toolCalls: [{ id: '1', name: 'get_invoice', arguments: {} }],
      },
      { role: 'tool', content: 'x', toolCallId: '1', name: 'get_invoice' },
    ]);
  });
});

it('answers are found in what harnesses print', () => {
  const answerOf = (id: string, text: string) => harnessKind(id)?.harness(FOUND).answer?.(text);
  const envelope = { payloads: [{ text: 'thinking' }, { text: '42 {x}' }, { text: 'boom', isError: true }], meta: {} };
  expect(answerOf('openclaw', `notice {not json\n${JSON.stringify(envelope, null, 2)}\n`)).toBe('42 {x}');
  expect(answerOf('hermes', '42\n')).toBe('42');
  expect(answerOf('claude-code', `${JSON.stringify({ type: 'result', is_error: false, result: '42' })}\n`)).toBe('42');
  expect(answerOf('claude-code', JSON.stringify({ is_error: true, result: 'API Error' }))).toBeUndefined();
});
