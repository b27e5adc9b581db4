import { describe, expect, it } from 'vitest';
import { chosenOf, type Listed, sparesOf } from './choice.js';

const task = (id: string, ...chain: string[]): Listed => ({ id, hash: '', family: '', brief: '', chain, tables: [] });
const idsOf = (tasks: readonly Listed[]): string => tasks.map(({ id }) => id).join('');

const A = task('a', 'crm.deal.list', 'crm.contact.get', 'crm.deal.close');
const B = task('b', 'crm.deal.list', 'crm.deal.get', 'crm.deal.update');
const C = task('c', 'crm.deal.list');
const D = task('d', 'crm.contact.list', 'crm.deal.list', 'billing.invoice.pay');

describe('which of its tasks a world keeps', () => {
  it('leaves out what a world before it has', () => {
    const seen = new Set<string>();
    expect(idsOf(chosenOf([A, B, C, D], 2, seen))).toBe('ab');
    expect(idsOf(chosenOf([A, B, C, D], 2, seen))).toBe('cd');
  });
  it('falls back to short ones first, then to the earliest', () => {
    const seen = new Set<string>();
    chosenOf([A, B, C, D], 4, seen);
    expect(idsOf(chosenOf([A, B, C, D], 1, seen))).toBe('c');
    expect(idsOf(chosenOf([A, B, C, D], 3, seen))).toBe('abc');
  });
  it('takes work that comes up twice in one world once', () => {
    expect(idsOf(chosenOf([A, { ...A, id: 'x' }, B], 2, new Set()))).toBe('ab');
  });
  it('keeps all where there are not enough, and counts only what is kept', () => {
    const seen = new Set<string>();
    expect(idsOf(chosenOf([A], 2, seen))).toBe('a');
    expect(idsOf(chosenOf([A, B, D], 1, seen))).toBe('b');
    expect(seen.size).toBe(2);
  });
  it('is the same whether a world has chosen before or not', () => {
    const [once, again] = [new Set<string>(), new Set<string>()];
    const kept = chosenOf([A, B, C, D], 3, once);
    expect(chosenOf(kept, 3, again)).toEqual(kept);
    expect(again).toEqual(once);
  });
});

it('a world alone makes no spare tasks', () => {
  expect(sparesOf({ worlds: 1, tasks: 12 })).toBe(0);
  expect(sparesOf({ worlds: 2, tasks: 12 })).toBe(4);
  expect(sparesOf({ worlds: 2, tasks: 1 })).toBe(1);
});
