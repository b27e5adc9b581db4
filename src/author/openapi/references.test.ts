/** What a foreign key must not be: another identifier, another kind, another place's row. */

import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Node } from '../../document/node.js';
import { compileService } from '../../world/program/compile.js';
import { authorFromDocument } from './author.js';
import { byOperation, inPath, list, object, ok, ref, specOf, takes, text } from './shapes.fixture.js';

/** A collection that is listed, made, read and deleted. */
const collection = (place: string, key: string, schema: string, ...outer: string[]): Node => ({
  [place]: {
    ...inPath(...outer),
    get: ok(list(ref(schema))),
    post: { ...takes(ref(schema)), ...ok(ref(schema)) },
  },
  [`${place}/{${key}}`]: { ...inPath(...outer, key), get: ok(ref(schema)), delete: { responses: {} } },
});
const fkOf = (spec: ServiceSpec, table: string, col: string): string | undefined => spec.tables[table]?.cols[col]?.fk;

describe('references', () => {
  it('an id beside the key is what others name, not the key', () => {
    const Environment = object({ environment_name: text, environment_id: text, region: text });
    const Template = object({ id: text, environment_id: text, environment_name: text });
    const spec = specOf(
      {
        ...collection('/environments', 'environment_name', 'Environment'),
        ...collection('/templates', 'id', 'Template'),
      },
      { Environment, Template },
    );
    expect(spec.tables.environment?.key.col).toBe('environment_name');
    expect(fkOf(spec, 'template', 'environment_id')).toBeUndefined();
    expect(fkOf(spec, 'template', 'environment_name')).toBe('environment');
  });

  it('an object that only has an id of its own is not the row of a table keyed by name', () => {
    const Operation = object({ name: text, done: { type: 'boolean' } });
    const Entry = object({ id: text, line: text, operation: object({ id: text, producer: text }) });
    const spec = specOf(
      { ...collection('/operations', 'name', 'Operation'), ...collection('/entries', 'id', 'Entry') },
      { Operation, Entry },
    );
    expect(fkOf(spec, 'entry', 'operation_id')).toBeUndefined();
  });

  it('an override by the admin is none of the producer, a previous one is', () => {
    const Override = object({ id: text, value: text });
    const Bucket = object({ id: text, admin_override: ref('Override'), previous_override: ref('Override') });
    const spec = specOf(
      { ...collection('/producer_overrides', 'id', 'Override'), ...collection('/buckets', 'id', 'Bucket') },
      { Override, Bucket },
    );
    const fks = Object.entries(spec.tables.bucket?.cols ?? {}).flatMap(([name, { fk }]) => (fk ? [name] : []));
    expect(fks).toEqual(['previous_override_id']);
  });

  it('a column named as the path names its outer row is that row', () => {
    const Environment = object({ environment_id: text, title: text });
    const Farm = object({ environment_id: text, size: text });
    const Cluster = object({ id: text, environment_id: text, kind: text });
    const spec = specOf(
      {
        ...collection('/environments', 'environment_id', 'Environment'),
        ...collection('/farm/environments', 'environment_id', 'Farm'),
        ...collection('/farm/environments/{environment_id}/clusters', 'id', 'Cluster', 'environment_id'),
      },
      { Environment, Farm, Cluster },
    );
    const target = fkOf(spec, 'cluster', 'environment_id');
    expect(target).toBeDefined();
    expect(byOperation(spec, 'POST /farm/environments')?.table).toBe(target);
  });

  it('an owner is a user, not a member of some fleet', () => {
    const Member = object({ member_id: text, role: text });
    const Fleet = object({ fleet_id: text, motd: text });
    const Event = object({ id: text, owner_id: text, title: text });
    const spec = specOf(
      {
        ...collection('/fleets', 'fleet_id', 'Fleet'),
        ...collection('/fleets/{fleet_id}/members', 'member_id', 'Member', 'fleet_id'),
        ...collection('/events', 'id', 'Event'),
      },
      { Member, Fleet, Event },
    );
    expect(fkOf(spec, 'event', 'owner_id')).toBeUndefined();
  });

  it('a table of what others have is not named by their noun', () => {
    const spec = specOf(
      {
        '/genes/map/{mapKey}': { ...inPath('mapKey'), get: ok(list(ref('MappedGene'))) },
        ...collection('/schemas', 'endpoint_arn', 'SchemaList'),
        ...collection('/links', 'name', 'Link'),
        ...collection('/approvals', 'id', 'Approval'),
      },
      {
        MappedGene: object({ map_key: text, gene: text }),
        SchemaList: object({ endpoint_arn: text, size: text }),
        Link: object({ name: text, id: text }),
        Approval: object({
          id: text,
          map_key: text,
          schema_id: text,
          link: { type: 'string', description: 'The id of the link.' },
        }),
      },
    );
    for (const [name, { fk }] of Object.entries(spec.tables.approval?.cols ?? {}))
      expect([name, fk]).toEqual([name, undefined]);
  });

  it('lists of schemas that each say another kind stay apart', () => {
    const comment = { id: text, body: text, url: text, created_by: text, node: text };
    const spec = specOf(
      {
        ...collection('/gists', 'gist_id', 'Gist'),
        ...collection('/gists/{gist_id}/comments', 'comment_id', 'GistComment', 'gist_id'),
        ...collection('/issues', 'issue_id', 'Issue'),
        '/issues/{issue_id}/comments': { ...inPath('issue_id'), get: ok(list(ref('IssueComment'))) },
      },
      {
        Gist: object({ gist_id: text, title: text }),
        Issue: object({ issue_id: text, title: text }),
        GistComment: object(comment),
        IssueComment: object(comment),
      },
    );
    const gist = byOperation(spec, 'POST /gists/{gist_id}/comments')?.table ?? '';
    expect(Object.values(spec.tables[gist]?.cols ?? {}).map(({ fk }) => fk)).not.toContain('issue');
  });
});

