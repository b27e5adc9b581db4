import { describe, expect, it } from 'vitest';
import { segmentKind, verbNoun } from './crud-words.js';
import { identifier, propertyName, toolName, unique } from './names.js';
import { placeOf, shapeOf } from './paths.js';
import { pagingRole, pagingStyle, queryField } from './query.js';

describe('paths', () => {
  it.each([
    ['/v1/customers/{id}/cards', '/v1/customers/{}/cards', undefined],
    ['/2010-04-01/Accounts/{Sid}.json', '/2010-04-01/accounts/{}', undefined],
    ['/jobs/{job}:cancel', '/jobs/{}', 'cancel'],
    ['/v1/{+name}', '/v1/{}', undefined],
    ["/orders(id='{id}')", '/orders/{}', undefined],
    ['/profiles{mediaTypeExtension}', '/profiles', undefined],
    ['/a//b/?x=1', '/a/b', undefined],
    ['/', '/', undefined],
  ])('%s', (path, place, verb) => {
    const shape = shapeOf(path);
    expect([placeOf(shape.segments), shape.verb]).toEqual([place, verb]);
  });
});

describe('words', () => {
  it('reads verbs in segments and rpc names', () => {
    expect(segmentKind('findByStatus')).toBe('search');
    expect(segmentKind('getAll')).toBe('list');
    expect(segmentKind('orders')).toBeUndefined();
    expect(segmentKind('searchEngines')).toBeUndefined();
    expect(verbNoun('conversations.list')).toEqual({ kind: 'list', verb: 'list', noun: 'conversations' });
    expect(verbNoun('createUser')).toEqual({ kind: 'create', verb: 'create', noun: 'user' });
    expect(verbNoun('chat.postMessage')?.kind).toBeUndefined();
  });

  it('tells paging parameters apart', () => {
    expect(['limit', 'perPage', 'page[size]', 'pageToken', 'q', 'startAt', 'status'].map(pagingRole)).toEqual([
      'limit',
      'limit',
      'limit',
      'cursor',
      'query',
      'offset',
      undefined,
    ]);
    const param = (name: string, schema: Record<string, unknown>) => ({
      name,
      in: 'query' as const,
      required: false,
      schema,
      description: undefined,
    });
    expect(pagingStyle([param('page', { type: 'integer', default: 0 })])).toBe('page0');
    expect(pagingStyle([param('page', { type: 'integer' })])).toBe('page1');
    expect(pagingStyle([param('page', { type: 'string' })])).toBe('cursor');
    expect(queryField('created[gte]')).toBe('created.gte');
    expect(queryField('filter.name')).toBe('filter_name');
  });
});

describe('names', () => {
  it('keeps suffixes inside the limit', () => {
    const taken = new Set<string>();
    const long = 'x'.repeat(80);
    const names = [1, 2, 3].map(() => unique(long, taken, 64));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
  });

  it('takes good operation ids and replaces the rest', () => {
    const taken = new Set<string>();
    expect(toolName('issues/list-for-repo', 'list_issues', taken)).toBe('issues_list_for_repo');
    expect(toolName('get-/crm/v3/objects/contacts_getPage', 'list_contacts', taken)).toBe('list_contacts');
    expect(toolName('x'.repeat(70), 'list_things', taken)).toBe('list_things');
    expect(toolName('LIST_THINGS', 'y', taken)).toBe('LIST_THINGS_2');
    expect(toolName('reset', 'y', taken)).toBe('reset_call');
    expect(toolName('日本', 'fallback', taken)).toBe('fallback');
  });

  it('makes identifiers of anything', () => {
    expect(['24h', 'null', 'Crème brûlée', '日付', 'a'.repeat(60)].map((name) => identifier(name, 'field'))).toEqual([
      'n_24h',
      'null_value',
      'creme_brulee',
      'field',
      'a'.repeat(48),
    ]);
    expect(['@type', 'a.b', '', 'x y'].map(propertyName)).toEqual(['_type', 'a_b', 'value', 'x_y']);
  });
});
