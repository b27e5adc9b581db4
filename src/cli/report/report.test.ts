import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHtml } from '../../../test/e2e/tree.js';
import { fixtureParts } from '../../../test/fixtures/world.js';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Certificate } from '../../artifacts/certificate.js';
import type { Link } from '../../artifacts/world.js';
import { rebuildIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { addressOf } from '../../kit/hash.js';
import { Engine } from '../../world/state/engine.js';
import { outcomeLines, reasonsOf } from '../pipeline/document.js';
import { serviceGraph } from './graph.js';
import { escapeHtml } from './html.js';
import { writeReport } from './report.js';
import { taskGraph } from './task-graph.js';

const HOSTILE = '<script>alert("x")</script>\u0000\u001b & \'quoted\' \ud800';
let engine: Engine;
let dir: string;
beforeAll(async () => {
  engine = await Engine.start();
  dir = mkdtempSync(join(tmpdir(), 'treadle-report-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  engine.close();
});

const proof = (kind: Certificate['kind']): Certificate => ({
  treadle: 'certificate/1',
  kind,
  subject: addressOf(kind),
  name: HOSTILE,
  pass: false,
  findings: [{ id: 'schema', pass: false, evidence: [HOSTILE, ...Array.from({ length: 12 }, (_, n) => `line ${n}`)] }],
});

describe('the page', () => {
  it('shows hostile text everywhere as text, and is well formed', () => {
    const corpus = Corpus.open(join(dir, 'corpus'), true);
    const parts = fixtureParts(engine, {
      service: (spec) => ({ ...spec, title: HOSTILE, description: HOSTILE }),
      world: (spec) => ({
        ...spec,
        company: { ...spec.company, name: HOSTILE, about: HOSTILE },
        brief: { text: HOSTILE, evidence: [{ choice: HOSTILE, because: HOSTILE, kind: 'words' }] },
      }),
    });
    corpus.writeWorld({ ...parts, certificates: { world: proof('world') } });
    const task = { ...toyTask(0, 'a', 'fixture'), brief: HOSTILE };
    corpus.writeTasks('fixture', {
      tasks: [task],
      certificates: { [task.id]: proof('task') },
      dropped: [{ family: 'f', template: HOSTILE, reason: HOSTILE }],
    });
    const path = writeReport(corpus, rebuildIndex(corpus).worlds, {
      title: HOSTILE,
      source: HOSTILE,
      seed: HOSTILE,
      dropped: [
        { what: 'tool void of billing', why: HOSTILE },
        ...Array.from({ length: 20 }, (_, n) => ({ what: `world w${n}`, why: HOSTILE })),
      ],
      document: {
        treadle: 'document/1',
        title: HOSTILE,
        version: HOSTILE,
        entities: [{ name: HOSTILE, columns: 1, tools: 1, machine: true, service: HOSTILE }],
        operations: [
          { operation: 'POST /void', tool: 'billing.void' },
          { operation: HOSTILE, why: HOSTILE },
        ],
        refs: [{ ref: HOSTILE, why: HOSTILE }],
      },
    });
    const html = readFileSync(path, 'utf8');
    const { fault, tags, attributes } = readHtml(html);
    expect(fault).toBeUndefined();
    expect(tags.has('script')).toBe(false);
    expect([...attributes].filter((name) => name.startsWith('on'))).toEqual([]);
    expect(['\u0000', '\u001b', '\ud800'].filter((char) => html.includes(char))).toEqual([]);
    expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(html).toContain('and 15 more');
    expect(html).toContain('and 5 more');
    // The tool that the repair left out is no tool of the operation any more.
    expect(html).toMatch(/POST \/void<\/code><\/td><td><span class="bad">no tool/);
  });
});

describe('the picture', () => {
  const parts = (): ReturnType<typeof fixtureParts> => fixtureParts(engine);
  const numbers = (svg: string): number[] => [...svg.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);

  it('draws one line for all links between two services, and names their keys', () => {
    const { world, services } = parts();
    const more: Link[] = ['id', 'name', 'phone'].map((col) => ({
      ...(world.links[0] as Link),
      id: `l_${col}`,
      to: { ...(world.links[0] as Link).to, col },
    }));
    const svg = serviceGraph({ ...world, links: [...world.links, ...more] }, services);
    expect(svg.match(/class="link"/g)).toHaveLength(2);
    expect(svg).toContain('email, id +2');
    expect(readHtml(svg).fault).toBeUndefined();
    expect(numbers(svg).every(Number.isFinite)).toBe(true);
  });

  it('stands for a world without links, and for one service', () => {
    const { world, services } = parts();
    for (const n of [1, 2, services.length]) {
      const svg = serviceGraph({ ...world, links: [], services: world.services.slice(0, n) }, services);
      expect(svg.match(/<rect/g)).toHaveLength(n);
      expect(svg).not.toContain('NaN');
    }
  });

  it('keeps labels apart', () => {
    const { world, services } = parts();
    const link = world.links[0] as Link;
    const ids = world.services.map(({ id }) => id);
    const links = ids.flatMap((from) =>
      ids.map((to) => ({
        ...link,
        id: `${from}_${to}`,
        from: { ...link.from, service: from },
        to: { ...link.to, service: to },
      })),
    );
    const svg = serviceGraph({ ...world, links }, services);
    const at = [...svg.matchAll(/class="key" x="([\d.]+)" y="([\d.]+)">([^<]*)/g)].map(([, x, y, text]) => ({
      x: Number(x),
      y: Number(y),
      text: text as string,
    }));
    expect(at.length).toBe((ids.length * (ids.length - 1)) / 2);
    for (const [i, a] of at.entries())
      for (const b of at.slice(i + 1))
        expect(Math.abs(a.y - b.y) >= 14 || Math.abs(a.x - b.x) > a.text.length * 5).toBe(true);
  });
});

it('escapes what HTML cannot write', () => {
  expect(escapeHtml('a\tb\nc')).toBe('a\tb\nc');
  expect(escapeHtml(`<&>"'\u0000\u0085`)).toBe('&lt;&amp;&gt;&quot;&#39;\ufffd\ufffd');
  expect(escapeHtml('é 🥐 面')).toBe('é 🥐 面');
});

describe('what became of a document', () => {
  const outcome = {
    treadle: 'document/1' as const,
    title: 'T',
    version: '3.0.0',
    entities: Array.from({ length: 11 }, (_, n) => ({
      name: `e${n}`,
      columns: 3,
      tools: 2,
      machine: n === 0,
      service: 's',
    })),
    operations: [
      { operation: 'GET /a', tool: 's.a' },
      { operation: 'GET /b', why: 'rare' },
      { operation: 'GET /c', why: 'common' },
      { operation: 'GET /d', why: 'common' },
    ],
    refs: [],
  };
  it('counts the reasons, the commonest first', () => {
    expect(reasonsOf(outcome)).toEqual([
      { why: 'common', n: 2, example: 'GET /c' },
      { why: 'rare', n: 1, example: 'GET /b' },
    ]);
  });
  it('is a short table', () => {
    const lines = outcomeLines(outcome, 3);
    expect(lines[0]).toBe('1 of 4 operations became tools');
    expect(lines).toContain('  and 8 more, all in the report');
    expect(lines.at(-1)).toMatch(/1 not: rare \(GET \/b\)/);
  });
});

describe('the graph of a composed task', () => {
  const node = (id: string, service: string, intent = HOSTILE) => ({
    id,
    family: 'update',
    intent,
    service,
    chain: [],
  });
  const milestone = (id: string) => ({ id: `m_${id}`, node: id, checks: [] });
  const edge = (from: string, to: string, carries: 'state' | 'information' = 'state') => ({
    from,
    to,
    carries,
    what: HOSTILE,
  });

  it('has a box a stage, a lane a service and a curve an edge, and is well formed', () => {
    const nodes = Array.from({ length: 100 }, (_, n) => node(`s${n + 1}`, `service_${n % 8}`));
    const edges = [edge('s1', 's2'), edge('s1', 's9', 'information'), edge('s2', 's100'), edge('s3', 'nowhere')];
    const svg = taskGraph({ id: HOSTILE, nodes, edges, milestones: nodes.map(({ id }) => milestone(id)) });
    expect(svg.match(/<rect /g)).toHaveLength(100);
    expect(svg.match(/class="lane"/g)).toHaveLength(8);
    expect(svg.match(/class="state"/g)).toHaveLength(2);
    expect(svg.match(/class="information"/g)).toHaveLength(1);
    expect(svg).not.toContain('<script');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('of one stage there is none', () => {
    expect(taskGraph({ id: 'a', nodes: [node('s1', 'x')], edges: [], milestones: [] })).toBe('');
  });
});
