/** Who acts and who asks, from the command line's options. */
import { describe, expect, it } from 'vitest';
import { toyTask } from '../../../test/rollout/toy.js';
import type { TreadleError } from '../../errors.js';
import { END, encode, fakeIdServer } from '../../models/exact/fake-id-server.fixture.js';
import { type ActingOptions, mistakesOf, POLICIES, policyOf, viewOf } from './acting.js';
import { turnsFor } from './rollouts.js';

const options = (more: Partial<ActingOptions> = {}): ActingOptions => ({
  policy: 'reference',
  user: 'none',
  detail: 'full',
  retries: 0,
  timeout: 1,
  seed: '1',
  ...more,
});
const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (thrown) {
    return (thrown as TreadleError).code;
  }
};

describe('who acts', () => {
  it('is one of the policies, each with its own producer', () => {
    const named = POLICIES.filter((policy) => policy !== 'model').map((policy) => {
      const { producer } = policyOf(options({ policy, detail: 'vague' }))(toyTask(), 0);
      return `${producer.policy}/${producer.name}`;
    });
    expect(new Set(named).size).toBe(named.length);
    expect(named).toContain('reference/asking');
  });
  it('is a model over ids where the kind of its server is told', async () => {
    const server = await fakeIdServer('llamacpp', [{ ids: [...encode('hello'), END] }]);
    try {
      const policy = policyOf(
        options({ policy: 'model', model: 'm', baseUrl: `${server.url}/v1`, backend: 'llamacpp' }),
      );
      const view = { messages: [{ role: 'user' as const, content: 'Hi' }], tools: [], task: toyTask(), turn: 0 };
      const action = await policy(toyTask(), 0).next({ ...view, signal: new AbortController().signal });
      expect(action).toMatchObject({ text: 'hello', tokens: { output: [...encode('hello'), END] } });
    } finally {
      await server.close();
    }
  });
  it('makes the mistakes that were asked for, and a policy that makes none is given none', () => {
    expect(mistakesOf('wrong_entity=1, giving_up=0.5')).toEqual({ wrong_entity: 1, giving_up: 0.5 });
    const name = (mistakes: string): string =>
      policyOf(options({ policy: 'scripted', mistakes: mistakesOf(mistakes) }))(toyTask(), 0).producer.name;
    expect(name('skipped_step=1')).toMatch(/^skipped_step@\d$/);
    expect(name('skipped_step=0')).toBe('none');
    for (const text of [
      '',
      'x=1',
      'giving_up',
      'giving_up=',
      'giving_up=2',
      'giving_up=-1',
      'giving_up=1=1',
      'toString=1',
    ])
      expect(codeOf(() => mistakesOf(text))).toBe('bad_option');
    expect(codeOf(() => mistakesOf('giving_up=1,giving_up=0'))).toBe('bad_option');
    expect(codeOf(() => policyOf(options({ mistakes: {} })))).toBe('bad_option');
  });
  it('is no model without an endpoint', () => {
    expect(codeOf(() => policyOf(options({ policy: 'model' })))).toBe('no_model');
    expect(codeOf(() => policyOf(options({ policy: 'model', model: 'm', baseUrl: 'http://127.0.0.1:1/v1' })))).toBe(
      'none',
    );
  });
});

describe('who asks', () => {
  it('is nobody or a simulated user, in a detail', () => {
    expect(viewOf(options({ detail: 'vague' }))).toEqual({ user: 'none', detail: 'vague' });
    expect(viewOf(options({ user: 'simulated' }))).toEqual({ user: 'simulated', detail: 'full' });
  });
  it('speaks in a model’s words at its own endpoint, or at the agent’s', () => {
    const url = 'http://127.0.0.1:1/v1';
    expect(viewOf(options({ user: 'simulated', userModel: 'u', userBaseUrl: url })).speaker?.name).toBe('u');
    expect(viewOf(options({ user: 'simulated', userModel: 'u', baseUrl: url })).speaker?.name).toBe('u');
  });
  it('is trusted where that is asked for, or makes mistakes that are drawn', () => {
    const trusted = viewOf(
      options({ user: 'simulated', userModel: 'u', baseUrl: 'http://127.0.0.1:1/v1', userTrust: true }),
    );
    expect(trusted).toMatchObject({ isTrusted: true, speaker: { by: 'model' } });
    expect(viewOf(options({ user: 'simulated', userMistakes: 0.5 }))).toMatchObject({
      isTrusted: false,
      speaker: { by: 'script' },
    });
  });
  it.each<[string, Partial<ActingOptions>]>([
    ['a model but no user', { userModel: 'u', userBaseUrl: 'http://127.0.0.1:1/v1' }],
    ['an endpoint but no user', { userBaseUrl: 'http://127.0.0.1:1/v1' }],
    ['a model but no endpoint', { user: 'simulated', userModel: 'u' }],
    ['trust but nobody to trust', { user: 'simulated', userTrust: true }],
    ['trust but no user', { userTrust: true }],
    ['mistakes but no user', { userMistakes: 0.5 }],
    [
      'mistakes and a model',
      { user: 'simulated', userMistakes: 0.5, userModel: 'u', baseUrl: 'http://127.0.0.1:1/v1' },
    ],
    ['an endpoint but no model', { user: 'simulated', userBaseUrl: 'http://127.0.0.1:1/v1' }],
  ])('with %s is refused', (_, more) => expect(codeOf(() => viewOf(options(more)))).toBe('bad_option'));
});

it('turns are what was asked for, else enough for the task', () => {
  expect(turnsFor(toyTask())).toBe(30);
  expect(turnsFor(toyTask(), 5)).toBe(5);
  const calls = Array.from({ length: 60 }, () => ({ service: 'billing', tool: 'list_invoices', args: {} }));
  expect(turnsFor({ ...toyTask(), reference: { ...toyTask().reference, calls } })).toBeGreaterThan(120);
});