describe('packs and contracts', () => {
  it('a part keeps its key when its owner is in another pack', () => {
    const paths = {
      ...collection('/companies', 'company_id', 'Company'),
      '/companies/{company_id}/settings': {
        ...inPath('company_id'),
        get: ok(ref('Settings')),
        patch: { ...takes(ref('Settings')), ...ok(ref('Settings')) },
      },
      ...collection('/stores', 'id', 'Store'),
    };
    const schemas = {
      Company: object({ company_id: text, title: text }),
      Settings: object({ theme: text, greeting: text }),
      Store: object({ id: text, city: text }),
    };
    for (const most of [4, 5, 6]) {
      const { services } = authorFromDocument(
        JSON.stringify({ openapi: '3.0.0', info: { title: 'Packs' }, paths, components: { schemas } }),
        { name: 'packs', seed: 's', budget: { tools: most } },
      );
      for (const spec of services) {
        compileService(spec);
        for (const { key, cols } of Object.values(spec.tables)) expect(Object.keys(cols)).toContain(key.col);
      }
    }
  });

  it('a parameter that only says which procedure is called is no column', () => {
    const query = (action: string, ...names: string[]): Node => ({
      parameters: [
        { name: 'Action', in: 'query', required: true, schema: { type: 'string', enum: [action] } },
        ...names.map((name) => ({ name, in: 'query', required: true, schema: text })),
      ],
    });
    const spec = specOf(
      {
        '/#Action=ListTemplates': {
          get: { operationId: 'ListTemplates', ...query('ListTemplates'), ...ok(list(ref('Template'))) },
        },
        '/#Action=CreateTemplate': {
          get: { operationId: 'CreateTemplate', ...query('CreateTemplate', 'TemplateName', 'Subject') },
        },
        '/#Action=UpdateTemplate': {
          get: { operationId: 'UpdateTemplate', ...query('UpdateTemplate', 'TemplateName', 'Subject') },
        },
        '/#Action=GetTemplate': {
          get: { operationId: 'GetTemplate', ...query('GetTemplate', 'TemplateName'), ...ok(ref('Template')) },
        },
      },
      { Template: object({ TemplateName: text, Subject: text }) },
    );
    expect(Object.keys(spec.tables.template?.cols ?? {})).not.toContain('action');
    for (const { args } of Object.values(spec.tools))
      expect(Object.values(args).map(({ col }) => col)).not.toContain('action');
  });

  it('deleting all of one owner reads them, and one column takes one argument', () => {
    const spec = specOf(
      {
        ...collection('/users', 'username', 'User'),
        '/users/{username}/credentials': {
          ...inPath('username'),
          get: ok(list(ref('Credential'))),
          post: { ...takes(object({ kind: text, user_id: text })), ...ok(ref('Credential')) },
          delete: { responses: {} },
        },
      },
      { User: object({ username: text, city: text }), Credential: object({ id: text, kind: text, user_id: text }) },
    );
    const remove = byOperation(spec, 'DELETE /users/{username}/credentials');
    expect(remove?.reads).toEqual(expect.arrayContaining([remove?.table]));
    const args = Object.values(byOperation(spec, 'POST /users/{username}/credentials')?.args ?? {});
    expect(args.filter(({ col }) => col === 'user_id')).toHaveLength(1);
  });
});
