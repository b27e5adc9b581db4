import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binding } from '../../artifacts/face.js';
import { ServiceSpec } from '../../artifacts/service.js';
import { httpOperations } from '../../document/http.js';
import { refsOf } from '../../document/refs.js';
import { type CompiledFake, compileFake } from '../../fake/compile.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import type { CallOutcome } from '../../serve/tool-host.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { readOverrides } from '../overrides/read.js';
import { authorFace } from './author.js';
import { type Explained, explainAll, operationMeant } from './explain.js';
import { TRACKER } from './tracker.fixture.js';

let engine: Engine;
const worlds: LoadedWorld[] = [];
beforeAll(async () => {
  engine = await Engine.start();
});
afterAll(() => {
  for (const world of worlds) unloadWorld(world);
  engine.close();
});

interface Opened extends CompiledFake {
  session: Session;
  call(operation: string, args?: Record<string, Json>): CallOutcome;
  binding(operation: string): Binding;
}

const open = (overrides?: string): Opened => {
  const made = compileFake(engine, {
    documents: [{ name: 'tracker', text: TRACKER }],
    seed: '1',
    ...(overrides === undefined ? {} : { overrides: readOverrides(overrides) }),
  });
  const world = loadWorld(engine, made.built, { lazy: true });
  worlds.push(world);
  const session = Session.open(world, { id: 's', me: callerOf({ name: 'Bo', email: 'bo@fixture.example' }) });
  const binding = (operation: string): Binding => {
    const found = made.face.bindings.find((one) => one.operation === operation);
    if (!found) throw new Error(`${operation} is not bound`);
    return found;
  };
  return { ...made, session, binding, call: (operation, args = {}) => session.call(binding(operation).tool, args) };
};

type Row = Record<string, Json>;
const explained = ({ built, face }: Opened): Explained[] => {
  const labels = [...face.bindings, ...face.unbound].map(({ operation }) => operation);
  return explainAll(built.services[0], face, labels);
};

describe('what stands behind the operations', () => {
  it('is a tool for each, also those that do the same', () => {
    const { face, built } = open();
    expect(face.unbound.map(({ operation }) => operation)).toEqual(['GET /weather']);
    expect(new Set(face.bindings.map(({ tool }) => tool)).size).toBe(face.bindings.length);
    for (const { tool, args } of face.bindings) {
      const fields = Object.entries(built.services[0]?.tools[tool]?.args ?? {}).map(
        ([name, { field }]) => field ?? name,
      );
      expect(args.map(({ to }) => to.join('.')).sort()).toEqual(fields.sort());
    }
  });

  it('says where each argument is in a request, and where the rows are in the answer', () => {
    const { binding } = open();
    expect(binding('GET /projects/{projectId}/issues/{number}').args).toEqual([
      { to: ['projectId'], in: 'path', name: 'projectId' },
      { to: ['number'], in: 'path', name: 'number' },
    ]);
    expect(binding('GET /projects').answer).toEqual({ kind: 'rows', path: ['data'], key: ['id'] });
    expect(binding('POST /tags').args).toEqual([expect.objectContaining({ in: 'body', at: [] })]);
    expect(binding('POST /projects/{projectId}/issues/{number}/frobnicate').tier).toBe('synthetic');
  });

  it('is the same twice', () => {
    const { document } = open();
    const made = authorFace(document, { name: 'tracker', seed: '1' });
    const twice = [1, 2].map(() => canonicalJson(authorFace(document, { name: 'tracker', seed: '1' }) as never));
    expect(twice[0]).toBe(twice[1]);
    expect(ServiceSpec.parse(made.spec)).toEqual(made.spec);
  });
});

