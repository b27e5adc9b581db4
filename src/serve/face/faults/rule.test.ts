/** Fault rules as people write them, and which operations they mean. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import type { FaceOperation } from '../types.js';
import { parseFaultRule } from './rule.js';
import { targetsOf } from './target.js';

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (thrown) {
    return thrown instanceof TreadleError ? thrown.code : `not ours: ${String(thrown)}`;
  }
};

it('reads what each rule says', () => {
  expect(parseFaultRule('POST /charges=429')).toMatchObject({
    target: 'POST /charges',
    effect: { kind: 'answer', status: 429 },
    share: 1,
    times: Number.POSITIVE_INFINITY,
  });
  expect(parseFaultRule('GET /customers/*=500@10%')).toMatchObject({ effect: { status: 500 }, share: 0.1 });
  expect(parseFaultRule('GET /x=503x2')).toMatchObject({ effect: { status: 503 }, times: 2 });
  expect(parseFaultRule('GET /x=503x2@50%')).toMatchObject({ share: 0.5, times: 2 });
  expect(parseFaultRule('GET /x=timeout@12.5%x3')).toMatchObject({
    effect: { kind: 'timeout' },
    share: 0.125,
    times: 3,
  });
  expect(parseFaultRule('createCharge=timeout:5s')).toMatchObject({ effect: { kind: 'timeout', ms: 5_000 } });
  expect(parseFaultRule('* = latency:200ms')).toMatchObject({ effect: { kind: 'latency', low: 200, high: 200 } });
  expect(parseFaultRule('*=latency:100ms-2s')).toMatchObject({ effect: { low: 100, high: 2_000 } });
  expect(parseFaultRule('GET /x=reset')).toMatchObject({ effect: { kind: 'reset' } });
});

it('refuses rules that are none', () => {
  const bad = [
    '',
    '=',
    '=429',
    'GET /x',
    'GET /x=',
    'GET /x=200',
    'GET /x=600',
    'GET /x=slow',
    'GET /x=latency',
    'GET /x=latency:2',
    'GET /x=latency:2s-1s',
    'GET /x=timeout:2h',
    'GET /x=429@0%',
    'GET /x=429@101%',
    'GET /x=429@',
    'GET /x=429x0',
    'GET /x=429x1.5',
    'GET /x=429 twice',
  ];
  for (const text of bad) expect([text, codeOf(() => parseFaultRule(text))]).toEqual([text, 'bad_fault_rule']);
});

it('throws nothing of its own for any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(['none', 'bad_fault_rule']).toContain(codeOf(() => parseFaultRule(text)));
    }),
  );
});

const operation = (method: string, path: string, id?: string): FaceOperation =>
  ({ http: { method, path, id, label: `${method.toUpperCase()} ${path}` } }) as unknown as FaceOperation;

const OPERATIONS = [
  operation('get', '/v1/customers', 'listCustomers'),
  operation('post', '/v1/customers', 'createCustomer'),
  operation('get', '/v1/customers/{id}', 'getCustomer'),
  operation('get', '/v1/customers/{id}/notes', 'listNotes'),
];
const meant = (target: string, path?: string): string[] =>
  [...targetsOf(target, OPERATIONS)]
    .filter(([, fits]) => path === undefined || fits(path))
    .map(([{ http }]) => http.id ?? '');

it('means operations by path, pattern, id, or all', () => {
  expect(meant('POST /v1/customers')).toEqual(['createCustomer']);
  expect(meant('/v1/customers')).toEqual(['listCustomers', 'createCustomer']);
  expect(meant('get /v1/customers/*')).toEqual(['getCustomer']);
  expect(meant('GET /v1/customers/{customer}')).toEqual(['getCustomer']);
  expect(meant('* /v1/**')).toHaveLength(4);
  expect(meant('GET /**/notes')).toEqual(['listNotes']);
  expect(meant('createCustomer')).toEqual(['createCustomer']);
  expect(meant('*')).toHaveLength(4);
});

it('means one row where the path names it', () => {
  expect(meant('GET /v1/customers/c1', '/v1/customers/c1')).toEqual(['getCustomer']);
  expect(meant('GET /v1/customers/c1', '/v1/customers/c2')).toEqual([]);
  expect(meant('GET /v1/customers/c1', '/base/v1/customers/c1')).toEqual(['getCustomer']);
});

it('names the nearest operation where there is none', () => {
  for (const target of ['GET /customers', 'PUT /v1/customers', 'creatCustomer', 'FETCH /v1/customers', '/'])
    expect([target, codeOf(() => meant(target))]).toEqual([target, 'unknown_operation']);
  expect(() => meant('POST /customers')).toThrow(
    expect.objectContaining({ next: expect.stringContaining('POST /v1/customers') }) as Error,
  );
});
