/** The main job: a brief and a document become certified worlds, gated tasks, verified rows and a report, to the byte. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { parseArtifact } from '../../src/artifacts/registry.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { type Ran, scratch, treadle } from './cli.js';
import { readHtml, treeOf } from './tree.js';
import { warm } from './warm/warm.js';

const HOSTILE = 'a dental practice in Leeds <script>alert(1)</script> & "Söhne" </div><b onclick=x>';
const DOCUMENT = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));

vi.setConfig({ testTimeout: 240_000, hookTimeout: 480_000 });
const dir = scratch();
const [brief, twin, doc, other] = ['brief', 'twin', 'doc', 'other'].map((name) => join(dir, name)) as [
  string,
  string,
  string,
  string,
];
let ran: Ran;
let fromDocument: Ran;

const line = (input: string, out: string, ...more: string[]): string[] => [
  'build',
  input,
  '--tasks',
  '3',
  '--out',
  out,
  '--json',
  ...more,
];
const built = (...of: Parameters<typeof line>): Ran => warm(line(...of));

beforeAll(() => {
  // In a process of its own; its twin is made in one that has done much else.
  ran = treadle(line(HOSTILE, brief), { timeoutMs: 230_000 });
  fromDocument = built(DOCUMENT, doc);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const only = (corpus: string): string => readdirSync(join(corpus, 'worlds'))[0] as string;
const lines = (path: string): Record<string, unknown>[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

describe.each([
  { label: 'a brief', at: brief, run: () => ran },
  { label: 'a document', at: doc, run: () => fromDocument },
])('treadle build of $label', ({ at, run }) => {
  it('says what it made', () => {
    expect(run().status, run().stderr).toBe(0);
    const summary = JSON.parse(run().stdout);
    expect(summary).toMatchObject({ out: at, worlds: 1, certified: 1, tasks: 3, rollouts: 3, passed: 3, rows: 3 });
    expect(summary.report).toBe(join(at, 'report.html'));
  });

  it('certifies the world and each of its services by execution', () => {
    const { certificates, world } = Corpus.open(at).readWorld(only(at));
    expect(Object.keys(certificates).sort()).toEqual(['world', ...world.services.map(({ id }) => id)].sort());
    expect(Object.values(certificates).filter(({ pass }) => !pass)).toEqual([]);
    const ids = certificates.world?.findings.map(({ id }) => id) ?? [];
    expect(ids).toEqual(expect.arrayContaining(['schema', 'contract', 'executability', 'determinism']));
    for (const { evidence } of certificates.world?.findings ?? []) expect(evidence.join('')).not.toBe('');
  });

  it('leaves tasks that parse, each with a passing gate', () => {
    const folder = join(at, 'worlds', only(at), 'tasks');
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(files).toHaveLength(3);
    for (const name of files) {
      const task = parseArtifact('task', parse(readFileSync(join(folder, name), 'utf8')), name);
      const proof = parseArtifact(
        'certificate',
        JSON.parse(readFileSync(join(folder, 'proofs', `${task.id}.json`), 'utf8')),
        name,
      );
      expect(proof.pass).toBe(true);
      expect(proof.findings.length).toBeGreaterThanOrEqual(5);
      const keys = task.reference.calls.flatMap(({ args }) => Object.values(args)).filter((v) => typeof v === 'string');
      for (const key of keys.filter((v) => /^[a-z]{2,4}_[A-Za-z0-9]{8,}$/.test(v)))
        expect(task.brief).not.toContain(key);
    }
  });

  it('leaves verified rows that name their producer', () => {
    const rows = ['train', 'validation'].flatMap((split) => lines(join(at, 'sft', 'data', `${split}.jsonl`)));
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row.metadata).toMatchObject({ producer: { policy: 'reference' }, verdict: { pass: true } });
      expect((row.messages as { role: string }[]).map(({ role }) => role)).toEqual(
        expect.arrayContaining(['user', 'assistant', 'tool']),
      );
      expect((row.tools as unknown[]).length).toBeGreaterThan(0);
    }
    for (const { verdict } of lines(join(at, 'traces', `${only(at)}.jsonl`)))
      expect(verdict).toMatchObject({ pass: true, fault: 'none' });
    expect(readFileSync(join(at, 'sft', 'README.md'), 'utf8')).toMatch(/reference/);
  });

  it('keeps snapshots that sqlite3 opens', async () => {
    const data = join(at, 'worlds', only(at), 'data');
    const hasCli = spawnSync('sqlite3', ['--version']).status === 0;
    const engine = hasCli ? undefined : await Engine.start();
    const world = engine ? loadWorld(engine, Corpus.open(at).readWorld(only(at))) : undefined;
    for (const name of readdirSync(data)) {
      if (hasCli) {
        const check = execFileSync('sqlite3', [join(data, name), 'PRAGMA integrity_check; PRAGMA foreign_key_check;']);
        expect(`${check}`.trim()).toBe('ok');
      } else {
        const service = world?.services.get(name.replace('.sqlite', ''));
        service?.connection.bind(service.pristine);
        expect(service?.connection.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      }
    }
    engine?.close();
  });

  it('writes a report that holds every task', () => {
    const html = readFileSync(join(at, 'report.html'), 'utf8');
    const escaped = (text: string): string =>
      text.replace(
        /[&<>"']/g,
        (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c,
      );
    for (const { brief: text } of Corpus.open(at).readTasks(only(at)).tasks) expect(html).toContain(escaped(text));
    const { fault, tags, attributes } = readHtml(html);
    expect(fault).toBeUndefined();
    expect([...tags].filter((tag) => ['script', 'img', 'iframe', 'a', 'link', 'object'].includes(tag))).toEqual([]);
    expect([...attributes].filter((name) => name.startsWith('on'))).toEqual([]);
  });

  it('keeps an index and a record of itself', () => {
    const index = JSON.parse(readFileSync(join(at, 'index.json'), 'utf8'));
    expect(index.worlds).toHaveLength(1);
    expect(index.worlds[0]).toMatchObject({ id: only(at), certified: true, tasks: 3, passed: 3, unfinished: 0 });
    const record = JSON.parse(readFileSync(join(at, 'build.json'), 'utf8'));
    expect(record).toMatchObject({ treadle: 'build/1', worlds: 1, tasks: 3, slots: { 0: { world: only(at) } } });
  });

  it('leaves no half-written file and no machine path', () => {
    const tree = treeOf(at);
    expect(Object.keys(tree).filter((path) => path.endsWith('.part') || path.includes('.unfinished'))).toEqual([]);
    const texts = Object.keys(tree).filter((path) => !path.endsWith('.sqlite'));
    expect(texts.filter((path) => readFileSync(join(at, path), 'utf8').includes(dir))).toEqual([]);
  });
});

describe('a hostile brief', () => {
  it('is shown as text', () => {
    const html = readFileSync(join(brief, 'report.html'), 'utf8');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot;');
    expect(html).not.toContain('<script');
  });
});

describe('the document', () => {
  it('says what became of each operation', () => {
    const { document } = JSON.parse(fromDocument.stdout);
    expect(document.operations).toHaveLength(12);
    for (const { tool, why } of document.operations) expect(tool ?? why).toBeTruthy();
    const html = readFileSync(join(doc, 'report.html'), 'utf8');
    for (const { operation } of document.operations) expect(html).toContain(operation);
    expect(JSON.parse(readFileSync(join(doc, 'document.json'), 'utf8'))).toEqual(document);
  });

  it('prints the table for a person', () => {
    const said = warm(['author', DOCUMENT]);
    expect(said.stdout).toMatch(/12 of 12 operations became tools/);
    expect(said.stdout).toMatch(/invoice +\d+ tools +\d+ columns +billing, with a life cycle/);
  });

  it('shows a hostile title as text', () => {
    const text = readFileSync(DOCUMENT, 'utf8').replace('Ledgerly Billing', "'<img src=x onerror=alert(1)>'");
    const path = join(dir, 'hostile.yaml');
    writeFileSync(path, text);
    const out = join(dir, 'hostile');
    expect(built(path, out, '--tasks', '1').status).toBe(0);
    const { fault, tags } = readHtml(readFileSync(join(out, 'report.html'), 'utf8'));
    expect([fault, tags.has('img')]).toEqual([undefined, false]);
  });
});

describe('the seed', () => {
  it('gives the same bytes in another folder', () => {
    expect(built(HOSTILE, twin).status).toBe(0);
    expect(treeOf(twin)).toEqual(treeOf(brief));
  });

  it('gives another world when it is another', () => {
    expect(built(DOCUMENT, other, '--seed', '2').status).toBe(0);
    expect(only(other)).not.toBe(only(doc));
    const company = (at: string): unknown => Corpus.open(at).readWorld(only(at)).world.company.name;
    expect(company(other)).not.toBe(company(doc));
  });
});

it('the same command again does nothing again', () => {
  const before = treeOf(doc);
  const again = built(DOCUMENT, doc);
  expect(again.stderr).toMatch(/done before/);
  const { timesMs, ...summary } = JSON.parse(again.stdout);
  expect(Object.keys(timesMs).sort()).toEqual(['export', 'report']);
  const { timesMs: _, ...first } = JSON.parse(fromDocument.stdout);
  expect(summary).toEqual(first);
  expect(treeOf(doc)).toEqual(before);
});

describe('treadle show', () => {
  it('shows corpus, world and task', () => {
    const id = only(doc);
    const { tasks } = Corpus.open(doc).readTasks(id);
    expect(warm(['show', doc]).stdout).toContain(`${id}  `);
    expect(warm(['show', doc]).stdout).toMatch(/reference: 3 of 3 rollouts passed/);
    expect(warm(['show', doc, id]).stdout).toContain(tasks[0]?.brief);
    const task = JSON.parse(warm(['show', doc, tasks[0]?.id as string, '--json']).stdout);
    expect(task).toMatchObject({ task: { id: tasks[0]?.id }, certificate: { pass: true } });
  });
});

describe('the stages alone', () => {
  it('certify finds the same', () => {
    const before = treeOf(doc);
    expect(warm(['certify', doc, '--json']).status).toBe(0);
    expect(treeOf(doc)).toEqual(before);
  });

  it('rollout: scripted mistakes are judged, and results do not depend on how many run at a time', () => {
    const out = (concurrency: string): unknown => {
      const args = [
        'rollout',
        doc,
        '--policy',
        'scripted',
        '--n',
        '3',
        '--again',
        '--json',
        '--concurrency',
        concurrency,
      ];
      const done = warm(args);
      expect(done.status, done.stderr).toBe(0);
      return [JSON.parse(done.stdout), treeOf(join(doc, 'traces'))];
    };
    const one = out('1');
    expect(out('8')).toEqual(one);
    expect((one as [Record<string, unknown>])[0]).toMatchObject({ rollouts: 9, unfinished: 0 });
  });

  it('export writes every format', () => {
    for (const format of ['treadle', 'openai', 'sharegpt', 'hermes']) {
      const out = join(dir, `rows-${format}`);
      const done = warm(['export', doc, '--format', format, '--out', out, '--json']);
      expect(done.status, done.stderr).toBe(0);
      expect(JSON.parse(done.stdout).rows).toBeGreaterThanOrEqual(3);
    }
  });

  it('tasks replaces the library, and traces of the old one become no rows', () => {
    const done = warm(['tasks', doc, '--tasks', '2', '--seed', 'other', '--json']);
    expect(done.status, done.stderr).toBe(0);
    const folder = join(doc, 'worlds', only(doc), 'tasks');
    expect(readdirSync(folder).filter((name) => name.endsWith('.yaml'))).toHaveLength(2);
    expect(readdirSync(join(folder, 'proofs'))).toHaveLength(2);
    const rows = JSON.parse(warm(['export', doc, '--out', join(dir, 'stale'), '--json']).stdout);
    expect(rows.rows).toBe(0);
  });
});
