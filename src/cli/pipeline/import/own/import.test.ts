/** Own static tasks: a folder that is right, and everything in it that can be wrong. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArtifact } from '../../../../artifacts/registry.js';
import { TreadleError } from '../../../../errors.js';
import { Engine } from '../../../../world/state/engine.js';
import { gateLines, importOwn, type OwnImport } from './import.js';
import { libraryFiles, writeLibrary } from './library.fixture.js';

let engine: Engine;
let root: string;
let imported: OwnImport;
beforeAll(async () => {
  engine = await Engine.start();
  root = mkdtempSync(join(tmpdir(), 'own-tasks-'));
  imported = await importOwn(engine, writeLibrary(join(root, 'good')), { seed: '1' });
});
afterAll(() => {
  engine.close();
  rmSync(root, { recursive: true, force: true });
});

const taskOf = (id: string) => imported.tasks.find(({ task }) => task.id === `town-library-${id}`)?.task;

describe('a folder of one service, rows and three tasks', () => {
  it('is a world with the rows that were given, and no others', () => {
    const { built } = imported;
    expect(parseArtifact('world', structuredClone(built.world), 'world')).toEqual(built.world);
    expect(built.world).toMatchObject({ id: 'town_library', rows: { library: { book: 4, loan: 1 } } });
    expect(built.world.policies).toEqual([{ id: 'policy', text: 'A reader has at most three books.' }]);
    expect(built.world.company).toMatchObject({ name: 'Town library', currency: 'EUR' });
  });
  it('splits the state that a reference leaves into leaves, each with what it reads', () => {
    const checks = taskOf('lend-salt-roads')?.milestones[0]?.checks;
    expect(checks).toMatchObject([
      {
        kind: 'equals',
        where: { book_id: 'B2' },
        col: 'available',
        value: 0,
        footprint: [{ service: 'library', table: 'book', keys: ['B2'], cols: ['available'] }],
      },
      { kind: 'count', table: 'loan', where: { book_id: 'B2', reader: 'Pia Moss', status: 'open' }, count: 1 },
      {
        kind: 'unchanged',
        except: [
          { table: 'book', keys: ['B2'] },
          { table: 'loan', inserts: 1 },
        ],
      },
    ]);
  });
  it('asks for what the file asks, and says what the gate finds', () => {
    expect(taskOf('who-has-it')?.answer).toMatchObject({ expected: 'Night Ferry' });
    const gate = gateLines(imported.tasks.map(({ certificate }) => certificate));
    expect(gate.find(({ line }) => line === 'reference_passes')).toEqual({
      line: 'reference_passes',
      pass: 2,
      fail: 0,
    });
  });
  it('quarantines the task whose reference raises, with its line and what the tool said', () => {
    expect(imported.quarantined).toEqual([
      {
        task: 'town-library-lend-what-is-out',
        reason: expect.stringMatching(
          /lend-what-is-out.yaml line 4: call 1 \(lend_book\) fails.*Somebody has the book/,
        ),
      },
    ]);
  });
  it('comes out the same again', async () => {
    const again = await importOwn(engine, join(root, 'good'), { seed: '1' });
    expect(again.built.world).toEqual(imported.built.world);
    expect(again.tasks).toEqual(imported.tasks);
  });
  it('says the same where names stand for world.yaml', async () => {
    const files = libraryFiles();
    const dir = writeLibrary(join(root, 'town_library'), {
      'world.yaml': null,
      'data/loans.json': null,
      'data/loan.json': files['data/loans.json'] as string,
    });
    const guessed = await importOwn(engine, dir, { seed: '1' });
    expect(guessed.tasks.map(({ task }) => task.milestones)).toEqual(imported.tasks.map(({ task }) => task.milestones));
  });
});

it('leaves to the gate what an argument comes from, and quarantines checks that the reference fails', async () => {
  const dir = writeLibrary(join(root, 'guess'), {
    'tasks/guess.yaml':
      'brief: Lend the reader Pia Moss something by Tom Okafor.\nreference: {calls: [{tool: lend_book, args: {book_id: B4, reader: Pia Moss}}]}\n',
    'tasks/wrong.yaml':
      'brief: Lend “The Long Quay” to Pia Moss.\nreference: {calls: [{tool: lend_book, args: {book_id: B1, reader: Pia Moss}}]}\nchecks:\n  - {kind: equals, service: library, table: book, where: {book_id: B1}, col: available, value: 1}\n',
  });
  const { tasks, quarantined } = await importOwn(engine, dir, { seed: '1' });
  const guess = tasks.find(({ task }) => task.id === 'town-library-guess')?.certificate;
  expect(guess?.findings.filter(({ pass }) => !pass).map(({ id }) => id)).toContain('reachable');
  expect(quarantined.find(({ task }) => task === 'town-library-wrong')?.reason).toMatch(
    /wrong.yaml line 4: the reference fails: check c1 does not hold/,
  );
});

const OPENAPI = `openapi: 3.0.3
info: {title: Print shop, version: '1'}
components:
  schemas:
    Job:
      type: object
      required: [id, title, status]
      properties:
        id: {type: string, readOnly: true}
        title: {type: string}
        status: {type: string, enum: [queued, done, cancelled]}
paths:
  /jobs:
    get: {operationId: listJobs, parameters: [{name: status, in: query, schema: {type: string}}], responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Job'}}}}}}}
  /jobs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getJob, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}}
  /jobs/{id}/cancel:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    post: {operationId: cancelJob, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}}
`;

it('takes an OpenAPI document for the services, with rows of CSV', async () => {
  const dir = join(root, 'prints');
  mkdirSync(join(dir, 'tasks'), { recursive: true });
  mkdirSync(join(dir, 'data'));
  writeFileSync(join(dir, 'openapi.yaml'), OPENAPI);
  writeFileSync(join(dir, 'data/jobs.csv'), 'title,status\nSummer menu,queued\nSpring menu,queued\nFlyers,done\n');
  writeFileSync(
    join(dir, 'tasks/cancel.yaml'),
    `brief: Please cancel the print job “Summer menu”.
reference:
  calls:
    - {tool: listJobs}
    - {tool: cancelJob, args: {id: '\${1.[title=Summer menu].id}'}}
`,
  );
  const { tasks, built } = await importOwn(engine, dir, { seed: '1' });
  expect(built.world.id).toBe('prints');
  expect(tasks[0]?.task.milestones[0]?.checks[0]).toMatchObject({ kind: 'equals', col: 'status', value: 'cancelled' });
}, 60_000);

describe('refused, in one line with its place', () => {
  const files = libraryFiles();
  const line = async (name: string, other: Record<string, string | null>): Promise<string> => {
    const dir = writeLibrary(join(root, name), other);
    try {
      await importOwn(engine, dir, { seed: '1' });
    } catch (thrown) {
      if (thrown instanceof TreadleError) return `${thrown.code} ${thrown.line()}`;
      throw thrown;
    }
    throw new Error('it was not refused');
  };
  const world = (change: (text: string) => string): Record<string, string> => ({
    'world.yaml': change(files['world.yaml'] as string),
  });
  const withoutTasks = Object.fromEntries(
    Object.keys(files).map((name) => [name, name.startsWith('tasks/') ? null : (files[name] as string)]),
  );

  it.each<[string, Record<string, string | null>, RegExp]>([
    ['no tasks', withoutTasks, /bad_import .*no tasks/],
    [
      'no services',
      world((text) => text.replace(/^services.*\n/m, '')),
      /bad_import .*neither services nor a document/,
    ],
    ['both', world((text) => `${text}document: openapi.yaml\n`), /bad_import .*services and a document/],
    ['a key too many', world((text) => `${text}rows: 7\n`), /world.yaml line 6: Unrecognized key: "rows"/],
    ['a broken world', world((text) => `${text}id: [\n`), /world.yaml line \d/],
    [
      'a way out',
      world((text) => text.replace('data/book.csv', '../book.csv')),
      /world.yaml line 3: data leads out of the folder.*\.\.\/book\.csv/,
    ],
    [
      'an absolute way out',
      world((text) => text.replace('policy.md', '/etc/hostname')),
      /line 4: policy leads out of the folder/,
    ],
    [
      'a file that is not there',
      world((text) => text.replace('data/book.csv', 'data/books.csv')),
      /line 3: data: there is no such file/,
    ],
    ['a name that is none', world((text) => text.replace('town_library', 'Town Library')), /world.yaml line 1: id/],
    [
      'a service that is none',
      { 'services/library.yaml': 'treadle: service/1\nid: library\n' },
      /bad_artifact .*services\/library.yaml/,
    ],
    [
      'a column that is not there',
      { 'data/book.csv': 'book_id,title,author,shelf\nB1,x,y,z\n' },
      /data_does_not_fit .*book.csv.*shelf/,
    ],
    [
      'a value of another kind',
      {
        'data/book.csv': (files['data/book.csv'] as string).replace(
          'Salt Roads,Ada Brennan,yes',
          'Salt Roads,Ada Brennan,perhaps',
        ),
      },
      /book.csv, line 3, column available: "perhaps" is no yes or no/,
    ],
    [
      'a key twice',
      { 'data/book.csv': (files['data/book.csv'] as string).replace('B2', 'B1') },
      /book.csv, line 3.*"B1" stands on 2 already/,
    ],
    [
      'a row without its key',
      { 'data/book.csv': (files['data/book.csv'] as string).replace('B4', '') },
      /book.csv, line 5: no book_id/,
    ],
    [
      'a row that lacks a value',
      { 'data/book.csv': (files['data/book.csv'] as string).replace('Tom Okafor', '') },
      /data_does_not_fit .*book.csv, line 5/,
    ],
    [
      'a reference to nothing',
      { 'data/loans.json': '[{"book": "No Such Book", "reader": "x", "status": "open"}]' },
      /column book_id: there is no book "No Such Book"/,
    ],
    ['broken rows', { 'data/loans.json': '[{' }, /bad_data .*loans.json: the JSON is broken/],
    ['a broken task', { 'tasks/x.yaml': 'brief: [x\n' }, /bad_task .*tasks\/x.yaml line \d/],
    [
      'a task with a key too many',
      { 'tasks/x.yaml': 'brief: x\nreference: {calls: [{tool: list_books}]}\nmagic: 1\n' },
      /tasks\/x.yaml line 3/,
    ],
    [
      'a tool that is not there',
      { 'tasks/x.yaml': 'brief: x\nreference: {calls: [{tool: lend_books}]}\n' },
      /tasks\/x.yaml line 2: the world has no tool of that name.*lend_books.*lend_book/,
    ],
    [
      'a task for another world',
      { 'tasks/x.yaml': 'brief: x\nworld: moon\nreference: {calls: [{tool: list_books}]}\n' },
      /line 2: the task is for another world/,
    ],
    [
      'one id twice',
      {
        'tasks/x.yaml': 'id: same\nbrief: x\nreference: {calls: [{tool: list_books}]}\n',
        'tasks/y.yaml': 'id: same\nbrief: y\nreference: {calls: [{tool: list_books}]}\n',
      },
      /tasks\/y.yaml line 1: tasks\/x.yaml has that id already/,
    ],
    [
      'one brief twice',
      {
        'tasks/x.yaml': 'brief: x\nreference: {calls: [{tool: list_books}]}\n',
        'tasks/y.yaml': 'brief: x\nreference: {calls: [{tool: list_books}]}\n',
      },
      /tasks\/y.yaml line 1: another task has this brief/,
    ],
    [
      'nothing that holds',
      { ...withoutTasks, 'tasks/lend-what-is-out.yaml': files['tasks/lend-what-is-out.yaml'] as string },
      /no_tasks .*Somebody has the book/,
    ],
  ])('%s', async (name, other, expected) => {
    const refused = await line(name.replaceAll(' ', '-'), other);
    expect(refused).toMatch(expected);
    expect(refused).not.toContain('\n');
  });

  it('a link that leads out of the folder', async () => {
    const dir = writeLibrary(join(root, 'link'), { 'policy.md': null });
    writeFileSync(join(root, 'secret.md'), 'secret');
    symlinkSync(join(root, 'secret.md'), join(dir, 'policy.md'));
    await expect(importOwn(engine, dir, { seed: '1' })).rejects.toThrow(/policy is a link that leads out/);
  });
  it('a folder that is not there', async () => {
    await expect(importOwn(engine, join(root, 'nowhere'), { seed: '1' })).rejects.toThrow(/no such folder/);
  });
});
