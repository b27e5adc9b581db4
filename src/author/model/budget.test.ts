import { expect, it } from 'vitest';
import { meterOf } from './budget.js';

const said = (content: string, usage?: { promptTokens: number; completionTokens: number }) => ({
  content,
  ...(usage ? { usage } : {}),
});

it('ends at the rounds, those without an answer too', () => {
  const meter = meterOf({ rounds: 2 });
  expect(meter.room(100)).toEqual({ tokens: 6000 });
  meter.count(100, said('x'));
  meter.miss();
  expect(meter.room(100)).toEqual({ why: 'all 2 rounds are used' });
});

it('leaves an answer only what is left of the tokens', () => {
  const meter = meterOf({ tokens: 3000, answer: 2000 });
  meter.count(0, said('', { promptTokens: 1000, completionTokens: 500 }));
  expect(meter.room(350)).toEqual({ tokens: 1400 });
  meter.count(0, said('', { promptTokens: 100, completionTokens: 1300 }));
  expect(meter.room(350)).toHaveProperty('why');
});

it('counts money, and leaves an answer what is left of it', () => {
  const meter = meterOf({ usd: 0.01, price: { input: 1, output: 10 }, answer: 5000 });
  expect(meter.room(3500)).toEqual({ tokens: 900 });
  meter.count(3500, said('x'.repeat(100), { promptTokens: 1000, completionTokens: 800 }));
  expect(meter.spent.usd).toBeCloseTo(0.009, 9);
  expect(meter.room(3500)).toHaveProperty('why');
});

it('does not believe an endpoint that reports less than can be', () => {
  const meter = meterOf();
  meter.count(35_000, said('x'.repeat(35_000), { promptTokens: 0, completionTokens: -5 }));
  meter.count(3500, said('x'.repeat(350)));
  meter.count(350, said('x', { promptTokens: Number.NaN, completionTokens: 1 }));
  expect(meter.spent).toEqual({ rounds: 3, promptTokens: 10_000 + 1000 + 100, completionTokens: 10_000 + 100 + 1 });
});

it.each([
  { rounds: 0 },
  { tokens: -1 },
  { usd: Number.NaN, price: { input: 1, output: 1 } },
  { answer: 0 },
  { price: { input: -1, output: 1 } },
])('refuses %j', (budget) =>
  expect(() => meterOf(budget)).toThrowError(expect.objectContaining({ code: 'bad_budget' })),
);

it('a budget in dollars needs a price', () =>
  expect(() => meterOf({ usd: 1 })).toThrowError(expect.objectContaining({ code: 'no_price' })));
