/** The contract of ownership, over every implementation; and what it is without its fence. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEASE, ownershipContract } from './ownership.contract.js';
import { OWNERSHIPS } from './ownership.fixture.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-ownership-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(OWNERSHIPS(() => folder)))('ownership: %s', (_, open) => {
  for (const { name, run } of ownershipContract(() => open())) it(name, run);

  it('without its fence lets anybody move a head: only for drills', async () => {
    const bench = await open({ fence: false });
    const { ownership } = bench;
    const [a, b] = [await ownership.register('a', LEASE), await ownership.register('b', LEASE)];
    await ownership.claim(a.incarnation, ['s']);
    const commit = { session: 's', key: 'b', gen: 7, seq: 9 };
    expect(await ownership.commitHead(b.incarnation, [commit])).toMatchObject([{ outcome: 'moved' }]);
    const older = { ...commit, key: 'a', gen: 1, seq: 1 };
    expect(await ownership.commitHead(a.incarnation, [older])).toMatchObject([{ outcome: 'moved' }]);
    expect((await ownership.sessions())[0]).toMatchObject({ gen: 1, head: { key: 'a' }, previous: { key: 'b' } });
    await bench.close();
  });
});
