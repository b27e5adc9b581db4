import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoDate, isoInstant, longDate, parseIso, startOfDay, weekday, wordDate } from './calendar.js';
import { rng } from './rng.js';
import { camel, kebab, pascal, plural, singular, snake, upperSnake, withArticle, wordsOf } from './words.js';

describe('words', () => {
  it.each([
    ['dueDate', ['due', 'date']],
    ['Due-Date', ['due', 'date']],
    ['HTTPServerName', ['http', 'server', 'name']],
    ['po_number', ['po', 'number']],
    ['', []],
    ['__', []],
  ])('splits %j', (name, words) => expect(wordsOf(name)).toEqual(words));
  it('writes a name in every style', () =>
    expect([snake, kebab, camel, pascal, upperSnake].map((style) => style('purchase order_line'))).toEqual([
      'purchase_order_line',
      'purchase-order-line',
      'purchaseOrderLine',
      'PurchaseOrderLine',
      'PURCHASE_ORDER_LINE',
    ]));
  it.each([
    ['invoice', 'invoices'],
    ['company', 'companies'],
    ['day', 'days'],
    ['address', 'addresses'],
    ['box', 'boxes'],
    ['person', 'people'],
    ['sales_person', 'sales_people'],
    ['series', 'series'],
    ['batch', 'batches'],
    ['purchase order', 'purchase orders'],
  ])('plural of %s is %s, and back', (one, many) => {
    expect(plural(one)).toBe(many);
    expect(singular(many)).toBe(one);
  });
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('treats %s as a plain word', (name) => {
    expect(typeof plural(name)).toBe('string');
    expect(typeof singular(name)).toBe('string');
  });
  it.each([
    ['invoice', 'an invoice'],
    ['user', 'a user'],
    ['order', 'an order'],
    ['unit', 'a unit'],
    ['European', 'a European'],
  ])('%s takes its article', (noun, said) => expect(withArticle(noun)).toBe(said));
});

describe('calendar', () => {
  const march = 1_709_600_400;
  it('writes days and moments', () => {
    expect(isoInstant(march)).toBe('2024-03-05T01:00:00Z');
    expect([isoDate(march), wordDate(march), longDate(march)]).toEqual(['2024-03-05', '05 Mar 2024', '5 March 2024']);
    expect(weekday(march)).toBe(2);
  });
  it.each(['2024-02-30x', '05.03.2024', '', '2024-13-01', 'tomorrow', '2024-3-5'])(
    'does not take %j for a date',
    (text) => expect(parseIso(text)).toBeUndefined(),
  );
  it('reads offsets', () => expect(parseIso('2024-03-05T02:00:00+01:00')).toBe(march));
  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }), (at) => {
        expect(parseIso(isoInstant(at))).toBe(at);
        expect(parseIso(isoDate(at))).toBe(startOfDay(at));
      }),
    );
  });
});

describe('streams', () => {
  it('depend on seed and name, never on who drew before', () => {
    const a = rng('s', 'x');
    a.int(0, 100);
    expect(a.stream('child').int(0, 1e9)).toBe(rng('s', 'x').stream('child').int(0, 1e9));
    expect(rng('s', 'x').int(0, 1e9)).not.toBe(rng('s', 'y').int(0, 1e9));
    expect(rng('s').stream('a').stream('b').int(0, 1e9)).toBe(rng('s', 'a', 'b').int(0, 1e9));
  });
  it('stay in their bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: -1000, max: 1000 }), fc.nat(1000), (seed, low, span) => {
        const random = rng(seed);
        const value = random.int(low, low + span);
        expect(value >= low && value <= low + span).toBe(true);
        const unit = random.unit();
        expect(unit >= 0 && unit < 1).toBe(true);
        expect(random.shuffle([1, 2, 3]).sort()).toEqual([1, 2, 3]);
      }),
    );
  });
});
