import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Node } from '../../document/node.js';
import { compileService } from '../../world/program/compile.js';
import { derivedContract } from '../../world/program/contract.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import { author, byOperation, inPath, list, object, ok, ref, specOf, takes, text } from './shapes.fixture.js';
import type { DocumentResult } from './types.js';

const done: Node = { responses: { 204: { description: 'done' } } };
const call = (operationId: string, body?: Node, answer?: Node): Node => ({
  post: { operationId, ...(body ? takes(body) : {}), ...(answer ? ok(answer) : done) },
});
const stateful = ({ report }: DocumentResult): string[] =>
  report.entities
    .filter((entity) => entity.stateful)
    .map(({ name }) => name)
    .sort();
const why = ({ report }: DocumentResult, operation: string): string | undefined =>
  report.unmapped.find((one) => one.operation === operation)?.why;

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => engine.close());

/** Every tool touches exactly what it declares. */
const truthful = (spec: ServiceSpec): void => {
  const program = compileService(spec);
  const conn = engine.connection(program.ddlKey);
  const state = State.open(engine.build(program.ddl, () => undefined));
  conn.bind(state);
  for (const [tool, { reads, writes }] of Object.entries(spec.tools)) {
    const sorted = writes.map((write) => (write.cols ? { ...write, cols: [...write.cols].sort() } : write));
    expect({ tool, reads: [...reads].sort(), writes: sorted }).toEqual({
      tool,
      ...derivedContract(program, tool, conn),
    });
  }
  state.drop();
};

describe('procedures under one root, each named by its id', () => {
  const Kiln = object({ kilnName: text, heat: { type: 'integer' }, status: { type: 'string', enum: ['ON', 'OFF'] } });
  const kilns: Node = {
    '/v1/works/createKiln': call('CreateKiln', object({ kilnName: text, heat: { type: 'integer' } }), ref('Kiln')),
    '/v1/works/listKilns': call('ListKilns', undefined, object({ kilns: list(ref('Kiln')) })),
    '/v1/works/getKiln/{kilnName}': { get: { ...inPath('kilnName'), operationId: 'GetKiln', ...ok(ref('Kiln')) } },
    '/v1/works/deleteKiln/{kilnName}': { delete: { ...inPath('kilnName'), operationId: 'DeleteKiln', ...done } },
  };

  it('are read as calls on one resource, keyed by the parameter after them', () => {
    const spec = specOf(kilns, { Kiln });
    expect(Object.keys(spec.tables)).toEqual(['kiln']);
    expect(byOperation(spec, 'GET /v1/works/getKiln/{kilnName}')).toMatchObject({
      op: 'get',
      args: { kiln_name: { role: 'key', required: true } },
    });
    expect(byOperation(spec, 'DELETE /v1/works/deleteKiln/{kilnName}')?.op).toBe('delete');
    expect(byOperation(spec, 'POST /v1/works/createKiln')?.op).toBe('create');
  });

  it('but a collection with words of its own under it stays one', () => {
    const Card = object({ cardId: text, name: text });
    const cards: Node = {
      '/cards/list': { get: { operationId: 'cardList', ...ok(list(ref('Card'))) } },
      '/cards/createCard': call('createCard', object({ name: text }), ref('Card')),
      '/cards/getCard/{cardId}': { get: { ...inPath('cardId'), operationId: 'getCard', ...ok(ref('Card')) } },
      '/cards/{cardId}': { delete: { ...inPath('cardId'), ...done } },
    };
    const { entities } = author(cards, { Card }).report;
    expect(entities.map(({ name }) => name)).toContain('card');
    expect(entities.find(({ name }) => name === 'card')?.key).toBe('card_id');
  });

  it('what asks for nothing and answers with one thing is the only one of its kind', () => {
    const Rules = object({ days: { type: 'integer' }, mode: text });
    const spec = specOf(
      {
        ...kilns,
        '/v1/works/getHouseRules': call('GetHouseRules', undefined, ref('Rules')),
        '/v1/works/putHouseRules': call('PutHouseRules', ref('Rules')),
      },
      { Kiln, Rules },
    );
    expect(spec.tables.house_rule?.rows).toBe(1);
    expect(byOperation(spec, 'POST /v1/works/getHouseRules')?.args).toEqual({});
    expect(byOperation(spec, 'POST /v1/works/putHouseRules')?.writes).toEqual([
      { table: 'house_rule', cols: ['days', 'mode'] },
    ]);
  });

  it('what is opened or requested comes to be, unless the call names it', () => {
    const Shaft = object({ shaftId: text, depth: { type: 'integer' } });
    const shafts = (body: Node): Node => ({
      '/openShaft': call('OpenShaft', body, object({ shaftId: text })),
      '/describeShaft': call('DescribeShaft', object({ shaftId: text }, { required: ['shaftId'] }), ref('Shaft')),
      '/listShafts': call('ListShafts', undefined, object({ shafts: list(ref('Shaft')) })),
    });
    const made = specOf(shafts(object({ depth: { type: 'integer' } })), { Shaft });
    expect(byOperation(made, 'POST /openShaft')?.op).toBe('create');
    const named = author(shafts(object({ shaftId: text, depth: { type: 'integer' } })), { Shaft });
    const tools = named.services.flatMap((spec) => Object.values(spec.tools));
    expect(tools.some((tool: Tool) => tool.op === 'create')).toBe(false);
  });
});

