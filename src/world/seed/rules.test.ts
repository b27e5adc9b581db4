import { evaluate } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { MAKERS } from './cell.js';
import { columnsData } from './data.js';
import { chooseRule, normalName, ruleByName } from './rules.js';

const { rules, consistency, populations } = columnsData();

describe('column rules', () => {
  it.each(rules.flatMap((rule) => (rule.hit ?? []).map((name) => [name, rule.id])))('%s is won by %s', (name, id) => {
    expect(ruleByName(normalName(name, 'row'))?.id).toBe(id);
  });

  it.each(rules.flatMap((rule) => (rule.miss ?? []).map((name) => [name, rule.id])))(
    '%s is not won by %s',
    (name, id) => {
      expect(ruleByName(normalName(name, 'row'))?.id).not.toBe(id);
    },
  );

  it('has a maker for every rule but keys and references', () => {
    const without = rules.map(({ id }) => id).filter((id) => !MAKERS[id]);
    expect(without).toEqual(['key', 'foreign_key']);
  });

  it('prefers enum, then foreign key, then format, then name, then type', () => {
    expect(chooseRule('status', { type: 'text', enum: ['a'] }, 'row').how).toBe('enum');
    expect(chooseRule('email', { type: 'text', fk: 'contact', format: 'email' }, 'row')).toMatchObject({
      how: 'fk',
      rule: { id: 'foreign_key' },
    });
    expect(chooseRule('reach_me', { type: 'text', format: 'email' }, 'row')).toMatchObject({
      how: 'format',
      rule: { id: 'email' },
    });
    expect(chooseRule('paidAt', { type: 'text', format: 'date-time' }, 'row').rule?.id).toBe('stamp');
    expect(chooseRule('zorp', { type: 'int' }, 'row')).toEqual({ how: 'default', rule: undefined });
  });

  it('takes a rule only where its type agrees', () => {
    expect(chooseRule('created_by', { type: 'bool' }, 'row').rule?.id).not.toBe('actor');
    expect(chooseRule('total', { type: 'money' }, 'row').rule?.id).toBe('total');
    expect(chooseRule('name', { type: 'int' }, 'row').rule?.id).not.toBe('name');
  });

  it('lets Column.seed pin a rule and ignores one that does not exist', () => {
    expect(chooseRule('x', { type: 'text', seed: 'phone' }, 'row')).toMatchObject({
      how: 'pinned',
      rule: { id: 'phone' },
    });
    expect(chooseRule('email', { type: 'text', seed: 'no_such_rule' }, 'row').rule?.id).toBe('email');
  });

  it('drops the table noun where it leads and reads canceled as cancelled', () => {
    expect(normalName('invoiceDueDate', 'invoice')).toBe('due_date');
    expect(normalName('Canceled-At', 'order')).toBe('cancelled_at');
    expect(normalName('invoice', 'invoice')).toBe('invoice');
  });
});

/** CEL wants bigints where the data says whole numbers; `day` and `year` are spans in seconds. */
const celValue = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item)]));
  return value;
};
const judge = (check: string, record: Record<string, unknown>): unknown =>
  evaluate(check, celValue({ day: 86_400, year: 31_536_000, ...record }) as Record<string, unknown>);

describe('consistency rules', () => {
  it.each(consistency.map((rule) => [rule.id, rule] as const))(
    '%s holds of its good record and breaks on its bad one',
    (_id, rule) => {
      expect(judge(rule.check, rule.holds)).toBe(true);
      expect(judge(rule.check, rule.breaks)).toBe(false);
    },
  );

  it('names the rules over populations that the seeder keeps', () => {
    expect(populations.map(({ id }) => id)).toEqual([
      'ages_of_rows',
      'old_rows_ended',
      'every_state_present',
      'long_tails',
      'nulls',
      'planned_doubles',
      'free_keys',
    ]);
  });
});
