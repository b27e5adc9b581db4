/** Ids of sessions name files and blobs. */
import { expect, it } from 'vitest';
import { partsOfKey } from '../../blobs/keys.js';
import { mintId } from './tokens.js';

it('an id can be the key of a blob, whatever was drawn', () => {
  const ids = Array.from({ length: 20_000 }, mintId);
  for (const id of ids) expect(partsOfKey(`sessions/${id}/parked`)).toEqual(['sessions', id, 'parked']);
  expect(new Set(ids).size).toBe(ids.length);
});
