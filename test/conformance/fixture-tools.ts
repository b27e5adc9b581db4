/** The tools that the official conformance suite calls by name; what each does is the suite's description of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../src/serve/mcp/features/caller.js';
import type { Changes } from '../../src/serve/mcp/features/changes.js';
import type { RunTool, ToolResult } from '../../src/serve/mcp/features/features.js';
import type { Questions } from '../../src/serve/mcp/features/questions.js';

/** One red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
/** A wave file of no samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

interface FixtureTool {
  description: string;
  inputSchema?: object;
  run: RunTool;
}

const NOTHING = { type: 'object', properties: {} };
const said = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });
const says = (content: object[], isError = false): RunTool => {
  return () => ({ content, ...(isError ? { isError: true } : {}) });
};
const text = (value: string): object => ({ type: 'text', text: value });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };

const form = (message: string, properties: Record<string, object>): Questions[string] => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
});
const sampling = (prompt: string): Questions[string] => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
});
const STRING = { type: 'string' };
const titled = (...names: string[]): object[] =>
  names.map((name, i) => ({ const: `value${i + 1}`, title: `${name} Option` }));

/** Asks one thing and says what came back. */
const asking =
  (name: string, question: Questions[string]): RunTool =>
  async (_args, caller) => {
    const { [name]: answer } = await caller.ask({ [name]: question });
    return said(`Answered: ${JSON.stringify(answer)}`);
  };

const completed = (properties: Record<string, object>): RunTool => {
  const question: Questions[string] = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Please fill this in', requestedSchema: { type: 'object', properties } },
  };
  return async (_args, caller) => {
    const { form: answer } = await caller.ask({ form: question });
    return said(`Elicitation completed: action=${answer?.action}, content=${JSON.stringify(answer?.content)}`);
  };
};

const paced = async (caller: Caller, steps: (() => void)[]): Promise<ToolResult> => {
  for (const [i, step] of steps.entries()) {
    if (i > 0) await sleep(50, undefined, { signal: caller.signal });
    step();
  }
  return said('Done');
};

