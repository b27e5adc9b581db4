/** A server with everything MCP can offer, on the engine that serves worlds: what the official conformance suite talks to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardOf } from '../../src/serve/http/guard.js';
import { changeHub } from '../../src/serve/mcp/features/changes.js';
import type { Features, Prompts, Resources } from '../../src/serve/mcp/features/features.js';
import { mcpHandler } from '../../src/serve/mcp/handler.js';
import { streamDoor } from '../../src/serve/mcp/streams/door.js';
import type { StreamLimits } from '../../src/serve/mcp/streams/limits.js';
import type { ToolHost } from '../../src/serve/tool-host.js';
import { noteHost } from '../e2e/mcp-host.js';
import { fixtureTools, listedTools, PNG } from './fixture-tools.js';

const user = (content: object): object => ({ role: 'user', content });
const userText = (text: string): object => user({ type: 'text', text });

const RESOURCES: Record<string, { mimeType: string; text?: string; blob?: string }> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watch me.' },
};

const resources: Resources = {
  subscribe: true,
  listChanged: true,
  list: () =>
    Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice('test://'.length),
      description: `The resource ${uri}`,
      mimeType,
    })),
  templates: () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data of one id',
      mimeType: 'application/json',
    },
  ],
  read: (uri) => {
    const known = Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined;
    if (known !== undefined) return [{ uri, ...known }];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return [{ uri, mimeType: 'application/json', text }];
  },
};

const PROMPTS: Record<string, { arguments?: string[] }> = {
  test_simple_prompt: {},
  test_prompt_with_arguments: { arguments: ['arg1', 'arg2'] },
  test_prompt_with_embedded_resource: { arguments: ['resourceUri'] },
  test_prompt_with_image: {},
  test_input_required_result_prompt: {},
};

const prompts: Prompts = {
  listChanged: true,
  list: () =>
    Object.entries(PROMPTS).map(([name, { arguments: args = [] }]) => ({
      name,
      description: `The prompt ${name}`,
      arguments: args.map((argument) => ({ name: argument, description: `The ${argument}`, required: true })),
    })),
  get: async (name, args, caller) => {
    const known = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
    const missing = known?.arguments?.find((argument) => args[argument] === undefined);
    if (missing !== undefined) return `The argument ${missing} is missing`;
    switch (name) {
      case 'test_simple_prompt':
        return { messages: [userText('This is a simple prompt for testing.')] };
      case 'test_prompt_with_arguments':
        return { messages: [userText(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] };
      case 'test_prompt_with_embedded_resource': {
        const text = 'Embedded resource content for testing.';
        const resource = { uri: args.resourceUri, mimeType: 'text/plain', text };
        return {
          messages: [user({ type: 'resource', resource }), userText('Please process the embedded resource above.')],
        };
      }
      case 'test_prompt_with_image':
        return {
          messages: [
            user({ type: 'image', data: PNG, mimeType: 'image/png' }),
            userText('Please analyze the image above.'),
          ],
        };
      case 'test_input_required_result_prompt': {
        const properties = { context: { type: 'string' } };
        const { user_context: answer } = await caller.ask({
          user_context: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: 'What context should the prompt use?',
              requestedSchema: { type: 'object', properties, required: ['context'] },
            },
          },
        });
        return { messages: [userText(`Context: ${JSON.stringify(answer.content)}`)] };
      }
    }
    return undefined;
  },
};

export const fixtureFeatures = (): Features & { changes: ReturnType<typeof changeHub> } => {
  const changes = changeHub();
  const tools = fixtureTools(changes);
  const listed = listedTools(tools);
  return {
    changes,
    logging: true,
    resources,
    prompts,
    tools: {
      listChanged: true,
      list: () => listed,
      run: (name) => (Object.hasOwn(tools, name) ? tools[name]?.run : undefined),
    },
    complete: ({ of, value }) => {
      if ('prompt' in of && !Object.hasOwn(PROMPTS, of.prompt)) return undefined;
      return ['paris', 'park', 'party', 'test'].filter((word) => word.startsWith(value));
    },
  };
};

export interface FixtureServer {
  origin: string;
  door: ReturnType<typeof streamDoor>;
  features: ReturnType<typeof fixtureFeatures>;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export const startFixture = async (
  limits: Partial<StreamLimits> = {},
  hostOf?: Parameters<typeof streamDoor>[0]['hostOf'],
): Promise<FixtureServer> => {
  const features = fixtureFeatures();
  const notes: ToolHost = noteHost();
  const handler = mcpHandler({ server: { name: 'fixture', version: '1.0.0' }, features });
  const door = streamDoor({ handler, features, hostOf: hostOf ?? (() => notes), guard: guardOf({}), limits });
  const server = createServer(door.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    door,
    features,
    close: () =>
      new Promise((resolve) => {
        door.close();
        server.close(() => resolve());
        setTimeout(() => server.closeAllConnections(), 200);
      }),
  };
};
