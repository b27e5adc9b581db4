/** The OpenAPI 3.1 document of the door, made from its routes. */
import { z } from 'zod';
import * as api from '../api.js';
import * as jobs from '../jobs/request.js';
import type { Route } from './routes.js';
import * as shape from './shapes.js';

type Tree = { [key: string]: unknown };

/** Schemas that have a name of their own in the document. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Labels: api.Labels,
  Pin: api.Pin,
  Pins: api.Pins,
  SessionInfo: api.SessionInfo,
  Connection: api.Connection,
  OpenedSession: api.OpenedSession,
  ServedEntry: api.ServedEntry,
  SessionLedger: api.SessionLedger,
  ToolStatistics: api.ToolStatistics,
  ServerInfo: api.ServerInfo,
  RegistryRecord: api.RegistryRecord,
  Verdict: api.ServedVerdict,
  SessionEvents: api.SessionEvents,
  SessionTool: shape.SessionTool,
  CallOutcome: shape.CallOutcome,
  SessionState: shape.SessionState,
  SnapshotTaken: shape.SnapshotTaken,
  JobInfo: jobs.JobInfo,
  JobItem: jobs.JobItem,
  Problem: shape.Problem,
};

const COMPONENTS = '#/components/schemas/';

/** Without what only a schema document of its own has; the recursive schema of any JSON becomes the empty schema, which means that. */
const tidied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const tree = value as Tree;
  if (typeof tree.$ref === 'string' && /^#$|__shared|\$defs/.test(tree.$ref)) return {};
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([key]) => key !== '$schema' && key !== '$id' && key !== '$defs')
      .map(([key, inner]) => [key, tidied(inner)]),
  );
};

const components = (): Tree => {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => COMPONENTS + id, io: 'output' });
  const { __shared, ...named } = schemas as Tree;
  return tidied(named) as Tree;
};

const asInput = (schema: z.ZodType): unknown => tidied(z.toJSONSchema(schema, { io: 'input' }));

const asOutput = (schema: z.ZodType): unknown => {
  const name = Object.keys(NAMED).find((id) => NAMED[id] === schema);
  if (name !== undefined) return { $ref: COMPONENTS + name };
  if (schema instanceof z.ZodArray) return { type: 'array', items: asOutput(schema.element as z.ZodType) };
  return tidied(z.toJSONSchema(schema, { io: 'output' }));
};

const json = (schema: unknown): Tree => ({ content: { 'application/json': { schema } } });

const problem = (description: string): Tree => ({ description, ...json({ $ref: `${COMPONENTS}Problem` }) });

const parametersOf = (route: Route): Tree[] => {
  const given = route.params === undefined ? {} : ((asInput(route.params) as Tree).properties as Tree);
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: given[name] ?? { type: 'string' },
  }));
  const query = route.query === undefined ? {} : (asInput(route.query) as Tree);
  const required = (query.required ?? []) as string[];
  const asked = Object.entries((query.properties ?? {}) as Tree).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same request under the same key runs once and is answered again with the same bytes.',
    schema: { type: 'string', maxLength: 256 },
  };
  return [...named, ...asked, ...(route.method === 'GET' ? [] : [key])];
};

const answerOf = ({ answer, status, summary }: Route): Tree => {
  if (status === 204) return { description: 'Done' };
  if (typeof answer !== 'string') return { description: summary, ...json(asOutput(answer as z.ZodType)) };
  const schema = answer.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
  return { description: summary, content: { [answer]: { schema } } };
};

const operationOf = (route: Route): Tree => ({
  operationId: route.operation,
  summary: route.summary,
  parameters: parametersOf(route),
  ...(route.request && { requestBody: { required: false, ...json(asInput(route.request)) } }),
  ...(route.open && { security: [] }),
  responses: {
    [route.status]: answerOf(route),
    ...(route.open
      ? {}
      : {
          401: problem('The admin token is missing or wrong'),
          503: problem('Not now: ask again after Retry-After seconds'),
        }),
    default: problem('What went wrong, whose fault it is and what to do next'),
  },
});

export const openApiDocument = (routes: readonly Route[]): object => {
  const paths: Record<string, Tree> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Treadle trainer API',
      version: '1.0.0',
      description:
        "Opens, forks, verifies and closes the sessions in which agents are trained. No session's token works here.",
    },
    servers: [{ url: '/' }],
    security: [{ adminToken: [] }],
    paths,
    components: {
      securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } },
      schemas: components(),
    },
  };
};
