/** The layout tells the truth: imports point down the flow, files stay small, nothing reads the wall clock (style.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** From the ground up (architecture.md, "The rooms"); a room may import itself and what stands before it. */
const GROUND = ['kit', 'errors', 'artifacts', 'document', 'world', 'verify', 'serve'];
const SIDE = ['models', 'corpus'];
const STAGES = ['author', 'certify', 'tasks', 'dynamics', 'rollout', 'evolve', 'train'];
const TOP = ['fake', 'cli', 'index'];

const files = (readdirSync(SRC, { recursive: true }) as string[]).filter((path) => path.endsWith('.ts')).sort();
const roomOf = (path: string): string => (path.split('/')[0] ?? '').replace(/\.(ts|js)$/, '');
const text = (path: string): string => readFileSync(join(SRC, path), 'utf8');
const isForTests = (path: string): boolean => /\.(test|fixture)\.ts$/.test(path);
const lines = (path: string): number => text(path).split('\n').length - 1;

const mayImport = (from: string, to: string): boolean => {
  if (from === to || TOP.includes(from)) return true;
  const order = [...GROUND, ...SIDE, ...STAGES];
  // errors.ts and kit know one another: an error is what both speak in.
  if (GROUND.indexOf(from) >= 0 && ['kit', 'errors'].includes(from) && ['kit', 'errors'].includes(to)) return true;
  if (SIDE.includes(from) && SIDE.includes(to)) return false;
  return order.indexOf(to) >= 0 && order.indexOf(to) < order.indexOf(from);
};

it('knows every room', () => {
  const known = new Set([...GROUND, ...SIDE, ...STAGES, ...TOP]);
  expect([...new Set(files.map(roomOf))].filter((room) => !known.has(room))).toEqual([]);
});

it('imports point down the flow', () => {
  const wrong: string[] = [];
  for (const path of files) {
    for (const [, target = ''] of text(path).matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)) {
      const to = relative(SRC, normalize(join(SRC, dirname(path), target)));
      if (to.startsWith('..')) {
        if (!isForTests(path)) wrong.push(`${path} -> ${target}`);
      } else if (!isForTests(path) && !mayImport(roomOf(path), roomOf(to))) wrong.push(`${path} -> ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('files are small', () => {
  expect(files.filter((path) => lines(path) > 400).map((path) => `${path}: ${lines(path)}`)).toEqual([]);
});

it('half of the files are at most 90 lines', () => {
  // The guide wants a median of 70; this holds what is there and may only fall.
  const counts = files
    .filter((path) => !isForTests(path))
    .map(lines)
    .sort((a, b) => a - b);
  expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(90);
});

it('only kit reads the wall clock, and nobody draws unseeded', () => {
  const banned = /Math\.random\(|Date\.now\(|new Date\(\)/;
  expect(files.filter((path) => !path.startsWith('kit/') && !isForTests(path) && banned.test(text(path)))).toEqual([]);
});

it('has no default exports and no barrels', () => {
  // Fixtures hold tools as text.
  expect(files.filter((path) => !isForTests(path) && /^export default/m.test(text(path)))).toEqual([]);
  const barrels = files
    .filter((path) => path !== 'index.ts' && !path.endsWith('.test.ts'))
    .filter((path) => {
      const code = text(path)
        .split('\n')
        .filter((line) => line.trim() && !/^(\/\/|\/\*|\s*\*)/.test(line));
      return code.length > 0 && code.every((line) => /^export (\*|\{)/.test(line));
    });
  expect(barrels).toEqual([]);
});