describe('reads by POST and parameters as routers write them', () => {
  const Case = object({ caseId: text, title: text });

  it('POST on a row with the id GetCase reads it, cases-list lists them', () => {
    const spec = specOf(
      {
        '/cases': call('CreateCase', object({ title: text }), ref('Case')),
        '/cases-list': call('ListCases', undefined, object({ cases: list(ref('Case')) })),
        '/cases/{caseId}': { post: { ...inPath('caseId'), operationId: 'GetCase', ...ok(ref('Case')) } },
      },
      { Case },
    );
    expect(byOperation(spec, 'POST /cases/{caseId}')?.op).toBe('get');
    expect(byOperation(spec, 'POST /cases-list')?.op).toBe('list');
  });

  it('/hooks/:id names a row', () => {
    const spec = specOf(
      {
        '/hooks': {
          get: ok(list(object({ id: text, url: text }))),
          post: { ...takes(object({ url: text })), ...done },
        },
        '/hooks/:id': { delete: { ...inPath('id'), ...done } },
      },
      {},
    );
    expect(byOperation(spec, 'DELETE /hooks/:id')).toMatchObject({ op: 'delete', args: { id: { role: 'key' } } });
  });

  it('an action whose call names no row is not counted as understood', () => {
    const result = author(
      {
        '/cases': { get: ok(list(ref('Case'))), post: { ...takes(object({ title: text })), ...ok(ref('Case')) } },
        '/cases/{caseId}': { get: { ...inPath('caseId'), ...ok(ref('Case')) } },
        '/cases/archive': { post: done },
      },
      { Case },
    );
    expect(result.report.unmapped).toEqual([
      { operation: 'POST /cases/archive', why: 'nothing in the call names the row' },
    ]);
  });
});

const Tag = object({ Key: text, Value: text }, { required: ['Key'] });
const owned = (more: Node): Node => object({ Arn: text, ...more }, { required: ['Arn'] });
const boats: Node = {
  '/createBoat': call('CreateBoat', object({ name: text }), object({ boatId: text, name: text })),
  '/listBoats': call('ListBoats', undefined, object({ boats: list(object({ boatId: text, name: text })) })),
};
const tags: Node = {
  '/listTagsForResource': call('ListTagsForResource', owned({}), object({ Tags: list(ref('Tag')) })),
  '/tagResource': call('TagResource', owned({ Tags: list(ref('Tag')) })),
  '/untagResource': call('UntagResource', owned({ TagKeys: list(text) })),
};

describe('what is written at another address', () => {
  const names = ['number', 'customer', 'total', 'currency', 'memo'];
  const Bill = object({ id: text, ...Object.fromEntries(names.map((name) => [name, text])) });
  const Receipt = object({ receiptId: text, queuedAt: text, state: text });
  const shown = (root: string): Node => ({
    [`/${root}/bills`]: { get: ok(list(ref('Bill'))) },
    [`/${root}/bills/{id}`]: { get: { ...inPath('id'), ...ok(ref('Bill')) } },
  });
  const pushed = (fields: readonly string[]): Node => ({
    '/push/bills': {
      post: { ...takes(object(Object.fromEntries(fields.map((name) => [name, text])))), ...ok(ref('Receipt')) },
    },
  });

  it('is what the one place of that noun shows', () => {
    const spec = specOf({ ...shown('data'), ...pushed(names) }, { Bill, Receipt });
    expect(Object.values(spec.tables)).toHaveLength(1);
    expect(byOperation(spec, 'POST /push/bills')).toMatchObject({ op: 'create', args: { memo: { col: 'memo' } } });
  });

  it.each([
    ['where little of it is shown', { ...shown('data'), ...pushed(['number', 'a', 'b', 'c', 'd']) }],
    ['where its names are few', { ...shown('data'), ...pushed(names.slice(0, 2)) }],
    ['without a body', { ...shown('data'), '/push/bills': { post: ok(ref('Receipt')) } }],
  ])('but not %s', (_, paths) => {
    expect(stateful(author(paths, { Bill, Receipt }))).toEqual([]);
  });

  it('a word that sounds computed is kept where it is set and shown, and no other', () => {
    const Hook = object({ url: text, retries: { type: 'integer' } });
    const paths = (more: Node): Node => ({
      '/bills': { get: ok(list(ref('Bill'))), post: { ...takes(ref('Bill')), ...ok(ref('Bill')) } },
      '/bills/{id}': { get: { ...inPath('id'), ...ok(ref('Bill')) } },
      '/bills/{id}/callback': { get: { ...inPath('id'), ...ok(ref('Hook')) }, ...more },
    });
    const put: Node = { put: { ...inPath('id'), ...takes(ref('Hook')), ...done } };
    expect(stateful(author(paths(put), { Bill, Hook }))).toEqual(['bill', 'callback']);
    expect(stateful(author(paths({}), { Bill, Hook }))).toEqual(['bill']);
  });

  it('upsert makes a row', () => {
    const spec = specOf(
      { ...shown('data'), '/data/bills/upsert': { post: { ...takes(ref('Bill')), ...done } } },
      { Bill },
    );
    expect(byOperation(spec, 'POST /data/bills/upsert')?.op).toBe('create');
  });
});

