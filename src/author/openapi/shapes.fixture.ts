/** Small documents for tests: schemas, bodies and answers in few words. */
import { expect } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Node } from '../../document/node.js';
import { compileService } from '../../world/program/compile.js';
import { authorFromDocument } from './author.js';
import type { DocumentResult } from './types.js';

export const text = { type: 'string' };
export const object = (properties: Node, more: Node = {}): Node => ({ type: 'object', properties, ...more });
export const ref = (name: string): Node => ({ $ref: `#/components/schemas/${name}` });
export const ok = (schema: Node): Node => ({
  responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
});
export const takes = (schema: Node): Node => ({ requestBody: { content: { 'application/json': { schema } } } });
export const inPath = (...names: string[]): Node => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: text })),
});
export const list = (schema: Node): Node => ({ type: 'array', items: schema });

export const author = (paths: Node, schemas: Node): DocumentResult =>
  authorFromDocument(JSON.stringify({ openapi: '3.0.0', info: { title: 'Shapes' }, paths, components: { schemas } }), {
    name: 'shapes',
    seed: 's',
  });
export const specOf = (paths: Node, schemas: Node): ServiceSpec => {
  const [spec] = author(paths, schemas).services;
  expect(spec).toBeDefined();
  compileService(spec as ServiceSpec);
  return spec as ServiceSpec;
};
export const byOperation = (spec: ServiceSpec, operation: string): Tool | undefined =>
  Object.values(spec.tools).find((tool) => tool.provenance.operation === operation);
