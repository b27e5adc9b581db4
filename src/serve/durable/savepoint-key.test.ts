import { expect, it } from 'vitest';
import { parseSavepointKey, savepointKey, verifySavepoint } from './savepoint-key.js';

const bytes = Buffer.from('a session');
const key = savepointKey('_aB3-xyz', 7, 1234, bytes);

it('names a savepoint by session, generation, request and content, and reads it back', () => {
  expect(key).toMatch(/^sessions\/_aB3-xyz\/000000000007\/000000001234-[0-9a-f]{64}$/);
  expect(parseSavepointKey(key)).toMatchObject({ session: '_aB3-xyz', gen: 7, seq: 1234 });
});

it('sorts as they came', () => {
  const keys = [
    [1, 9],
    [1, 10],
    [2, 3],
    [10, 1],
  ].map(([gen = 0, seq = 0]) => savepointKey('s', gen, seq, bytes));
  expect([...keys].sort()).toEqual(keys);
});

it.each(['sessions/s/parked', 'sessions/s/1/2-aa', `x/${key}`, `${key}x`, '', 'sessions/../000000000001/a'])(
  'is not %j',
  (other) => expect(parseSavepointKey(other)).toBeUndefined(),
);

it('knows its bytes', () => {
  expect(() => verifySavepoint(key, bytes)).not.toThrow();
  const wrong = expect.objectContaining({ code: 'damaged_savepoint', fault: 'infrastructure' });
  for (const other of [bytes.subarray(1), Buffer.alloc(0), Buffer.concat([bytes, bytes])])
    expect(() => verifySavepoint(key, other)).toThrow(wrong);
  expect(() => verifySavepoint('sessions/s/parked', bytes)).toThrow(wrong);
});
