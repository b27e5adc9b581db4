/** The whole import on a small folder: replays against the answer key, quarantine, the gate's report, and folders that are wrong. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArtifact } from '../../../../artifacts/registry.js';
import { TreadleError } from '../../../../errors.js';
import { Engine } from '../../../../world/state/engine.js';
import { importTau2, type Tau2Import } from './import.js';
import { gateText } from './table.js';
import { smallDb, smallKey, smallTasks, writeFolder } from './tau2.fixture.js';

let engine: Engine;
let root: string;
let imported: Tau2Import;
beforeAll(async () => {
  engine = await Engine.start();
  root = mkdtempSync(join(tmpdir(), 'tau2-'));
  imported = importTau2(engine, writeFolder(join(root, 'good')), { seed: '1' });
});
afterAll(() => {
  engine.close();
  rmSync(root, { recursive: true, force: true });
});

const failing = (id: string): string[] =>
  imported.judged
    .filter(({ certificate }) => certificate.findings.some((finding) => finding.id === id && !finding.pass))
    .map(({ task }) => task.id.replace('tau2-retail-', ''));

describe('a small folder', () => {
  it('replays as recorded, raising actions included', () =>
    expect(imported.replays).toEqual({ equal: 7, results: 7, different: [], missing: [] }));
  it('quarantines the task whose reference raises, with the reason', () =>
    expect(imported.quarantined).toEqual([
      { task: '5', reason: 'its reference raises: get_order_details: Order not found' },
    ]));
  it('makes artifacts of world and tasks', () => {
    expect(parseArtifact('world', structuredClone(imported.built.world), 'world')).toEqual(imported.built.world);
    expect(imported.built.world.policies.map(({ id }) => id)).toEqual([
      'p_shop_policy',
      'p_cancelling',
      'p_cancelling_2',
    ]);
    for (const { task } of imported.judged) expect(parseArtifact('task', structuredClone(task), task.id)).toEqual(task);
    expect(imported.judged.map(({ task }) => task.lineage.template)).toEqual([
      'tau2-retail/train',
      'tau2-retail/train',
      'tau2-retail/test',
      'tau2-retail/test',
      'tau2-retail/test',
      'tau2-retail/train',
    ]);
  });
  it('traces what an agent would have from where', () => {
    const [task] = imported.judged.map((one) => one.task);
    expect(task?.reference.sources.filter(({ call }) => call === 2)).toEqual([
      { call: 2, arg: 'order_id', from: { brief: '#W1' } },
      { call: 2, arg: 'reason', from: { brief: 'no longer needed' } },
    ]);
    expect(task?.bindings.map(({ name, key }) => [name, key])).toEqual([
      ['customer', 'ana_lee_1'],
      ['subject', '#W1'],
    ]);
  });
  it('says where doing nothing passes, and what nobody checks', () => {
    expect(failing('null_agent_fails')).toEqual(['2', '3', '4']);
    expect(imported.gate.nothing).toEqual({ checks: 3, state: 4 });
    expect(imported.gate.unchecked).toEqual({
      tasks: 3,
      'a wrong change passes': 1,
      'an answer that lists every number passes': 1,
      'the hand-over to a person': 1,
    });
    // The house moves and moves back: what is asked for at first leaves no trace.
    expect(failing('mutants_fail')).toContain('4');
    expect(failing('reference_passes')).toEqual([]);
    const exchange = imported.judged.find(({ task }) => task.id === 'tau2-retail-6')?.certificate;
    const mutants = exchange?.findings.find(({ id }) => id === 'mutants_fail');
    expect(mutants?.pass).toBe(true);
    expect(mutants?.evidence).toEqual(
      expect.arrayContaining(['wrong_sibling: 2 of 2 fail', 'entry_left_out: 1 of 1 fail']),
    );
    expect(gateText(imported.gate).join('\n')).toContain(
      'doing nothing passes 3 tasks, 4 where the state alone counts',
    );
  });
  it('comes out the same again', () => {
    const again = importTau2(engine, join(root, 'good'), { seed: '1' });
    expect(again.built.world).toEqual(imported.built.world);
    expect(again.judged).toEqual(imported.judged);
  });
  it('keeps the rubric apart from the checks', () =>
    expect(imported.judged[1]?.task.milestones[0]?.rubric).toEqual(['Agent should tell that it cost $5.25.']));
});

describe('with look-ups', () => {
  it('finds the customer and looks at what is chosen before anything is written, and leaves the same', () => {
    const full = importTau2(engine, join(root, 'good'), { seed: '1', lookUps: true });
    expect(full.replays).toEqual(imported.replays);
    const calls = new Map(full.judged.map(({ task }) => [task.id, task.reference.calls.map(({ tool }) => tool)]));
    expect(calls.get('tau2-retail-6')).toEqual([
      'find_user_id_by_name_zip',
      'get_user_details',
      'get_order_details',
      'get_product_details',
      'get_product_details',
      'exchange_delivered_order_items',
    ]);
    // Where nothing is written nothing is added, and no read is made twice.
    expect(calls.get('tau2-retail-2')).toEqual([]);
    expect(calls.get('tau2-retail-1')).toEqual(['find_user_id_by_name_zip', 'get_order_details']);
    for (const [n, { task }] of full.judged.entries())
      expect(task.milestones).toEqual(imported.judged[n]?.task.milestones);
  });
});

it('says which replays differ from the key, and which are not in it', () => {
  const [first, second, ...rest] = smallKey();
  const key = [{ ...first, changed: {} }, { ...second, actions: [] }, ...rest.slice(1)];
  const dir = writeFolder(join(root, 'other-key'), {
    'reference-replay.jsonl': key.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(importTau2(engine, dir, { seed: '1' }).replays).toEqual({
    equal: 5,
    results: 5,
    different: ['0'],
    missing: ['2'],
  });
});

it('needs neither the key nor the splits', () => {
  const dir = writeFolder(join(root, 'bare'), { 'reference-replay.jsonl': null, 'split_tasks.json': null });
  const bare = importTau2(engine, dir, { seed: '1' });
  expect(bare.replays).toBeUndefined();
  expect(bare.judged.map(({ task }) => task.lineage.template)).toEqual(Array(6).fill('tau2-retail/all'));
});

describe('folders that are wrong', () => {
  type Db = ReturnType<typeof smallDb>;
  const db = (change: (db: Db) => void): Record<string, string> => {
    const data = smallDb();
    change(data);
    return { 'db.json': JSON.stringify(data) };
  };
  const at = (part: object, id: string): Record<string, unknown> =>
    (part as Record<string, Record<string, unknown>>)[id] ?? {};
  const tasks = (change: (task: Record<string, unknown>) => void): Record<string, string> => {
    const list = smallTasks();
    change(list[0] as Record<string, unknown>);
    return { 'tasks.json': JSON.stringify(list) };
  };
  const criteria = (more: object) => tasks((task) => Object.assign(task.evaluation_criteria as object, more));

  it.each<[string, Record<string, string | null>, string, RegExp]>([
    ['no data', { 'db.json': null }, 'missing_file', /no db\.json/],
    ['no tasks', { 'tasks.json': null }, 'missing_file', /no tasks\.json/],
    ['no policy', { 'policy.md': null }, 'missing_file', /no policy\.md/],
    ['an empty policy', { 'policy.md': ' \n' }, 'bad_shape', /policy\.md is empty/],
    ['data cut off', { 'db.json': '{"products": {"P1"' }, 'unreadable_file', /db\.json is no JSON.*cut off/],
    ['an empty file', { 'tasks.json': '' }, 'unreadable_file', /tasks\.json is no JSON/],
    ['a key cut off', { 'reference-replay.jsonl': '{"task_id": "0"}\n{"ta' }, 'bad_shape', /line 1.*raises/],
    ['a broken line', { 'reference-replay.jsonl': '\n{"ta' }, 'unreadable_file', /line 2/],
    ['data that is a list', { 'db.json': '[]' }, 'bad_shape', /db\.json is not as tau2-bench writes it/],
    ['tasks that are no list', { 'tasks.json': '{"tasks": []}' }, 'bad_shape', /tasks\.json/],
    ['no task at all', { 'tasks.json': '[]' }, 'bad_shape', /tasks\.json/],
    ['two tasks of one id', tasks((task) => Object.assign(task, { id: '1' })), 'bad_shape', /two tasks of one id/],
    ['an id that is a path', tasks((task) => Object.assign(task, { id: '../x' })), 'bad_shape', /0\.id/],
    [
      'another start',
      tasks((task) => Object.assign(task, { initial_state: { a: 1 } })),
      'bad_shape',
      /another database/,
    ],
    [
      'an unknown tool',
      criteria({ actions: [{ name: 'refund_all', arguments: {} }] }),
      'unknown_tool',
      /Task 0.*refund_all/,
    ],
    [
      'an action without arguments',
      criteria({ actions: [{ name: 'calculate' }] }),
      'bad_shape',
      /actions\.0\.arguments/,
    ],
    [
      'a price of half a cent',
      db(({ products }) => Object.assign(at(at(at(products, 'P1'), 'variants'), 'L1'), { price: 1.005 })),
      'bad_shape',
      /L1\.price.*2 decimals/,
    ],
    [
      'an unknown status',
      db(({ orders }) => Object.assign(at(orders, '#W1'), { status: 'lost' })),
      'bad_shape',
      /#W1\.status/,
    ],
    ['a field too many', db(({ users }) => Object.assign(at(users, 'bo_kim_2'), { vip: true })), 'bad_shape', /vip/],
    [
      'a way to pay of no kind',
      db(({ users }) =>
        Object.assign(at(at(users, 'bo_kim_2'), 'payment_methods'), { x: { source: 'cash', id: 'x' } }),
      ),
      'bad_shape',
      /payment_methods\.x/,
    ],
    [
      'an item of another product',
      db(({ orders }) => Object.assign((at(orders, '#W3').items as object[])[0] as object, { product_id: 'P1' })),
      'bad_shape',
      /#W3.*M2/,
    ],
    [
      'an order of nobody',
      db(({ orders }) => Object.assign(at(orders, '#W3'), { user_id: 'x' })),
      'bad_shape',
      /another user's.*#W3/,
    ],
    [
      'an order that nobody lists',
      db(({ users }) => Object.assign(at(users, 'bo_kim_2'), { orders: [] })),
      'bad_shape',
      /#W3/,
    ],
    [
      "another's card",
      db(({ orders }) => Object.assign(at(orders, '#W3'), { payment_history: at(orders, '#W1').payment_history })),
      'bad_shape',
      /card_1/,
    ],
    [
      'a record under another id',
      db(({ orders }) => Object.assign(at(orders, '#W3'), { order_id: '#W7' })),
      'bad_shape',
      /#W3/,
    ],
  ])('%s', (name, files, code, says) => {
    const dir = writeFolder(join(root, name.replaceAll(/\W/g, '-')), files);
    let thrown: unknown;
    try {
      importTau2(engine, dir, { seed: '1' });
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBeInstanceOf(TreadleError);
    const error = thrown as TreadleError;
    expect([error.code, error.fault]).toEqual([code, 'input']);
    expect(error.line()).toMatch(says);
    expect(error.line()).not.toContain('\n');
  });
  it('no folder at all', () =>
    expect(() => importTau2(engine, join(root, 'nowhere'), { seed: '1' })).toThrow('There is no such folder'));
});
