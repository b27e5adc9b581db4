import { describe, expect, it } from 'vitest';
import type { Tool } from '../../artifacts/tool.js';
import type { Node } from '../../document/node.js';
import { author, byOperation, inPath, list, object, ok, ref, specOf, takes, text } from './shapes.fixture.js';

describe('shapes of real documents', () => {
  const user = object({ id: text, name: text });

  it('POST on an item updates', () => {
    const spec = specOf(
      {
        '/users': { get: ok(list(ref('User'))), post: { ...takes(ref('User')), ...ok(ref('User')) } },
        '/users/{user}': {
          ...inPath('user'),
          get: ok(ref('User')),
          post: { ...takes(object({ name: text })), ...ok(ref('User')) },
        },
      },
      { User: user },
    );
    expect(byOperation(spec, 'POST /users/{user}')).toMatchObject({
      op: 'update',
      args: { user: { role: 'key' }, name: { role: 'set' } },
    });
  });

  it('taking a member out of a team deletes nobody', () => {
    const { services, report } = author(
      {
        '/users': { get: ok(list(ref('User'))), post: { ...takes(ref('User')), ...ok(ref('User')) } },
        '/users/{id}': { ...inPath('id'), get: ok(ref('User')) },
        '/teams/{team}/members': { ...inPath('team'), get: ok(list(ref('User'))) },
        '/teams/{team}/members/{id}': { ...inPath('team', 'id'), delete: {} },
      },
      { User: user },
    );
    expect(Object.values(services[0]?.tools ?? {}).map(({ op }) => op)).not.toContain('delete');
    expect(report.unmapped.find(({ operation }) => operation.startsWith('DELETE'))?.why).toMatch(/links two things/);
  });

  it('a verb writes what its body says of the row, and takes no argument that does nothing', () => {
    const order = object({
      id: text,
      status: { type: 'string', enum: ['open', 'shipped', 'cancelled'] },
      cancellation_reason: text,
    });
    const spec = specOf(
      {
        '/orders': { get: ok(list(ref('Order'))) },
        '/orders/{id}': { ...inPath('id'), get: ok(ref('Order')) },
        '/orders/{id}/cancel': {
          ...inPath('id'),
          post: { ...takes(object({ cancellation_reason: text, wibble: text })), ...ok(ref('Order')) },
        },
      },
      { Order: order },
    );
    const cancel = byOperation(spec, 'POST /orders/{id}/cancel') as Tool;
    expect(Object.keys(cancel.args).sort()).toEqual(['cancellation_reason', 'id']);
    expect(cancel.writes[0]?.cols).toEqual(['cancellation_reason', 'status']);
  });

  it('a plain value in a body stands for the value of an object in the answer', () => {
    const site = object({
      id: text,
      name: text,
      status: object({ label: text, value: { type: 'string', enum: ['on', 'off'] } }),
    });
    const body = object({ name: text, status: { type: 'string', enum: ['on', 'off'] } }, { required: ['name'] });
    const spec = specOf(
      {
        '/sites': { get: ok(list(ref('Site'))), post: { ...takes(body), ...ok(ref('Site')) } },
        '/sites/{id}': { ...inPath('id'), get: ok(ref('Site')) },
      },
      { Site: site },
    );
    expect(byOperation(spec, 'POST /sites')?.args.status).toMatchObject({ col: 'status_value', field: 'status' });
  });

  it('/v1/{name} takes its resource from the operation id', () => {
    const topic = object({ name: text, labels: object({}), state: text, title: text });
    const spec = specOf(
      {
        '/v1/{parent}/topics': {
          ...inPath('parent'),
          get: {
            operationId: 'news.desks.topics.list',
            ...ok(object({ topics: list(ref('Topic')), nextPageToken: text })),
          },
          post: { operationId: 'news.desks.topics.create', ...takes(ref('Topic')), ...ok(ref('Topic')) },
        },
        '/v1/{name}': {
          ...inPath('name'),
          get: { operationId: 'news.desks.topics.get', ...ok(ref('Topic')) },
          delete: { operationId: 'news.desks.topics.delete' },
        },
      },
      { Topic: topic },
    );
    expect(
      Object.values(spec.tools)
        .map(({ op }) => op)
        .sort(),
    ).toEqual(['create', 'delete', 'get', 'list']);
    expect(spec.tables.topic?.key.col).toBe('name');
  });

  it('dotted procedures are read by their prefix', () => {
    const channel = object({ id: text, name: text, is_archived: { type: 'boolean' } });
    const query = (name: string): Node => ({ parameters: [{ name, in: 'query', required: true, schema: text }] });
    const spec = specOf(
      {
        '/channels.list': { get: ok(object({ ok: { type: 'boolean' }, channels: list(ref('Channel')) })) },
        '/channels.info': {
          get: { ...query('channel'), ...ok(object({ ok: { type: 'boolean' }, channel: ref('Channel') })) },
        },
        '/channels.create': {
          post: { ...query('name'), ...ok(object({ ok: { type: 'boolean' }, channel: ref('Channel') })) },
        },
        '/channels.archive': { post: { ...query('channel'), ...ok(object({ ok: { type: 'boolean' } })) } },
      },
      { Channel: channel },
    );
    expect(byOperation(spec, 'GET /channels.list')?.op).toBe('list');
    expect(byOperation(spec, 'GET /channels.info')).toMatchObject({
      op: 'get',
      args: { channel: { role: 'key', col: 'id' } },
    });
    expect(byOperation(spec, 'POST /channels.create')?.args.name?.role).toBe('set');
    expect(byOperation(spec, 'POST /channels.archive')?.op).toBe('action');
  });

  it('two things of one name under different parents stay two', () => {
    const note = (more: Node): Node => object({ id: text, ...more });
    const nested = (parent: string, name: string): Node => ({
      [`/${parent}`]: { get: ok(list(ref('User'))) },
      [`/${parent}/{p}`]: { ...inPath('p'), get: ok(ref(parent)) },
      [`/${parent}/{p}/notes`]: {
        ...inPath('p'),
        get: ok(list(ref(name))),
        post: { ...takes(ref(name)), ...ok(ref(name)) },
      },
      [`/${parent}/{p}/notes/{id}`]: { ...inPath('p', 'id'), get: ok(ref(name)) },
    });
    const spec = specOf(
      { ...nested('ships', 'ShipNote'), ...nested('ports', 'PortNote') },
      {
        User: user,
        ships: object({ id: text, hull: text }),
        ports: object({ id: text, town: text }),
        ShipNote: note({ knots: text, crew: text }),
        PortNote: note({ berth: text, tide: text }),
      },
    );
    expect(
      Object.keys(spec.tables)
        .filter((name) => name.endsWith('note'))
        .sort(),
    ).toEqual(['port_note', 'ship_note']);
  });
});