describe('what it keeps', () => {
  it('rows are found under their own parents alone', () => {
    const { call } = open();
    const projects = (call('GET /projects').result as { data: Row[] }).data;
    expect(projects).toHaveLength(5);
    const [mine, other] = projects as [Row, Row];
    const made = call('POST /projects/{projectId}/issues', { projectId: mine.id as Json, title: 'Leak' });
    expect(made.ok).toBe(true);
    const { number } = made.result as Row;
    const path = '/projects/{projectId}/issues/{number}';
    expect(call(`GET ${path}`, { projectId: mine.id as Json, number: number as Json }).result).toEqual(made.result);
    expect(call(`GET ${path}`, { projectId: other.id as Json, number: number as Json }).error?.status).toBe(404);
    expect(call(`PATCH ${path}`, { projectId: other.id as Json, number: number as Json, title: 'x' }).ok).toBe(false);
    expect(call('POST /projects/{projectId}/issues', { projectId: 'nobody', title: 'x' }).error?.status).toBe(404);
    const listed = call('GET /projects/{projectId}/issues', { projectId: mine.id as Json }).result as Row[];
    expect(listed.map((row) => row.number)).toContain(number);
  });

  it('nested objects, lists and values in two types come back as they were given', () => {
    const { call } = open();
    const settings = { theme: 'dark', notify: { mail: true } };
    const made = call('POST /projects', { name: 'Roof', due: 1_800_000_000, settings }).result as Row;
    expect(made).toMatchObject({ name: 'Roof', due: 1_800_000_000, settings });
    const changed = call('PATCH /projects/{projectId}', { projectId: made.id as Json, labels: ['a', 'b'] });
    expect(changed.result).toMatchObject({ name: 'Roof', labels: ['a', 'b'], settings });
    expect(call('GET /projects/{projectId}', { projectId: made.id as Json }).result).toEqual(changed.result);
    expect(call('PATCH /projects/{projectId}', { projectId: made.id as Json }).result).toEqual(changed.result);
    expect(typeof (call('POST /projects', { name: 'Now', due: 'now' }).result as Row).due).toBe('number');
  });

  it('a list of rows makes all of them, in its order', () => {
    const { call, binding } = open();
    const [{ to } = { to: [] }] = binding('POST /tags').args;
    const items: Row[] = [{ title: 'b', weight: 2, colours: ['red'] }, { title: 'a' }];
    const made = call('POST /tags', { [to[0] as string]: items }).result as Row[];
    expect(made).toMatchObject(items);
    for (const row of made) expect(call('GET /tags/{tagId}', { tagId: row.id as Json }).result).toEqual(row);
    expect(call('POST /tags', { [to[0] as string]: [{ title: 'ok' }, { weight: 1 }] }).ok).toBe(false);
    expect((call('GET /tags').result as Row[]).some(({ title }) => title === 'ok')).toBe(false);
  });

  it('links are added, replaced, taken out and cleared', () => {
    const { call, binding } = open();
    const [project] = (call('GET /projects').result as { data: Row[] }).data;
    for (const name of ['red', 'blue', 'green']) expect(call('POST /labels', { name }).ok).toBe(true);
    const { number } = call('POST /projects/{projectId}/issues', { projectId: project?.id as Json, title: 'x' })
      .result as Row;
    const of = { projectId: project?.id as Json, number: number as Json };
    const path = '/projects/{projectId}/issues/{number}/labels';
    const names = (outcome: CallOutcome): Json[] => (outcome.result as Row[]).map(({ name }) => name as Json);
    const [inList, whole] = binding(`POST ${path}`).args.filter((arg) => arg.in === 'body');
    const body = { labels: ['red'] };
    expect(inList?.at).toEqual(['labels']);
    // A request's body fills both places.
    const added = call(`POST ${path}`, {
      ...of,
      [inList?.to[0] as string]: body.labels,
      [whole?.to[0] as string]: body,
    });
    expect(names(added)).toEqual(['red']);
    expect(names(call(`POST ${path}`, { ...of, [whole?.to[0] as string]: ['red', 'blue'] }))).toEqual(['blue', 'red']);
    expect(call(`POST ${path}`, { ...of, labels: ['nope'] }).error?.status).toBe(404);
    expect(names(call(`PUT ${path}`, { ...of, labels: ['green', 'blue'] }))).toEqual(['blue', 'green']);
    expect(names(call(`DELETE ${path}/{name}`, { ...of, name: 'blue' }))).toEqual(['green']);
    expect(call(`DELETE ${path}/{name}`, { ...of, name: 'red' }).error?.status).toBe(404);
    expect(call(`DELETE ${path}`, of).ok).toBe(true);
    expect(names(call(`GET ${path}`, of))).toEqual([]);
    expect(call('GET /labels/{name}', { name: 'green' }).ok).toBe(true);
  });

  it('a page is as large as is said, and no larger than there is', () => {
    const { call } = open();
    expect((call('GET /projects', { limit: 2, offset: 1 }).result as { data: Row[]; total: number }).data).toHaveLength(
      2,
    );
    expect(call('GET /projects', { limit: 51 }).ok).toBe(false);
  });

  it('a deletion answers with its receipt, a verb with the row', () => {
    const { call } = open();
    const { id } = call('POST /projects', { name: 'Gone' }).result as Row;
    expect(call('POST /projects/{projectId}/archive', { projectId: id as Json }).result).toMatchObject({
      id,
      archived: true,
    });
    expect(call('DELETE /projects/{projectId}', { projectId: id as Json }).result).toEqual({ id, deleted: true });
    expect(call('GET /projects/{projectId}', { projectId: id as Json }).error?.status).toBe(404);
  });
});