export const fixtureTools = (changes: Changes): Record<string, FixtureTool> => ({
  test_simple_text: {
    description: 'Says one line',
    run: says([text('This is a simple text response for testing.')]),
  },
  test_image_content: { description: 'Shows a pixel', run: says([image]) },
  test_audio_content: {
    description: 'Plays silence',
    run: says([{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  },
  test_embedded_resource: {
    description: 'Holds a resource',
    run: says([
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
  },
  test_multiple_content_types: {
    description: 'Says, shows and holds',
    run: says([
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ]),
  },
  test_error_handling: {
    description: 'Always fails',
    run: says([text('This tool intentionally returns an error for testing')], true),
  },
  test_tool_with_logging: {
    description: 'Logs three lines',
    run: (_args, caller) =>
      paced(
        caller,
        ['Tool execution started', 'Tool processing data', 'Tool execution completed'].map(
          (line) => () => caller.log('info', line),
        ),
      ),
  },
  test_logging_tool: {
    description: 'Logs one line',
    run: (_args, caller) => {
      caller.log('info', 'A line');
      return said('Logged');
    },
  },
  test_tool_with_progress: {
    description: 'Tells how far it is',
    run: (_args, caller) =>
      paced(
        caller,
        [0, 50, 100].map((done) => () => caller.progress(done, 100)),
      ),
  },
  test_reconnection: {
    description: 'Hangs up before it answers',
    run: async (_args, caller) => {
      caller.hangUp();
      await sleep(100);
      return said('Reconnected');
    },
  },
  test_sampling: {
    description: 'Asks a model',
    inputSchema: { type: 'object', properties: { prompt: STRING }, required: ['prompt'] },
    run: async ({ prompt }, caller) => {
      const { reply } = await caller.ask({ reply: sampling(String(prompt)) });
      return said(`LLM response: ${JSON.stringify(reply?.content)}`);
    },
  },
  test_elicitation: {
    description: 'Asks a person',
    inputSchema: { type: 'object', properties: { message: STRING }, required: ['message'] },
    run: async ({ message }, caller) => {
      const question = form(String(message), {
        username: { ...STRING, description: "User's response" },
        email: { ...STRING, description: "User's email address" },
      });
      const { user } = await caller.ask({ user: question });
      return said(`User response: action=${user?.action}, content=${JSON.stringify(user?.content)}`);
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with defaults',
    run: completed({
      name: { ...STRING, default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { ...STRING, enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks to choose',
    run: completed({
      untitledSingle: { ...STRING, enum: ['option1', 'option2', 'option3'] },
      titledSingle: { ...STRING, oneOf: titled('First', 'Second', 'Third') },
      legacyEnum: { ...STRING, enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
      untitledMulti: { type: 'array', items: { ...STRING, enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('First', 'Second', 'Third') } },
    }),
  },
  test_missing_capability: {
    description: 'Needs a client that can sample',
    run: asking('capital', sampling('Any capital?')),
  },
  test_streaming_elicitation: {
    description: 'Asks while it streams',
    run: async (args, caller) => {
      caller.progress(1, 2);
      return asking('user_name', form('What is your name?', { name: STRING }))(args, caller);
    },
  },
  test_trigger_tool_change: {
    description: 'Tells that the tools changed',
    run: () => {
      changes.tell({ kind: 'tools' });
      return said('Told');
    },
  },
  test_trigger_prompt_change: {
    description: 'Tells that the prompts changed',
    run: () => {
      changes.tell({ kind: 'prompts' });
      return said('Told');
    },
  },
  test_input_required_result_elicitation: {
    description: 'Asks for a name',
    run: async (_args, caller) => {
      const { user_name } = await caller.ask({ user_name: form('What is your name?', { name: STRING }) });
      return said(`Hello, ${(user_name?.content as { name?: string } | undefined)?.name}!`);
    },
  },
  test_input_required_result_sampling: {
    description: 'Asks a model for a capital',
    run: asking('capital_question', sampling('What is the capital of France?')),
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the roots',
    run: asking('client_roots', { method: 'roots/list' }),
  },
  test_input_required_result_request_state: {
    description: 'Asks for a confirmation',
    run: async (_args, caller) => {
      await caller.ask({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) });
      return said('state-ok');
    },
  },
  test_input_required_result_tampered_state: {
    description: 'Asks for a confirmation that nobody may forge',
    run: asking('confirm', form('Please confirm', { ok: { type: 'boolean' } })),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks three things at once',
    run: async (_args, caller) => {
      const answers = await caller.ask({
        user_name: form('What is your name?', { name: STRING }),
        greeting: sampling('Generate a greeting'),
        client_roots: { method: 'roots/list' },
      });
      return said(JSON.stringify(answers));
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks one thing after another',
    run: async (_args, caller) => {
      const { step1 } = await caller.ask({ step1: form('Step 1: What is your name?', { name: STRING }) });
      const { step2 } = await caller.ask({ step2: form('Step 2: What is your favorite color?', { color: STRING }) });
      return said(JSON.stringify([step1, step2]));
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks what the client can answer',
    run: async (_args, caller) => {
      const questions: Questions = {
        ...(caller.has('sampling') ? { capital: sampling('Any capital?') } : {}),
        ...(caller.has('elicitation') ? { name: form('What is your name?', { name: STRING }) } : {}),
      };
      return said(JSON.stringify(await caller.ask(questions)));
    },
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: STRING, city: STRING } } },
      properties: {
        name: STRING,
        address: { $ref: '#/$defs/address' },
        contactMethod: { ...STRING, enum: ['phone', 'email'] },
        phone: STRING,
        email: STRING,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: it is the keyword's name.
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (args) => said(JSON.stringify(args)),
  },
  test_header_param: {
    description: 'Has an argument that a header repeats',
    inputSchema: {
      type: 'object',
      properties: { region: { ...STRING, 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
    run: (args) => said(JSON.stringify(args)),
  },
});

export const listedTools = (tools: Record<string, FixtureTool>): object[] =>
  Object.entries(tools).map(([name, { description, inputSchema = NOTHING }]) => ({ name, description, inputSchema }));
