import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import type { Task } from '../../artifacts/task.js';
import type { TreadleError } from '../../errors.js';
import { addressOf, type Json } from '../../kit/hash.js';
import { openRegistry, type Registry } from './registry.js';
import { verifierOf } from './verifier.js';

const json = (task: Task): Json => task as unknown as Json;
const refusal = (work: () => unknown): TreadleError => {
  try {
    work();
  } catch (thrown) {
    const error = thrown as TreadleError;
    expect(error.name).toBe('TreadleError');
    expect(error.next).toBeTruthy();
    expect(error.line().length).toBeLessThan(1000);
    return error;
  }
  throw new Error('nothing was refused');
};

let folder: string;
let registry: Registry;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-registry-'));
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['memory', 'folder'] as const)('a registry in %s', (where) => {
  const open = (): Registry => openRegistry(where === 'memory' ? {} : { folder });
  beforeEach(() => {
    registry = open();
  });

  it('gives versions, and the same version for the same content', () => {
    const [first, second] = [json(toyTask(1)), json(toyTask(2))];
    expect(registry.publish('task', 'w/t', first)).toEqual({
      kind: 'task',
      name: 'w/t',
      version: 1,
      hash: addressOf(first),
    });
    expect(registry.publish('task', 'w/t', first).version).toBe(1);
    expect(registry.publish('task', 'w/t', second).version).toBe(2);
    expect(registry.publish('task', 'w/t', first)).toMatchObject({ version: 3, hash: addressOf(first) });
    expect(registry.read('task', 'w/t')).toEqual(first);
    expect(registry.read('task', 'w/t@2')).toEqual(second);
    expect(registry.read('task', addressOf(second))).toEqual(second);
    expect(registry.list('task').map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(Object.isFrozen(registry.read('task', 'w/t'))).toBe(true);
  });

  it('resolves past what is deprecated, and still gives it by number and hash', () => {
    registry.publish('task', 'w/t', json(toyTask(1)));
    registry.publish('task', 'w/t', json(toyTask(2)));
    expect(registry.deprecate('task', 'w/t', 'too easy').deprecated).toEqual({ because: 'too easy' });
    expect(registry.resolve('task', 'w/t').version).toBe(1);
    expect(registry.deprecate('task', 'w/t@2', 'another reason').deprecated).toEqual({ because: 'too easy' });
    expect(registry.resolve('task', 'w/t@2')).toMatchObject({ version: 2, deprecated: { because: 'too easy' } });
    expect(registry.resolve('task', addressOf(toyTask(2))).version).toBe(2);
    expect(registry.publish('task', 'w/t', json(toyTask(2)))).toMatchObject({ version: 2 });
    registry.deprecate('task', 'w/t', 'wrong');
    expect(refusal(() => registry.resolve('task', 'w/t'))).toMatchObject({
      code: 'all_deprecated',
      message: expect.stringMatching(/1 \(wrong\), 2 \(too easy\)/),
    });
    expect(registry.deprecate('task', 'w/t', 'again').deprecated).toEqual({ because: 'too easy' });
    expect(registry.publish('task', 'w/t', json(toyTask(3))).version).toBe(3);
    expect(registry.resolve('task', 'w/t').version).toBe(3);
  });

  it('knows a task by its id alone while that is unique', () => {
    registry.publish('task', 'a/t', json(toyTask(1)));
    registry.publish('task', 'a/t', json(toyTask(2)));
    expect(registry.resolve('task', 't')).toMatchObject({ name: 'a/t', version: 2 });
    expect(registry.resolve('task', 't@1')).toMatchObject({ name: 'a/t', version: 1 });
    registry.publish('task', 'b/t', json(toyTask(1)));
    expect(refusal(() => registry.resolve('task', 't'))).toMatchObject({
      code: 'ambiguous',
      next: expect.stringMatching(/a\/t, b\/t/),
    });
  });

  it('publishes what was offered when somebody asks for it', () => {
    let reads = 0;
    const offered = verifierOf(toyTask(1)) as unknown as Json;
    const offer = (content: Json): void =>
      registry.offer('verifier', 'w/t', () => {
        reads++;
        return content;
      });
    offer(offered);
    expect([registry.list('verifier'), reads]).toEqual([[], 0]);
    expect(registry.resolve('verifier', 't')).toMatchObject({ name: 'w/t', version: 1, hash: addressOf(offered) });
    expect(registry.read('verifier', 'w/t')).toEqual(offered);
    offer({ ...(offered as object), answer: { kind: 'value', asks: 'x', expected: 1, distractors: [] } });
    expect(registry.list('verifier', 'w/t').map(({ version }) => version)).toEqual([1, 2]);
    expect(registry.read('verifier', 'w/t@1')).toEqual(offered);
  });
});
