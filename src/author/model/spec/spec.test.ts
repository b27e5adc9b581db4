import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readColumn } from '../../catalogue/column.js';
import { readColumnLine } from './column-line.js';
import { wrongCondition } from './condition.js';

describe('a column as models write it', () => {
  it.each([
    ['amount: money! >=1', 'money! >=1'],
    ['Amount = decimal(10) required', 'number! len=10'],
    ['loan_no: no LN-', 'no LN-'],
    ['customer_id: fk customer!', 'fk! customer'],
    ['customer_id: fk! Customer', 'fk! customer'],
    ['kind: enum Day|Week', 'one day|week'],
    ['mail: email! unique', 'text! fmt=email unique'],
    ['note: string, optional', 'text'],
    ['due: date not null', 'date!'],
    ['owner_email: employee!', 'emp!'],
    ['member_no: ref! Membership.Member.memberNo', 'ref! membership.member.member_no'],
    ['paid: bool =true', 'bool =true'],
  ])('%s', (line, text) => {
    const read = readColumnLine(line, 't');
    expect(read).toMatchObject({ text });
    expect(() => readColumn(text)).not.toThrow();
  });

  it.each(['id: text!', 'created_at: datetime'])('what is there anyway is passed over: %s', (line) =>
    expect(readColumnLine(line, 't')).toBeUndefined(),
  );

  it.each([
    'no colon here',
    ': text',
    'a: blob',
    'a: text what=ever',
    'a: one single',
    'a: fk',
    'a: ref x.y',
    "a: text ='); DROP TABLE x; --",
    'a: no lower-',
    'a: text seed=nothing_like_it',
    `a: ${'x'.repeat(1000)}`,
  ])('says what is wrong: %.40s', (line) => expect(readColumnLine(line, 't')).toHaveProperty('why'));

  it('gives a notation that compiles, or an issue, for any text', () => {
    const word = fc.constantFrom(
      'text',
      'money!',
      'one',
      'a|b',
      'fk',
      'no',
      'A-',
      '>=1',
      '=x',
      'unique',
      'seed=title',
      'len=3',
      "'",
      '@',
      'ref',
      'a.b.c',
      'fmt=email',
      '(3)',
      '!',
      '\u0000',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => `col: ${words.join(' ')}`),
        ),
        (line) => {
          const read = readColumnLine(line, 't');
          if (read && 'text' in read) readColumn(read.text);
        },
      ),
    );
  });
});

describe('a condition as models write it', () => {
  const t = {
    status: { type: 'text' as const, enum: ['open', 'void'] },
    amount: { type: 'money' as const },
    due: { type: 'date' as const },
  };
  const sides = { t, x: t };
  it.each([
    "t.status = 'open'",
    "x.status in ('open', 'void') and t.amount > 5 * x.amount",
    't.due < :now - 86400',
    'coalesce(t.amount, 0) >= 0 and t.due is not null',
    "not (t.status <> 'void') or t.amount between 1 and 2",
  ])('%s', (sql) => expect(wrongCondition(sql, sides)).toBeUndefined());

  it.each([
    ['', 'empty'],
    ["status = 'open'", 'needs a side'],
    ["t.state = 'open'", 'no column t.state'],
    ["y.status = 'open'", 'nothing is called y'],
    ["t.status = 'closed'", "never 'closed'"],
    ["t.status in ('open', 'gone')", "never 'gone'"],
    ['exists (select 1 from secret)', 'may be used'],
    ["t.status = 'open') or (1 = 1", 'may be used'],
    ['t.amount > 1 -- x', '--'],
    ['t.amount = 1; drop table x', ';'],
    ['t.due < :then', ':then'],
    ['load_extension(t.status)', 'may be used'],
    ['t.status = "open"', 'single quotes'],
    [`t.amount > ${'1 + '.repeat(200)}1`, 'longer'],
  ])('%s', (sql, why) => expect(wrongCondition(sql, sides)).toContain(why));

  it('speaks of bare columns in a check', () => {
    expect(wrongCondition('amount >= 0', { '': t })).toBeUndefined();
    expect(wrongCondition('paid <= amount', { '': t })).toContain('no column paid');
  });
});
