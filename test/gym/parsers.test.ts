/** Whatever JSON comes in: the parsers of the gyms answer with their own refusals, and never with anything else. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TreadleError } from '../../src/errors.js';
import { cookieOf } from '../../src/serve/gym/cookies.js';
import { answerOf, readVerify } from '../../src/serve/gym/nemo/answer.js';
import { aggregateMetrics } from '../../src/serve/gym/nemo/metrics.js';
import { readSeed } from '../../src/serve/gym/nemo/rows.js';
import { readAction, readReset } from '../../src/serve/gym/openenv/actions.js';
import { environmentsOf } from '../../src/serve/gym/openenv/environments.js';
import { readIncoming } from '../../src/serve/gym/openenv/messages.js';
import { answerRpc } from '../../src/serve/gym/openenv/rpc.js';
import { turns } from '../../src/serve/gym/turns.js';
import type { Trainer } from '../../src/serve/trainer.js';

const KEYS = [
  'type',
  'data',
  'action',
  'tool_name',
  'arguments',
  'answer',
  'task',
  'seed',
  'verifier_metadata',
  'response',
];
const MORE = ['output', 'role', 'content', 'text', 'method', 'params', 'id', 'jsonrpc', 'session_id', 'name', 'labels'];
const WORDS = ['list_tools', 'call_tool', 'finish', 'reset', 'step', 'message', 'assistant', 'output_text', '2.0'];
const METHODS = ['tools/list', 'tools/call', 'openenv/session/create', 'openenv/session/close'];

/** JSON made of the words that the wires know, so that it gets far. */
const likely = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...WORDS, ...METHODS, '', null, true, 0, -1, 1.5, 7, 'nobody'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS, ...MORE), tie('value'), { maxKeys: 6 }),
  ),
})).value;

const refusedOnlyBy = (codes: readonly string[], work: () => unknown): void => {
  try {
    work();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TreadleError);
    expect(codes).toContain((thrown as TreadleError).code);
  }
};

it('actions, resets, rows, rollouts, metrics', () => {
  fc.assert(
    fc.property(likely, fc.boolean(), (value, asText) => {
      const data = asText ? JSON.stringify(value) : value;
      refusedOnlyBy(['bad_action'], () => {
        const action = readAction(data);
        expect(['list_tools', 'call_tool', 'finish']).toContain(action.type);
        if (action.type === 'finish') expect(typeof action.answer).toBe('string');
      });
      refusedOnlyBy(['bad_reset'], () => readReset(data));
      refusedOnlyBy(['bad_row'], () => expect(typeof readSeed(data).task).toBe('string'));
      refusedOnlyBy(['bad_rollout'], () => readVerify(data));
      refusedOnlyBy(['bad_rollouts'], () => aggregateMetrics({ verify_responses: [value] }));
      expect(typeof answerOf(Array.isArray(value) ? value : [value])).toBe('string');
    }),
    { numRuns: 2_000 },
  );
});

it('messages, whole and cut anywhere', () => {
  fc.assert(
    fc.property(likely, fc.nat(60), (value, cut) => {
      for (const text of [JSON.stringify(value), JSON.stringify(value).slice(0, cut)]) {
        const read = readIncoming(text);
        if ('refused' in read)
          expect(JSON.parse(read.refused)).toMatchObject({ type: 'error', data: { code: expect.any(String) } });
      }
    }),
    { numRuns: 1_000 },
  );
});

it('JSON-RPC always has an answer of its form', async () => {
  const nobody = new Proxy({} as Trainer, {
    get: () => async () => {
      throw new Error('secret of the server');
    },
  });
  const environments = environmentsOf({ trainer: nobody, defaults: { world: 'w' }, capacity: 2, idleSeconds: 60 });
  await fc.assert(
    fc.asyncProperty(likely, fc.constantFrom(...METHODS), likely, async (value, method, params) => {
      for (const request of [value, { jsonrpc: '2.0', id: 1, method, params }]) {
        const reply = await answerRpc({ environments }, request);
        expect(reply.jsonrpc).toBe('2.0');
        expect('result' in reply).not.toBe('error' in reply);
        expect(JSON.stringify(reply)).not.toContain('secret');
      }
    }),
    { numRuns: 1_000 },
  );
  await environments.closeAll();
  expect(environments.size).toBe(0);
});

it('cookies: the last of the name, of our form alone', () => {
  expect(cookieOf('a=1; b=2; a=3', 'a')).toBe('3');
  expect(cookieOf('a="quoted"', 'a')).toBe('quoted');
  expect(cookieOf('aa=1; a =2;=3;;', 'a')).toBe('2');
  for (const header of [undefined, '', 'a', 'a=', 'a=x y', 'a=é', `a=${'x'.repeat(257)}`, 'A=1'])
    expect(cookieOf(header, 'a')).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(cookieOf(header, 'a') ?? 'x').toMatch(/^[A-Za-z0-9_-]+$/);
    }),
  );
});

it('turns: one at a time, in order, whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), fc.nat(3)), { maxLength: 20 }), async (works) => {
      const order = turns();
      const log: string[] = [];
      const done = works.map(([fails, ticks], n) =>
        order.take(async () => {
          log.push(`start ${n}`);
          for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
          log.push(`end ${n}`);
          if (fails) throw new Error(`${n}`);
          return n;
        }),
      );
      const settled = await Promise.allSettled(done);
      expect(log).toEqual(works.flatMap((_, n) => [`start ${n}`, `end ${n}`]));
      expect(settled.map(({ status }) => status === 'rejected')).toEqual(works.map(([fails]) => fails));
    }),
  );
});
