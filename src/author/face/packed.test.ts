/** Faces of packed services: every argument is the tool's own and in the request, and what agents have otherwise is not bound. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Face } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import { httpOperations } from '../../document/http.js';
import type { Node } from '../../document/node.js';
import { refsOf } from '../../document/refs.js';
import { authored, type Understood } from '../openapi/author.js';
import { packedFaces } from './packed.js';

const made = (text: string): { services: ServiceSpec[]; understood?: Understood } => {
  const { result, understood } = authored([{ name: 'api', text }], { name: 'api', seed: '1' });
  return { services: result.services, ...(understood ? { understood } : {}) };
};

const folder = new URL('../../../test/fixtures/documents/', import.meta.url);
const documents = readdirSync(folder).filter((name) => /\.(yaml|json)$/.test(name) && !/truncated/.test(name));

describe('every document of the fixtures', () => {
  it.each(documents)('%s', (name) => {
    const { services, understood } = made(readFileSync(new URL(name, folder), 'utf8'));
    if (!understood) return;
    const { root } = understood.understanding.document;
    const operations = new Map(httpOperations(root, refsOf(root)).map((one) => [one.label, one]));
    const faces = packedFaces(understood, services);
    const bound = faces.flatMap(({ bindings }) => bindings.map(({ operation }) => operation));
    expect(new Set(bound).size).toBe(bound.length);
    for (const face of faces) {
      expect(Face.parse(face)).toEqual(face);
      expect(face.unbound.filter(({ operation }) => bound.includes(operation))).toEqual([]);
      const spec = services.find(({ id }) => id === face.service) as ServiceSpec;
      for (const { operation, tool, args } of face.bindings) {
        const own = spec.tools[tool]?.args ?? {};
        const fields = Object.entries(own).map(([arg, { field }]) => field ?? arg);
        expect(operations.has(operation)).toBe(true);
        for (const { to } of args) expect(fields).toContain(to.join('.'));
        const sent = new Set(args.map(({ to }) => to.join('.')));
        for (const [arg, { field, required }] of Object.entries(own))
          if (required) expect(sent).toContain(field ?? arg);
      }
    }
  });
});

const text = { type: 'string' };
const json = (schema: Node): Node => ({ content: { 'application/json': { schema } } });
const note: Node = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: text, body: text, done: { type: 'boolean' } },
};
const key = { name: 'noteId', in: 'path', required: true, schema: { type: 'integer' } };
const NOTES = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        responses: { 200: { description: '', ...json({ type: 'array', items: note }) } },
      },
      post: {
        operationId: 'createNotes',
        requestBody: json({ type: 'array', items: note }),
        responses: { 201: { description: '', ...json(note) } },
      },
    },
    '/notes/{noteId}': {
      parameters: [key],
      get: { operationId: 'getNote', responses: { 200: { description: '', ...json(note) } } },
      put: { operationId: 'putNote', requestBody: json(note), responses: { 200: { description: '', ...json(note) } } },
      delete: { operationId: 'deleteNote', responses: { 204: { description: '' } } },
    },
  },
});

it('binds nothing that agents do one row a call where the document takes a list, nor what corrections dropped', () => {
  const { services, understood } = made(NOTES);
  const [spec] = services as [ServiceSpec];
  const [face] = packedFaces(understood as Understood, [spec]);
  expect(face?.bindings.map(({ operation }) => operation)).not.toContain('POST /notes');
  expect(face?.unbound).toContainEqual({
    operation: 'POST /notes',
    why: expect.stringMatching(/one row a call/) as string,
  });
  const { deleteNote: _, ...tools } = spec.tools;
  const { putNote, ...others } = tools;
  const renamed = { ...spec, tools: { ...others, changeNote: putNote as ServiceSpec['tools'][string] } };
  const [corrected] = packedFaces(understood as Understood, [renamed]);
  expect(corrected?.bindings.find(({ operation }) => operation === 'PUT /notes/{noteId}')?.tool).toBe('changeNote');
  expect(corrected?.unbound.map(({ operation }) => operation)).toContain('DELETE /notes/{noteId}');
});

it('is the same each time', () => {
  const faces = () => {
    const { services, understood } = made(NOTES);
    return packedFaces(understood as Understood, services);
  };
  expect(faces()).toEqual(faces());
});
