import { describe, expect, it } from 'vitest';
import type { Arg } from '../../artifacts/tool.js';
import type { Node } from '../../document/node.js';
import { author, byOperation, inPath, list, object, ok, ref, specOf, takes, text } from './shapes.fixture.js';

const done: Node = { responses: { 204: { description: 'done' } } };
const named = (operationId: string, node: Node): Node => ({ operationId, ...node });
const User = object({ id: text, name: text });
const Team = object({ id: text, title: text });
const users: Node = {
  '/users': { get: ok(list(ref('User'))), post: { ...takes(ref('User')), ...ok(ref('User')) } },
  '/users/{id}': { ...inPath('id'), get: ok(ref('User')), delete: done },
};
const teams: Node = {
  '/teams': { get: ok(list(ref('Team'))), post: { ...takes(ref('Team')), ...ok(ref('Team')) } },
  '/teams/{team}': { ...inPath('team'), get: ok(ref('Team')) },
};
const roles = (args: Record<string, Arg> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(args ?? {}).map(([name, { role }]) => [name, role]));

describe('links of two resources', () => {
  const members: Node = {
    '/teams/{team}/members': {
      ...inPath('team'),
      get: ok(list(ref('User'))),
      post: { ...takes(object({ user_ids: list(text) })), ...done },
    },
    '/teams/{team}/members/{user}': { ...inPath('team', 'user'), get: done, delete: named('removeMember', done) },
  };

  it('members are listed, added, looked for and taken out, and nobody is deleted', () => {
    const spec = specOf({ ...users, ...teams, ...members }, { User, Team });
    const link = spec.tables.team_member_link;
    expect(link).toMatchObject({ cols: { owner_key: { fk: 'team' }, linked_key: { fk: 'user' } } });
    expect(link?.unique).toEqual([['owner_key', 'linked_key']]);
    expect(byOperation(spec, 'GET /teams/{team}/members')).toMatchObject({
      op: 'action',
      returns: { rows: 'found', table: 'user' },
      writes: [],
    });
    expect(byOperation(spec, 'POST /teams/{team}/members')).toMatchObject({
      args: { team: { ref: 'team' }, user_id: { ref: 'user', required: true } },
      writes: [{ table: 'team_member_link', insert: true }],
      provenance: { note: expect.stringContaining('one row a call') },
    });
    expect(byOperation(spec, 'DELETE /teams/{team}/members/{user}')?.writes).toEqual([
      { table: 'team_member_link', delete: true },
    ]);
    expect(byOperation(spec, 'GET /teams/{team}/members/{user}')?.reads).toContain('team_member_link');
  });

  it('a nested place that makes rows of its own is no link', () => {
    const own: Node = {
      '/teams/{team}/members': {
        ...inPath('team'),
        get: ok(list(ref('User'))),
        post: { ...takes(object({ name: text, age: text, city: text })), ...ok(ref('User')) },
      },
    };
    const spec = specOf({ ...users, ...teams, ...own }, { User, Team });
    expect(Object.keys(spec.tables).sort()).toEqual(['team', 'user']);
  });

  it('a foreign key needs a name that says no more than which one', () => {
    const Config = object({ id: text, label: text });
    const Host = object({
      id: text,
      config_id: text,
      primary_config_id: text,
      mesh_config_id: text,
      previous_config_id: { type: 'string', format: 'email' },
    });
    const spec = specOf(
      {
        '/configs': { get: ok(list(ref('Config'))), post: { ...takes(ref('Config')), ...ok(ref('Config')) } },
        '/configs/{id}': { ...inPath('id'), get: ok(ref('Config')) },
        '/hosts': { get: ok(list(ref('Host'))), post: { ...takes(ref('Host')), ...ok(ref('Host')) } },
        '/hosts/{id}': { ...inPath('id'), get: ok(ref('Host')) },
      },
      { Config, Host },
    );
    const { cols = {} } = spec.tables.host ?? {};
    expect(cols.config_id?.fk).toBe('config');
    expect(cols.primary_config_id?.fk).toBe('config');
    expect(cols.mesh_config_id?.fk).toBeUndefined();
    expect(cols.previous_config_id?.fk).toBeUndefined();
  });
});

describe('what a path names besides the row', () => {
  it('several keys in a path are a list of rows', () => {
    const spec = specOf({ ...teams, '/teams/{ids}': { ...inPath('ids'), get: ok(list(ref('Team'))) } }, { Team });
    expect(byOperation(spec, 'GET /teams/{ids}')?.args.ids).toMatchObject({ type: 'list', op: 'in', col: 'id' });
  });
});

describe('many rows at once, and order', () => {
  const Item = object({ id: text, name: text, created_at: { type: 'string', format: 'date-time' } });

  it('a batch is one row a call, or what the single call does', () => {
    const { report, services } = author(
      {
        '/items': { get: ok(list(ref('Item'))), post: { ...takes(ref('Item')), ...ok(ref('Item')) } },
        '/items/{id}': { ...inPath('id'), get: ok(ref('Item')) },
        '/items/batch': { post: { ...takes(list(ref('Item'))), ...ok(list(ref('Item'))) } },
        '/items/bulk-delete': { post: { ...takes(object({ ids: list(text) })), ...done } },
      },
      { Item },
    );
    expect(report.unmapped).toEqual([
      { operation: 'POST /items/batch', why: 'another operation does the same', kind: 'create' },
    ]);
    const [spec] = services;
    expect(Object.values(spec?.tools ?? {}).find(({ op }) => op === 'delete')?.args.id).toMatchObject({ role: 'key' });
  });

  it('a direction turns the order round', () => {
    const query = (name: string, schema: Node): Node => ({ name, in: 'query', schema });
    const parameters = [
      query('sort', { type: 'string', enum: ['name', 'created_at'] }),
      query('direction', { type: 'string', enum: ['asc', 'desc'] }),
    ];
    const spec = specOf(
      {
        '/items': {
          get: { parameters, ...ok(list(ref('Item'))) },
          post: { ...takes(ref('Item')), ...ok(ref('Item')) },
        },
        '/items/{id}': { ...inPath('id'), get: ok(ref('Item')) },
      },
      { Item },
    );
    const tool = byOperation(spec, 'GET /items');
    expect(roles(tool?.args)).toMatchObject({ sort: 'sort', direction: 'input' });
    expect(JSON.stringify(tool?.steps)).toContain("args.direction in ['desc']");
  });

  it('a row of which only the key is known is still there or gone', () => {
    const Tag = object({ name: text });
    const spec = specOf(
      {
        '/items': { get: ok(list(ref('Item'))), post: { ...takes(ref('Item')), ...ok(ref('Item')) } },
        '/items/{id}': { ...inPath('id'), get: ok(ref('Item')) },
        '/tags': { get: ok(list(ref('Tag'))), post: { ...takes(ref('Tag')), ...ok(ref('Tag')) } },
        '/tags/{name}': { ...inPath('name'), get: ok(ref('Tag')), delete: done },
      },
      { Item, Tag },
    );
    expect(Object.keys(spec.tables.tag?.cols ?? {})).toEqual(['name']);
    expect(byOperation(spec, 'DELETE /tags/{name}')).toMatchObject({ op: 'delete' });
  });
});
