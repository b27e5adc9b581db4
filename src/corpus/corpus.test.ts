import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fixtureParts } from '../../test/fixtures/world.js';
import { toyTask } from '../../test/rollout/toy.js';
import type { Certificate } from '../artifacts/certificate.js';
import type { Task } from '../artifacts/task.js';
import type { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import { Engine } from '../world/state/engine.js';
import { readIndex, rebuildIndex } from './catalog.js';
import { Corpus, type WorldFiles } from './corpus.js';

let engine: Engine;
let files: WorldFiles;
let dir: string;
let corpus: Corpus;
const proof = (kind: Certificate['kind'], name: string): Certificate => ({
  treadle: 'certificate/1',
  kind,
  subject: addressOf(name),
  name,
  pass: true,
  findings: [{ id: 'schema', pass: true, evidence: ['seen'] }],
});

beforeAll(async () => {
  engine = await Engine.start();
  const parts = fixtureParts(engine, { only: ['billing', 'directory'] });
  files = { ...parts, certificates: { billing: proof('service', 'billing'), world: proof('world', 'fixture') } };
});
afterAll(() => engine.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-corpus-'));
  corpus = Corpus.open(dir, true);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(dir, 'worlds', 'fixture', ...parts);
const refusal = (work: () => unknown): TreadleError => {
  try {
    work();
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error.name).toBe('TreadleError');
    expect(error.next).toBeTruthy();
    return error;
  }
  throw new Error('nothing was refused');
};
const library = (...tasks: Task[]): Parameters<Corpus['writeTasks']>[1] => ({
  tasks,
  certificates: Object.fromEntries(tasks.map(({ id }) => [id, proof('task', id)])),
  dropped: [{ family: 'action', template: 'x', reason: 'the null agent passed' }],
});

describe('opening', () => {
  it('makes a folder, and opens it again', () => {
    const fresh = join(dir, 'a', 'b');
    expect(refusal(() => Corpus.open(fresh)).code).toBe('no_corpus');
    Corpus.open(fresh, true);
    expect(Corpus.open(fresh).worlds()).toEqual([]);
  });
  it('leaves other people’s folders and files alone', () => {
    const mine = join(dir, 'mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'thesis.tex'), 'x');
    expect(refusal(() => Corpus.open(mine, true)).code).toBe('not_empty');
    expect(refusal(() => Corpus.open(join(mine, 'thesis.tex'), true)).code).toBe('not_a_folder');
    expect(refusal(() => Corpus.open(join(mine, 'thesis.tex', 'x'), true)).code).toBe('not_a_folder');
    expect(readdirSync(mine)).toEqual(['thesis.tex']);
  });
  it('goes on where its own birth was cut off', () => {
    const cut = join(dir, 'cut');
    mkdirSync(cut);
    writeFileSync(join(cut, 'treadle.json.part'), '{"tre');
    expect(Corpus.open(cut, true).worlds()).toEqual([]);
    expect(readdirSync(cut)).toEqual(['treadle.json']);
  });
  it.each(['{"treadle":"corpus/0"}', '{}', 'null', '7'])('refuses another version: %s', (marker) => {
    writeFileSync(join(dir, 'treadle.json'), marker);
    expect(refusal(() => Corpus.open(dir)).code).toBe('other_version');
  });
  it('refuses a marker that is no JSON', () => {
    writeFileSync(join(dir, 'treadle.json'), '{"treadle"');
    expect(refusal(() => Corpus.open(dir)).code).toBe('unreadable_file');
  });
});

describe('worlds', () => {
  beforeEach(() => corpus.writeWorld(files));

  it('come back as they were written, frozen', () => {
    const back = corpus.readWorld('fixture');
    expect(back).toEqual(files);
    expect(Object.isFrozen(back.world)).toBe(true);
    expect(corpus.worlds()).toEqual(['fixture']);
  });
  it('are files a person reads and sqlite3 opens', () => {
    expect(readFileSync(at('world.yaml'), 'utf8')).toMatch(/^ {2}name: Fixture Werke$/m);
    expect(readFileSync(at('data', 'billing.sqlite')).subarray(0, 15).toString()).toBe('SQLite format 3');
  });
  it('written again are the same bytes', () => {
    const before = readFileSync(at('world.yaml'), 'utf8');
    corpus.writeWorld(corpus.readWorld('fixture'));
    expect(readFileSync(at('world.yaml'), 'utf8')).toBe(before);
  });
  it('that are half written are not there', () => {
    rmSync(at('world.yaml'));
    expect(corpus.worlds()).toEqual([]);
    expect(refusal(() => corpus.readWorld('fixture'))).toMatchObject({
      code: 'no_world',
      next: expect.stringMatching(/build/),
    });
    corpus.writeWorld(files);
    expect(corpus.worlds()).toEqual(['fixture']);
  });
  it('are named by names, never by paths', () => {
    for (const id of ['../worlds/fixture', '..', '.', '', 'fixture/', '/', 'fixture\\', '\u0000', 'a'.repeat(300)]) {
      expect(corpus.hasWorld(id)).toBe(false);
      expect(refusal(() => corpus.readWorld(id))).toMatchObject({ code: 'no_world', next: 'It has fixture.' });
    }
  });
  it('are not confused by strangers in the folder', () => {
    writeFileSync(join(dir, 'worlds', '.DS_Store'), '');
    mkdirSync(join(dir, 'worlds', '.hidden'));
    writeFileSync(join(dir, 'worlds', '.hidden', 'world.yaml'), '');
    writeFileSync(at('certificates', 'notes.txt'), 'mine');
    expect(corpus.worlds()).toEqual(['fixture']);
    expect(Object.keys(corpus.readWorld('fixture').certificates)).toEqual(['billing', 'world']);
  });

  it.each([
    ['a database', () => writeFileSync(at('data', 'billing.sqlite'), 'x'), 'changed_file'],
    [
      'a service’s title',
      () => edit(at('services', 'billing.json'), '"title": "Billing"', '"title": "Other"'),
      'changed_file',
    ],
    ['the snapshot’s clock', () => edit(at('snapshot.yaml'), /clock: \d+/, 'clock: 5'), 'changed_file'],
    ['a lost database', () => rmSync(at('data', 'billing.sqlite')), 'missing_file'],
    ['a lost service', () => rmSync(at('services', 'billing.json')), 'missing_file'],
    ['a cut-off service', () => writeFileSync(at('services', 'billing.json'), '{"treadle": "serv'), 'unreadable_file'],
    ['a cut-off world', () => writeFileSync(at('world.yaml'), 'treadle: "world/1\n  x: ['), 'unreadable_file'],
    ['a world that is none', () => writeFileSync(at('world.yaml'), 'treadle: world/1'), 'bad_artifact'],
    ['an older world', () => edit(at('world.yaml'), 'world/1', 'world/0'), 'other_version'],
    ['an older service', () => edit(at('services', 'billing.json'), 'service/1', 'service/0'), 'other_version'],
    ['a certificate that is none', () => writeFileSync(at('certificates', 'world.json'), '{}'), 'bad_artifact'],
    [
      'a folder for a file',
      () => {
        rmSync(at('snapshot.yaml'));
        mkdirSync(at('snapshot.yaml'));
      },
      'not_a_file',
    ],
  ])('%s is one clear refusal', (_, breaks, code) => {
    breaks();
    const error = refusal(() => corpus.readWorld('fixture'));
    expect(error.code).toBe(code);
    expect(error.line()).not.toContain('\n');
  });

  it('take findings, each once', () => {
    expect(corpus.isDeterministic('fixture')).toBe(false);
    corpus.addFinding('fixture', { id: 'determinism', pass: false, evidence: ['differs'] });
    expect(corpus.worldCertificate('fixture')?.pass).toBe(false);
    corpus.addFinding('fixture', { id: 'determinism', pass: true, evidence: ['same'] });
    expect(corpus.worldCertificate('fixture')).toMatchObject({
      pass: true,
      findings: [{ id: 'schema' }, { id: 'determinism' }],
    });
    expect(corpus.isDeterministic('fixture')).toBe(true);
    expect(corpus.worldCertificate('other')).toBeUndefined();
  });
});

function edit(path: string, from: string | RegExp, to: string): unknown {
  const text = readFileSync(path, 'utf8');
  const next = text.replace(from, to);
  if (next === text) throw new Error(`${from} is not there`);
  writeFileSync(path, next);
  return undefined;
}

describe('tasks', () => {
  const [first, second] = [toyTask(1, 'a', 'fixture'), toyTask(2, 'b', 'fixture')];
  beforeEach(() => {
    corpus.writeWorld(files);
    corpus.writeTasks('fixture', library(first, second));
  });

  it('come back with their proofs and what was dropped', () => {
    const { tasks, certificates, dropped } = corpus.readTasks('fixture');
    expect(tasks).toEqual([first, second]);
    expect(Object.keys(certificates)).toEqual([first.id, second.id]);
    expect(dropped).toHaveLength(1);
    expect(corpus.listTasks('fixture').tasks[0]).toMatchObject({ id: first.id, family: 'action', brief: first.brief });
  });
  it('a library replaces another whole', () => {
    corpus.writeTasks('fixture', library(second));
    expect(readdirSync(at('tasks')).sort()).toEqual(
      ['index.json', 'parsed.jsonl', 'proofs', `${second.id}.yaml`].sort(),
    );
    expect(readdirSync(at('tasks', 'proofs'))).toEqual([`${second.id}.json`]);
    expect(corpus.readTasks('fixture').tasks).toEqual([second]);
  });
  it('that were to be chosen from leave nothing of the others', () => {
    corpus.writeTasks('fixture', library(second));
    const alone = ['index.json', 'parsed.jsonl'].map((name) => readFileSync(at('tasks', name), 'utf8'));
    corpus.writeTasks('fixture', { ...library(first, second), isToChoose: true });
    expect(corpus.listTasks('fixture').isToChoose).toBe(true);
    corpus.keepTasks('fixture', new Set([second.id]));
    expect(corpus.listTasks('fixture').isToChoose).toBeUndefined();
    expect(readdirSync(at('tasks')).sort()).toEqual(
      ['index.json', 'parsed.jsonl', 'proofs', `${second.id}.yaml`].sort(),
    );
    expect(readdirSync(at('tasks', 'proofs'))).toEqual([`${second.id}.json`]);
    expect(['index.json', 'parsed.jsonl'].map((name) => readFileSync(at('tasks', name), 'utf8'))).toEqual(alone);
    expect(corpus.readTasks('fixture').tasks).toEqual([second]);
  });
  it('that were cut off while being written do not count', () => {
    rmSync(at('tasks', 'index.json'));
    expect(corpus.hasTasks('fixture')).toBe(false);
    expect(corpus.readTasks('fixture')).toEqual({ tasks: [], certificates: {}, dropped: [] });
    corpus.writeTasks('fixture', library(first));
    expect(readdirSync(at('tasks', 'proofs'))).toEqual([`${first.id}.json`]);
  });
  it('that were changed by hand are refused', () => {
    edit(at('tasks', `${first.id}.yaml`), 'Brandt', 'Cole');
    expect(refusal(() => corpus.readTasks('fixture')).code).toBe('changed_file');
  });
  it.each(['null', '{}', '{"tasks":[{"id":"../../x","hash":"a","family":"f","brief":"b"}],"dropped":[]}'])(
    'a list that is none is refused: %s',
    (text) => {
      writeFileSync(at('tasks', 'index.json'), text);
      expect(refusal(() => corpus.readTasks('fixture')).code).toBe('unreadable_file');
    },
  );
});

describe('the index', () => {
  const file = (): string => join(dir, 'index.json');
  beforeEach(() => {
    corpus.writeWorld(files);
    corpus.writeTasks('fixture', library(toyTask()));
    rebuildIndex(corpus);
  });

  it('says what is there', () => {
    expect(readIndex(corpus).worlds).toMatchObject([
      { id: 'fixture', company: 'Fixture Werke', country: 'DE', certified: true, tasks: 1, dropped: 1, rollouts: 0 },
    ]);
    const [world] = readIndex(corpus).worlds;
    const tools = files.services.reduce((sum, { tools: all }) => sum + Object.keys(all).length, 0);
    expect(world?.tools).toBe(tools);
  });
  it.each([
    ['lost', () => rmSync(file())],
    ['torn', () => writeFileSync(file(), '{"treadle": "index/1", "wor')],
    ['of another version', () => writeFileSync(file(), '{"treadle": "index/0", "worlds": []}')],
    ['nonsense', () => writeFileSync(file(), '[7]')],
    ['of other worlds', () => writeFileSync(file(), '{"treadle": "index/1", "worlds": []}')],
  ])('is made again when it is %s', (_, breaks) => {
    const before = readFileSync(file(), 'utf8');
    breaks();
    expect(readIndex(corpus).worlds).toHaveLength(1);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });
  it('can be read where it cannot be written', () => {
    rmSync(file());
    mkdirSync(`${file()}.part`);
    expect(readIndex(corpus).worlds).toHaveLength(1);
    expect(existsSync(file())).toBe(false);
  });
  it('loses a world that went', () => {
    renameSync(at(), join(dir, 'elsewhere'));
    expect(readIndex(corpus).worlds).toEqual([]);
  });
});
