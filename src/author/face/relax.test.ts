import { expect, it } from 'vitest';
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { FaceDraft } from './draft.js';
import { relaxed } from './relax.js';

const table = (type: 'text' | 'int', fk?: string): Table => ({
  noun: 'tag',
  key: { col: 'code' },
  cols: { code: { type, required: true, ...(fk ? { fk } : {}) }, title: { type: 'text', required: true } },
});
const draft = (name: string, set: Record<string, string>): FaceDraft => {
  const steps: Step[] = [{ each: { in: '$args.items', as: 'item', do: [{ insert: { table: name, set } }] } }];
  return { tool: { args: {}, steps } } as unknown as FaceDraft;
};

it('leaves the key to the service where some way of making a row says none', () => {
  const fallback = { style: 'hex', length: 24 } as const;
  const tables = { tag: table('text'), number: table('int'), given: table('text'), part: table('text', 'tag') };
  relaxed(
    tables,
    [
      draft('tag', { title: '$item.title' }),
      draft('number', { title: '$item.title' }),
      draft('given', { code: '$item.code' }),
      draft('part', {}),
    ],
    fallback,
  );
  expect(tables.tag.key).toEqual({ col: 'code', gen: fallback });
  expect(tables.number.key).toEqual({ col: 'code', gen: { style: 'integer', length: 6 } });
  expect(tables.given.key).toEqual({ col: 'code' });
  expect(tables.part.key).toEqual({ col: 'code' });
  expect([tables.tag.cols.title?.required, tables.given.cols.title?.required]).toEqual([true, undefined]);
});
