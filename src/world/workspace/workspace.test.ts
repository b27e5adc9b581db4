import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisedPath, Workspace } from './workspace.js';

const code = (work: () => unknown): string => {
  try {
    work();
    return 'nothing thrown';
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

describe('Workspace', () => {
  it('reads, writes, moves, lists and deletes', () => {
    const files = new Workspace();
    files.write('/reports//q1.txt', 'one');
    files.write('reports/./q2.txt', 'two');
    expect(files.read('reports/q1.txt')).toBe('one');
    expect(files.list('reports')).toEqual(['reports/q1.txt', 'reports/q2.txt']);
    files.move('reports/q1.txt', 'done/q1.txt');
    files.delete('/reports/q2.txt');
    expect([...files.files()]).toEqual([['done/q1.txt', 'one']]);
    expect(files.list('/')).toEqual(['done/q1.txt']);
    expect(files.list('do')).toEqual([]);
  });

  it.each(['', '/', '.', '..', '../x', 'a/../../x', 'a\\b', 'a\u0000b', 'a\nb', 'x'.repeat(256), 'a/'.repeat(17)])(
    'refuses the path %j',
    (path) => {
      expect(code(() => new Workspace().write(path, 'x'))).toBe('invalid_argument');
    },
  );

  it('never leads out, whatever the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', 'a', '\\', ' ') }), (path) => {
        try {
          expect(normalisedPath(path).split('/')).not.toContain('..');
        } catch (thrown) {
          expect((thrown as { code: string }).code).toBe('invalid_argument');
        }
      }),
    );
  });

  it('knows files from folders', () => {
    const files = new Workspace(new Map([['a/b', 'x']]));
    expect(code(() => files.write('a', 'y'))).toBe('conflict');
    expect(code(() => files.write('a/b/c', 'y'))).toBe('conflict');
    expect(code(() => files.move('a/b', 'a/b'))).toBe('nothing thrown');
    files.write('c', 'z');
    expect(code(() => files.move('c', 'a/b'))).toBe('conflict');
    expect(code(() => files.move('c', 'a'))).toBe('conflict');
    expect(files.read('c')).toBe('z');
    expect(code(() => files.read('nope'))).toBe('not_found');
  });

  it('has an end', () => {
    const files = new Workspace();
    expect(code(() => files.write('big', 'x'.repeat(1_048_577)))).toBe('too_large');
    for (let i = 0; i < 16; i++) files.write(`f${i}`, 'x'.repeat(1_048_576));
    expect(code(() => files.write('one more', 'x'))).toBe('too_large');
    files.delete('f0');
    files.write('one more', 'x');
  });

  it('forks: neither side sees what the other writes', () => {
    const step = fc.record({
      side: fc.nat(2),
      path: fc.constantFrom('a', 'b', 'c/d'),
      what: fc.constantFrom('write', 'delete', 'fork', 'restore'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const real = [new Workspace(), new Workspace(), new Workspace()];
        const model = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
        steps.forEach(({ side, path, what }, i) => {
          const other = (side + 1) % 3;
          if (what === 'write') {
            real[side]!.write(path, `${i}`);
            model[side]!.set(path, `${i}`);
          } else if (what === 'delete') {
            if (model[side]!.delete(path)) real[side]!.delete(path);
          } else if (what === 'fork') {
            real[other] = real[side]!.fork();
            model[other] = new Map(model[side]);
          } else {
            const saved = real[side]!.fork();
            real[side]!.write(path, 'gone');
            real[side]!.restore(saved);
          }
        });
        for (const [i, files] of real.entries()) expect(files.files()).toEqual(new Map([...model[i]!].sort()));
      }),
    );
  });
});
