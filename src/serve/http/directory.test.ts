import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteHost } from '../../../test/e2e/mcp-host.js';
import { type OpenedSession, sessionDirectory } from './directory.js';
import { bearerOf, digestOf, mintToken, sameDigest } from './tokens.js';

describe('tokens', () => {
  it('hold 256 bits, fit a header, and are stored as SHA-256', () => {
    const token = mintToken();
    expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32);
    expect(bearerOf(`Bearer ${token}`)).toBe(token);
    expect(digestOf('abc')).toBe('ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=');
    expect(sameDigest(digestOf('a'), digestOf('a'))).toBe(true);
    expect(sameDigest(digestOf('a'), digestOf('b'))).toBe(false);
    expect(sameDigest(digestOf('a'), '')).toBe(false);
  });
  it.each([undefined, '', 'Bearer', 'Bearer ', 'bearer a b', 'Basic x', `Bearer ${'x'.repeat(600)}`, 'Bearer é'])(
    'are not found in %s',
    (header) => expect(bearerOf(header)).toBeUndefined(),
  );
});

describe('a session directory', () => {
  it('keeps no token in the clear', () => {
    const directory = sessionDirectory();
    const { token, id } = directory.open({ host: noteHost() });
    expect(JSON.stringify(directory)).not.toContain(token);
    expect(token).not.toContain(id);
    expect(directory.find(token)).toMatchObject({ state: 'open', session: { id } });
    expect(directory.find(id).state).toBe('unknown');
    expect(directory.find(digestOf(token)).state).toBe('unknown');
  });

  it('makes room by reaping before it says no', () => {
    let now = 0;
    const directory = sessionDirectory({ capacity: 1, idleSeconds: 10, now: () => now });
    directory.open({ host: noteHost() });
    expect(() => directory.open({ host: noteHost() })).toThrow(
      expect.objectContaining({ code: 'at_capacity', isRetryable: true }),
    );
    now = 10;
    expect(() => directory.needRoom()).not.toThrow();
    directory.open({ host: noteHost() });
    expect(directory.size).toBe(1);
  });

  it('lets go of a session whose drop throws, and says so', () => {
    const defects: string[] = [];
    const directory = sessionDirectory({ onDefect: (error) => defects.push(error.message) });
    const broken = (): never => {
      throw new Error('stuck');
    };
    const { id, token } = directory.open({ host: noteHost(), drop: broken });
    directory.open({ host: noteHost(), drop: broken });
    expect(directory.close(id)).toBe(true);
    expect(directory.close(id)).toBe(false);
    directory.closeAll();
    expect([directory.size, directory.find(token).state, defects.length]).toEqual([0, 'gone', 2]);
  });

  it('forgets strangers and old tokens: 70,000 abandoned sessions leave none behind', () => {
    let now = 0;
    const directory = sessionDirectory({ capacity: 1000, idleSeconds: 1, now: () => now });
    const host = noteHost();
    const first = directory.open({ host });
    for (let i = 0; i < 70_000; i++) {
      if (directory.size === directory.capacity) now += 1;
      directory.open({ host });
    }
    now += 1;
    directory.reap();
    expect([directory.size, directory.find(first.token).state]).toEqual([0, 'unknown']);
  });

  it('agrees with a model of itself', () => {
    const step = fc.oneof(
      fc.constant({ do: 'open' as const }),
      fc.record({ do: fc.constantFrom('find' as const, 'close' as const), n: fc.nat(20) }),
      fc.record({ do: fc.constant('wait' as const), n: fc.integer({ min: 1, max: 12 }) }),
      fc.constant({ do: 'reap' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 0;
        const directory = sessionDirectory({ idleSeconds: 10, lifetimeSeconds: 25, now: () => now });
        const all: (OpenedSession & { opened: number; used: number; closed: boolean; drops: number })[] = [];
        const isOpen = (one: (typeof all)[number]): boolean =>
          !one.closed && now - one.used < 10 && now - one.opened < 25;
        for (const taken of steps) {
          if (taken.do === 'open') {
            const one = { id: '', token: '', opened: now, used: now, closed: false, drops: 0 };
            Object.assign(one, directory.open({ host: noteHost(), drop: () => one.drops++ }));
            all.push(one);
          } else if (taken.do === 'wait') now += taken.n;
          else if (taken.do === 'reap') directory.reap();
          else {
            const one = all[taken.n];
            if (one === undefined) continue;
            if (taken.do === 'close') {
              directory.close(one.id);
              one.closed = true;
              continue;
            }
            const expected = isOpen(one);
            expect(directory.find(one.token)).toMatchObject(
              expected ? { state: 'open', session: { id: one.id } } : { state: 'gone' },
            );
            if (expected) one.used = now;
            else one.closed = true;
          }
        }
        directory.reap();
        expect(directory.size).toBe(all.filter(isOpen).length);
        for (const one of all) expect(one.drops).toBe(isOpen(one) ? 0 : 1);
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});
