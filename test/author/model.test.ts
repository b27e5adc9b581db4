import { afterAll, expect, it } from 'vitest';
import { authorScripted, engine } from './fixture.js';
import { good } from './scripted.js';

afterAll(() => engine.close());

it('a good small model writes a world of two services that certifies', async () => {
  const { report } = await authorScripted(good, { conversation: '/tmp/conv-l.jsonl' });
  expect(report.outcome).toBe('certified');
});