describe('tags', () => {
  it('are rows under what they hang on, added, replaced and taken off', () => {
    const result = author({ ...boats, ...tags }, { Tag });
    expect(stateful(result)).toEqual(['boat', 'tag']);
    const [spec] = result.services as [ServiceSpec];
    expect(spec.tables.tag?.cols).toMatchObject({
      row_key: { hidden: true },
      arn: { hidden: true },
      key: {},
      value: {},
    });
    expect(byOperation(spec, 'POST /listTagsForResource')?.args.arn).toMatchObject({ role: 'filter', required: true });
    expect(byOperation(spec, 'POST /tagResource')).toMatchObject({
      args: { arn: { required: true }, key: { required: true }, value: { col: 'value' } },
      writes: [{ table: 'tag', insert: true, cols: ['value'] }],
    });
    expect(byOperation(spec, 'POST /untagResource')?.args).toMatchObject({ arn: {}, tag_key: { col: 'key' } });
    truthful(spec);
  });

  it('called by GET and by POST are listed once', () => {
    const query = { name: 'Arn', in: 'query', required: true, schema: text };
    const twin: Node = {
      '/#Action=ListTagsForResource': {
        get: { operationId: 'GET_ListTagsForResource', parameters: [query], ...ok(object({ Tags: list(ref('Tag')) })) },
        ...call('POST_ListTagsForResource', owned({}), object({ Tags: list(ref('Tag')) })),
      },
    };
    const { '/listTagsForResource': _, ...writes } = tags;
    const result = author({ ...boats, ...writes, ...twin }, { Tag });
    expect(result.report.entities.map(({ name }) => name).sort()).toEqual(['boat', 'tag']);
    expect(result.report.unmapped.map(({ why: reason }) => reason)).toEqual(['another operation does the same']);
  });

  it.each([
    ['that are kept as one object', { '/tagResource': call('TagResource', owned({ Tags: object({}) })) }],
    [
      'of something the list does not name',
      { '/tagResource': call('TagResource', object({ Tags: list(ref('Tag')) })) },
    ],
    ['nobody can add', { '/tagResource': call('TagResource') }],
  ])('%s are no rows', (_, other) => {
    expect(stateful(author({ ...boats, ...tags, ...other }, { Tag }))).not.toContain('tag');
  });
});

describe('keys of a row', () => {
  const Account = object({ id: text, name: text });
  const Keys = object({ primaryKey: text, secondaryKey: text });
  const accounts = (renew: Node): Node => ({
    '/accounts': { get: ok(list(ref('Account'))), post: { ...takes(object({ name: text })), ...ok(ref('Account')) } },
    '/accounts/{id}': { get: { ...inPath('id'), ...ok(ref('Account')) } },
    '/accounts/{id}/listKeys': { post: { ...inPath('id'), ...ok(ref('Keys')) } },
    ...renew,
  });
  const body = (schema: Node): Node => ({
    '/accounts/{id}/regenerateKey': { post: { ...inPath('id'), ...takes(object({ keyType: schema })), ...done } },
  });
  it('are read and made anew: the one that the call chooses', () => {
    const result = author(accounts(body({ type: 'string', enum: ['Primary', 'Secondary', 'Both"'] })), {
      Account,
      Keys,
    });
    expect(stateful(result)).toEqual(['account', 'key']);
    const tool = byOperation(result.services[0] as ServiceSpec, 'POST /accounts/{id}/regenerateKey');
    expect(tool?.args.key_type).toMatchObject({ enum: ['Primary', 'Secondary'], required: true });
    expect(tool?.writes).toEqual([{ table: 'key', cols: ['primary_key', 'secondary_key'] }]);
    truthful(result.services[0] as ServiceSpec);
  });

  it('or the one that the call is named after', () => {
    const spec = specOf(accounts({ '/accounts/{id}/regenerateSecondaryKey': { post: { ...inPath('id'), ...done } } }), {
      Account,
      Keys,
    });
    expect(byOperation(spec, 'POST /accounts/{id}/regenerateSecondaryKey')?.writes).toEqual([
      { table: 'key', cols: ['secondary_key'] },
    ]);
  });

  it('nothing is made anew where nothing says which', () => {
    const result = author(accounts(body(text)), { Account, Keys });
    expect(stateful(result)).toEqual(['account']);
    expect(why(result, 'POST /accounts/{id}/regenerateKey')).toBe('its body has no fields to write');
  });
});
