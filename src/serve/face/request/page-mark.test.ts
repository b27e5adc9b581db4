/** Page marks as clients send them. */
import { expect, it } from 'vitest';
import type { Binding } from '../../../artifacts/face.js';
import { type HttpOperation, httpOperations } from '../../../document/http.js';
import { refsOf } from '../../../document/refs.js';
import { withPlainMark } from './page-mark.js';

const marked = (name: string, type: string, sent: string | number | undefined): unknown => {
  const root = {
    paths: {
      '/pets': {
        get: { parameters: [{ name, in: 'query', schema: { type } }], responses: { 200: { description: 'ok' } } },
      },
    },
  };
  const [http] = httpOperations(root, refsOf(root));
  const args: Binding['args'] = [{ to: [name], in: 'query', name }];
  const params = sent === undefined ? {} : { [`query ${name}`]: sent };
  return withPlainMark(http as HttpOperation, { args } as Binding, { params }).params[`query ${name}`];
};

it('reads offsets that a document types as text, and leaves tokens alone', () => {
  expect(marked('offset', 'string', '20')).toBe(20);
  expect(marked('offset', 'string', 'eyJ0')).toBe('eyJ0');
  expect(marked('cursor', 'string', '20')).toBe('20');
});

it('takes empty marks as none, and marks beyond all rows as the last', () => {
  expect(marked('cursor', 'string', '')).toBeUndefined();
  expect(marked('offset', 'string', '')).toBeUndefined();
  expect(marked('offset', 'integer', 5_000_000)).toBe(1_000_000);
  expect(marked('page', 'integer', 5_000_000)).toBe(1_000_000);
  expect(marked('offset', 'integer', -1)).toBe(-1);
  expect(marked('offset', 'integer', undefined)).toBeUndefined();
});