describe('corrections', () => {
  const ISSUE = '/projects/{projectId}/issues/{number}';

  it('give an operation the effect of a verb, or steps', () => {
    const opened = open(`
operations:
  "POST ${ISSUE}/frobnicate": {effect: close}
  "get /weather":
    table: tag
    steps: [{find: {table: tag, limit: 2, as: found}}]
    returns: {rows: found}
  "GET /tags/{tagId}": {drop: true}`);
    const { call, face } = opened;
    const [project] = (call('GET /projects').result as { data: Row[] }).data;
    const { number } = call('POST /projects/{projectId}/issues', { projectId: project?.id as Json, title: 'x' })
      .result as Row;
    const of = { projectId: project?.id as Json, number: number as Json };
    expect(call(`POST ${ISSUE}/frobnicate`, of).ok).toBe(true);
    expect(call(`GET ${ISSUE}`, of).result).toMatchObject({ state: 'closed' });
    expect(call('GET /weather').result).toHaveLength(2);
    expect(face.unbound).toEqual([{ operation: 'GET /tags/{tagId}', why: 'dropped in overrides' }]);
  });

  it('say a status machine, and which operation makes a move', () => {
    const { call } = open(`
tables:
  issue:
    machine:
      column: state
      initial: open
      moves:
        - {from: [open], to: doing}
        - {by: "POST ${ISSUE}/frobnicate", from: [doing], to: closed}`);
    const [project] = (call('GET /projects').result as { data: Row[] }).data;
    const { number, state } = call('POST /projects/{projectId}/issues', { projectId: project?.id as Json, title: 'x' })
      .result as Row;
    expect(state).toBe('open');
    const of = { projectId: project?.id as Json, number: number as Json };
    expect(call(`PATCH ${ISSUE}`, { ...of, state: 'closed' }).error).toMatchObject({
      code: 'invalid_state',
      status: 409,
    });
    expect(call(`POST ${ISSUE}/frobnicate`, of).error?.code).toBe('invalid_state');
    expect(call(`PATCH ${ISSUE}`, { ...of, state: 'doing' }).ok).toBe(true);
    expect(call(`POST ${ISSUE}/frobnicate`, of).result).toMatchObject({ state: 'closed' });
  });

  it('of tools and tables reach the bindings', () => {
    const { call, face, binding } = open(
      '{tools: {getTag: {rename: read_tag}, listTags: {drop: true}}, tables: {tag: {rename: badge, rows: 3}}}',
    );
    expect(face.bindings.find(({ operation }) => operation === 'GET /tags/{tagId}')?.tool).toBe('read_tag');
    expect(face.unbound.map(({ operation }) => operation)).toEqual(['GET /weather', 'GET /tags']);
    const [{ to } = { to: [] }] = binding('POST /tags').args;
    expect(call('POST /tags', { [to[0] as string]: [{ title: 'x' }] }).entry.touched[0]?.table).toBe('badge');
  });

  it.each([
    ['{operations: {"GET /wether": {drop: true}}}', /no operation is called GET \/wether; near it: GET \/weather/],
    ['{operations: {"GET /weather": {effect: close}}}', /say which table/],
    ['{operations: {"GET /weather": {}}}', /one of effect, steps and drop/],
    [
      '{operations: {"GET /weather": {table: tagg, steps: [{find: {table: tag, as: x}}]}}}',
      /no table is called tagg; near it: tag/,
    ],
    ['{tables: {issue: {machine: {column: state, moves: [{from: [open], to: lost}]}}}}', /has no value lost/],
  ])('%s is refused', (text, why) =>
    expect(() => open(text)).toThrow(expect.objectContaining({ message: expect.stringMatching(why) })),
  );
});

describe('explained', () => {
  it('says what an operation does, from where, and why', () => {
    const [one] = explained(open()).filter(({ operation }) => operation === 'POST /projects/{projectId}/issues');
    expect(one).toMatchObject({
      isBound: true,
      tier: 'spec',
      table: 'issue',
      does: [expect.stringMatching(/^Looks up the project/), expect.stringMatching(/^Makes an issue with title, body/)],
      answer: { kind: 'row', path: [], key: ['number'] },
    });
    expect(one?.args).toContainEqual({ name: 'title', from: 'body title', use: 'is written to title', required: true });
  });

  it('says of the others what would ground them', () => {
    const [one] = explained(open()).filter(({ isBound }) => !isBound);
    expect(one).toMatchObject({
      operation: 'GET /weather',
      why: expect.any(String),
      next: expect.stringMatching(/overrides/),
    });
  });

  it('knows an operation by its id or path, and what is near', () => {
    const { document } = open();
    const operations = httpOperations(document.root, refsOf(document.root));
    const ids = new Map(operations.map(({ id, label }) => [id ?? label, label]));
    const labels = operations.map(({ label }) => label);
    expect(operationMeant('getTag', labels, ids)).toBe('GET /tags/{tagId}');
    expect(operationMeant('/weather', labels, ids)).toBe('GET /weather');
    expect(() => operationMeant('GET /tagz', labels, ids)).toThrow(
      expect.objectContaining({ code: 'unknown_operation', next: expect.stringMatching(/GET \/tags/) }),
    );
  });
});
