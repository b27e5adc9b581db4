import { Command } from 'commander';
import { afterEach, expect, it } from 'vitest';
import type { AuthorReport } from '../../author/model/types.js';
import { type ModelOptions, modelLines, modelOf, modelOptions, refuseNothing } from './model-author.js';

const parse = (...args: string[]): ModelOptions =>
  modelOptions(new Command('x').exitOverride()).parse(args, { from: 'user' }).opts<ModelOptions>();

afterEach(() => {
  delete process.env.TREADLE_API_KEY;
});

it('reads the budget', () =>
  expect(
    parse(
      '--model',
      'm',
      '--base-url',
      'http://127.0.0.1:1/v1',
      '--budget-rounds',
      '9',
      '--budget-usd',
      '0.5',
      '--price-in',
      '0.1',
      '--price-out',
      '0',
    ),
  ).toEqual({
    model: 'm',
    baseUrl: 'http://127.0.0.1:1/v1',
    budgetRounds: 9,
    budgetUsd: 0.5,
    priceIn: 0.1,
    priceOut: 0,
  }));

it.each([
  ['--budget-rounds', '0'],
  ['--budget-tokens', 'many'],
  ['--budget-usd', '-1'],
  ['--answer-tokens', '10'],
])('refuses %s %s', (option, value) =>
  expect(() => parse(option, value)).toThrowError(expect.objectContaining({ code: 'bad_option' })),
);

it('needs both the model and its address', () => {
  expect(modelOf({})).toBeUndefined();
  expect(modelOf({ model: 'm', baseUrl: 'http://127.0.0.1:1/v1' })?.model).toBe('m');
  expect(() => modelOf({ model: 'm' })).toThrowError(expect.objectContaining({ code: 'no_model' }));
  expect(() => modelOf({ baseUrl: 'http://127.0.0.1:1/v1' })).toThrowError(
    expect.objectContaining({ code: 'no_model' }),
  );
  expect(() => modelOf({ model: 'm', baseUrl: 'ftp://x' })).toThrowError(
    expect.objectContaining({ code: 'bad_endpoint' }),
  );
});

const report: AuthorReport = {
  outcome: 'nothing',
  services: [
    {
      id: 'lending',
      from: 'brief',
      kept: false,
      tables: 0,
      tools: 0,
      lost: [{ at: 'lending', why: 'no sound table' }],
    },
  ],
  invariants: { kept: 0, lost: [] },
  spent: { rounds: 7, promptTokens: 10, completionTokens: 20, usd: 0.01 },
  ended: { code: 'budget', why: 'all 7 rounds are used' },
};

it('says why nothing stands', () => {
  expect(() => refuseNothing(report)).toThrowError(
    expect.objectContaining({ code: 'nothing_certified', message: expect.stringContaining('lending: no sound table') }),
  );
  expect(() => refuseNothing({ ...report, outcome: 'partial' })).not.toThrow();
  expect(modelLines(report).join('\n')).toMatch(
    /out {4}lending: no sound table[\s\S]*7 rounds, 10 \+ 20 tokens, 0\.0100 dollars; ended early/,
  );
});
