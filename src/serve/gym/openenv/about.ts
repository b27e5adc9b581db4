/** What a client may read before it begins: schemas and metadata. */
import { ownIdentity } from '../../mcp/identity.js';

const object = (properties: object, required: string[] = []): object => ({ type: 'object', properties, required });
const text = (description: string): object => ({ type: 'string', description });

const ACTION = {
  title: 'Action',
  oneOf: [
    object({ type: { const: 'list_tools' } }, ['type']),
    object({ type: { const: 'call_tool' }, tool_name: text('As list_tools names it'), arguments: { type: 'object' } }, [
      'type',
      'tool_name',
    ]),
    object({ type: { const: 'finish' }, answer: text('What was asked for; it ends the episode') }, ['type']),
  ],
};

const OBSERVATION = {
  title: 'Observation',
  ...object({
    task: text('After a reset'),
    brief: text('After a reset: the request'),
    tools: {
      type: 'array',
      items: object({ name: { type: 'string' }, description: { type: 'string' }, input_schema: { type: 'object' } }),
    },
    tool_name: { type: 'string' },
    result: { description: 'What the tool answered, also of an error' },
    error: { anyOf: [object({ error_type: { type: 'string' }, message: { type: 'string' } }), { type: 'null' }] },
  }),
};

const STATE = {
  title: 'State',
  ...object({
    episode_id: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    step_count: { type: 'integer', minimum: 0 },
    session_id: { type: 'string' },
    done: { type: 'boolean' },
    task: { type: 'string' },
  }),
};

export const SCHEMAS = { action: ACTION, observation: OBSERVATION, state: STATE };

export const metadataOf = (): object => {
  const { name, version } = ownIdentity();
  return {
    name,
    version,
    description:
      'Business worlds with tools over a database of their own. Reset with a task, call tools, finish with the answer; the reward is 1 where the verifier passes.',
    author: null,
    readme_content: null,
    documentation_url: null,
  };
};
