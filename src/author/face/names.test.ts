/** Rows are named in many ways: by a word of the answer's wrapper, by another column than the key, by a number that answers write as text. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileFake } from '../../fake/compile.js';
import type { Json } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import type { CallOutcome } from '../../serve/tool-host.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';

const ok = (schema: object): object => ({ '200': { description: 'ok', content: { 'application/json': { schema } } } });
const text = { type: 'string' };
const channel = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: text, name: text, topic: text, is_archived: { type: 'boolean' } },
};
const one = { type: 'object', properties: { ok: { type: 'boolean' }, channel } };
const form = (properties: object, required: string[]): object => ({
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', required, properties } } },
});
const path = (name: string, type: string): object => ({ name, in: 'path', required: true, schema: { type } });
const team = {
  type: 'object',
  required: ['id', 'slug', 'name'],
  properties: { id: { type: 'integer' }, slug: text, name: text },
};
const thread = { type: 'object', required: ['id'], properties: { id: text, subject: text } };

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Names', version: '1' },
  paths: {
    '/conversations.list': {
      get: {
        responses: ok({
          type: 'object',
          properties: { ok: { type: 'boolean' }, channels: { type: 'array', items: channel } },
        }),
      },
    },
    '/conversations.info': {
      get: { parameters: [{ name: 'channel', in: 'query', required: true, schema: text }], responses: ok(one) },
    },
    '/conversations.create': { post: { requestBody: form({ name: text, topic: text }, ['name']), responses: ok(one) } },
    '/conversations.rename': {
      post: { requestBody: form({ channel: text, name: text }, ['channel', 'name']), responses: ok(one) },
    },
    '/orgs/teams': {
      get: { responses: ok({ type: 'array', items: team }) },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['name', 'slug'], properties: { name: text, slug: text } },
            },
          },
        },
        responses: ok(team),
      },
    },
    '/orgs/teams/{team_slug}': { get: { parameters: [path('team_slug', 'string')], responses: ok(team) } },
    '/teams/{team_id}': { get: { parameters: [path('team_id', 'integer')], responses: ok(team) } },
    '/threads': {
      get: { responses: ok({ type: 'array', items: thread }) },
      post: {
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', required: ['subject'], properties: { subject: text } } },
          },
        },
        responses: ok(thread),
      },
    },
    '/threads/{thread_id}': { get: { parameters: [path('thread_id', 'integer')], responses: ok(thread) } },
  },
};

let engine: Engine;
let world: LoadedWorld;
let call: (operation: string, args?: Record<string, Json>) => CallOutcome;
beforeAll(async () => {
  engine = await Engine.start();
  const { built, face } = compileFake(engine, {
    documents: [{ name: 'names', text: JSON.stringify(DOCUMENT) }],
    seed: '1',
  });
  world = loadWorld(engine, built, { lazy: true });
  const session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo', email: 'bo@fixture.example' }) });
  call = (operation, args = {}) =>
    session.call(face.bindings.find((each) => each.operation === operation)?.tool ?? operation, args);
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

type Row = Record<string, Json>;

describe('rows are named', () => {
  it('by the word that their answers wrap them in', () => {
    const made = call('POST /conversations.create', { name: 'roof', topic: 'leaks' });
    expect(made.result).toMatchObject({ ok: true, channel: { name: 'roof', topic: 'leaks' } });
    const { id } = (made.result as { channel: Row }).channel;
    expect(call('GET /conversations.info', { channel: id as Json }).result).toEqual(made.result);
    const renamed = call('POST /conversations.rename', { channel: id as Json, name: 'cellar' });
    expect(renamed.result).toMatchObject({ ok: true, channel: { id, name: 'cellar', topic: 'leaks' } });
    expect(call('GET /conversations.info', { channel: 'nobody' }).error?.status).toBe(404);
  });

  it('by another column than the key, which new rows get too', () => {
    const made = call('POST /orgs/teams', { name: 'Core', slug: 'core' }).result as Row;
    expect(typeof made.id).toBe('number');
    expect(call('GET /teams/{team_id}', { team_id: made.id as Json }).result).toEqual(made);
    expect(call('GET /orgs/teams/{team_slug}', { team_slug: 'core' }).result).toEqual(made);
    const [seeded] = call('GET /orgs/teams').result as Row[];
    expect(call('GET /teams/{team_id}', { team_id: seeded?.id as Json }).ok).toBe(true);
  });

  it('by numbers that answers write as text', () => {
    const made = call('POST /threads', { subject: 'x' }).result as Row;
    expect(made.id).toMatch(/^\d+$/);
    expect(call('GET /threads/{thread_id}', { thread_id: Number(made.id) }).result).toEqual(made);
  });
});
