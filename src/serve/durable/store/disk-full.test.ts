/** A full disk under a store: told, nothing of what it said is lost, and over when there is room. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, oneFault } from '../drill.fixture.js';
import { storeOwnership } from '../ownership/stored.js';
import { openStore, type StoreOptions } from './libsql.js';
import type { Store } from './store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const using = async <T>(work: (store: Store) => Promise<T>, options?: StoreOptions): Promise<T> => {
  const store = await openStore(folder, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

describe('a full disk', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    '(%s, drilled) is told, loses what it said, and is over when there is room',
    async (code) => {
      const faults = oneFault();
      await using(
        async (store) => {
          const own = storeOwnership(store, { faults });
          const { incarnation } = await own.register('w', 1000);
          faults.failAt('store.tx', code);
          await expect(own.claim(incarnation, ['s'])).rejects.toMatchObject({ code: 'disk_full', isRetryable: true });
          expect(await own.sessions()).toEqual([]);
          expect(await own.claim(incarnation, ['s'])).toMatchObject([{ granted: true, gen: 1 }]);
        },
        { faults },
      );
    },
  );

  it('of many leases kills nobody: who could not renew is given one lease', async () => {
    const faults = oneFault();
    const clock = manualClock();
    await using(
      async (store) => {
        const own = storeOwnership(store, { faults });
        const { incarnation } = await own.register('w', 1000);
        const gone = await own.register('gone', 1000);
        await own.reap();
        for (let i = 0; i < 13; i++) {
          clock.advance(250);
          for (const ask of [() => own.renew(incarnation), () => own.reap()]) {
            faults.failAt('store.tx', 'ENOSPC');
            await expect(ask()).rejects.toMatchObject({ code: 'disk_full' });
          }
          expect((await own.workers()).every(({ dead }) => !dead)).toBe(true);
        }
        expect((await own.reap()).died).toEqual([]);
        expect(await own.renew(incarnation)).toBeDefined();
        const died: string[] = [];
        for (let i = 0; i < 5; i++) {
          clock.advance(250);
          expect(await own.renew(incarnation)).toBeDefined();
          died.push(...(await own.reap()).died);
        }
        expect(died).toEqual([gone.incarnation]);
      },
      { faults, clock },
    );
  });

  const LOADER = new URL('../../../../bench/loader.mjs', import.meta.url).href;
  const STORE = new URL('./libsql.ts', import.meta.url).href;
  const OWNERSHIP = new URL('../ownership/stored.ts', import.meta.url).href;
  /** `ulimit -f` makes writes past a size fail as a full disk does; the blocks are of 1 KiB in bash. */
  const limited = (blocks: number | 'unlimited', body: string) =>
    spawnSync(
      'bash',
      [
        '-c',
        `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`,
        'bash',
        process.execPath,
        '--input-type=module',
        '-e',
        `import { register } from 'node:module';
         register(${JSON.stringify(LOADER)});
         const { openStore } = await import(${JSON.stringify(STORE)});
         const { storeOwnership } = await import(${JSON.stringify(OWNERSHIP)});
         const attempt = async (work) => { try { return await work(); } catch (error) { return { code: error.code, isRetryable: error.isRetryable, line: error.line?.() ?? error.stack }; } };
         ${body}`,
        folder,
      ],
      { encoding: 'utf8', timeout: 60_000 },
    );

  it('(of this machine) is told, keeps what was there, and what is kept afterwards is there', {
    timeout: 120_000,
  }, async () => {
    const { stdout, stderr, status } = limited(
      300,
      `const store = await openStore(process.argv[1]);
       const own = storeOwnership(store);
       const { incarnation } = await own.register('w', 1000);
       let kept = 0, failed;
       while (!failed && kept < 5000) {
         const ids = Array.from({ length: 50 }, (_, i) => 's' + (kept + i) + 'x'.repeat(50));
         const claims = await attempt(() => own.claim(incarnation, ids));
         if (claims.code) failed = claims; else kept += 50;
       }
       const again = await attempt(() => own.sessions().then((all) => all.length));
       console.log(JSON.stringify({ kept, failed, again }));
       await store.close();`,
    );
    expect(status, stderr).toBe(0);
    const said = JSON.parse(stdout) as { kept: number; failed: object; again: number };
    expect(said.failed).toMatchObject({ code: 'disk_full', isRetryable: true });
    expect(said.kept).toBeGreaterThan(0);
    expect(said.again).toBe(said.kept);
    await using(async (store) => {
      const own = storeOwnership(store);
      expect((await own.sessions()).length).toBe(said.kept);
      const { incarnation } = await own.register('w', 1000);
      expect(await own.claim(incarnation, ['new'])).toMatchObject([{ granted: true }]);
    });
  });

  it('that has no room for a beginning leaves the folder to begin in', { timeout: 120_000 }, async () => {
    const { stdout, stderr } = limited(
      4,
      'console.log(JSON.stringify(await attempt(() => openStore(process.argv[1]))));',
    );
    expect(JSON.parse(stdout), stderr).toMatchObject({ code: 'disk_full', isRetryable: true });
    await using(async (store) => expect(await storeOwnership(store).sessions()).toEqual([]));
  });
});
