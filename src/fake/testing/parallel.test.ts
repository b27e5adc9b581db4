/** Many forks at once, each asked at random: every one holds exactly the rows that it was given. */
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { assertCalled, assertRows, startWorld, type TestWorld } from './testing.js';
import { TILL } from './till.fixture.js';

let world: TestWorld;
beforeAll(async () => {
  world = await startWorld(TILL, { faults: ['createCustomer=503@20%'] });
});
afterAll(() => world.close());

const create = async ({ url }: TestWorld, name: string): Promise<boolean> => {
  const answer = await fetch(`${url}/customers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: 'a@mail.example' }),
  });
  return answer.status === 201;
};

it('keeps forks apart, whatever is asked of them at once', async () => {
  const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).map((text) => `made ${text}`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(name, { maxLength: 6 }), { minLength: 1, maxLength: 8 }), async (plans) => {
      const forks = await Promise.all(plans.map(() => world.fork()));
      await Promise.all(
        forks.map(async (fork, at) => {
          const names = plans[at] as string[];
          const made: string[] = [];
          for (const each of names) if (await create(fork, each)) made.push(each);
          assertRows(fork, 'customer', { name: /^made / }, made.length);
          for (const each of new Set(made))
            assertRows(fork, 'customer', { name: each }, made.filter((one) => one === each).length);
          assertCalled(fork, 'createCustomer', { times: names.length });
          assertCalled(fork, 'createCustomer', { status: 503, times: names.length - made.length });
        }),
      );
      await Promise.all(forks.map((fork) => fork.close()));
      assertRows(world, 'customer', { name: /^made / }, 0);
    }),
    { numRuns: 15 },
  );
});
