import { describe, expect, it } from 'vitest';
import { familyOf, kindOf } from './kind.js';
import { lexicon } from './load.js';
import { matchVerb, meaningOf } from './match.js';
import { participleOf } from './participle.js';

const verbOf = (words: string, noun: string, ctx = {}): string | undefined => matchVerb(words, noun, ctx)?.verb;

describe('words', () => {
  it('finds every verb by every one of its words, on every kind it is meant for', () => {
    const lex = lexicon();
    const missed: string[] = [];
    let tried = 0;
    for (const verb of lex.verbs) {
      const entry = lex.entry(verb);
      for (const word of [verb, ...entry.synonyms]) {
        tried++;
        if (verbOf(word, 'gadget') !== verb) missed.push(`${word} -> ${verbOf(word, 'gadget')} not ${verb}`);
      }
    }
    expect(tried).toBeGreaterThan(1_200);
    expect(missed).toEqual([]);
  });

  it.each([
    ['cancelOrder', 'order', 'cancel'],
    ['order_cancel', 'order', 'cancel'],
    ['markNotificationAsRead', 'notification', 'mark_read'],
    ['mark_as_paid', 'invoice', 'pay'],
    ['set_as_archived', 'document', 'archive'],
    ['canceled', 'order', 'cancel'],
    ['batchArchive', 'project', 'archive'],
    ['approveLeaveRequest', 'leave_request', 'approve'],
    ['cancellation', 'order', 'cancel'],
    ['check-in', 'booking', 'check_in'],
    ['de_activate', 'user', 'deactivate'],
    ['callAnswer', 'call', 'accept'],
    ['enablescheduling', 'site', 'enable'],
    ['bind', 'policy', 'activate'],
    ['request', 'token', 'issue'],
  ])('%s of %s is %s', (words, noun, verb) => {
    expect(verbOf(words, noun, { nouns: ['scheduling'] })).toBe(verb);
  });

  it('tells plain words and words without effect from actions, as the noun decides', () => {
    expect(meaningOf('addLine', 'line')).toMatchObject({ is: 'crud', op: 'create' });
    expect(meaningOf('replace', 'order', { method: 'PUT' })).toMatchObject({ is: 'crud', op: 'update' });
    expect(meaningOf('calculate', 'shipping_rate')).toMatchObject({ is: 'none' });
    expect(meaningOf('generate', 'report')).toMatchObject({ is: 'none' });
    expect(meaningOf('convert', 'currency')).toMatchObject({ is: 'none' });
    expect(meaningOf('convert', 'lead')).toMatchObject({ is: 'action', match: { verb: 'convert' } });
    expect(meaningOf('frobnicate', 'gadget')).toBeUndefined();
    expect(meaningOf('', 'gadget')).toBeUndefined();
    expect(meaningOf('///', '')).toBeUndefined();
  });

  it('reads un- as the reverse and re- as the same again, unless the lexicon has the word itself', () => {
    expect(matchVerb('unconfirm', 'booking')).toMatchObject({ verb: 'confirm', reversed: true });
    expect(matchVerb('reinspect', 'sample')).toMatchObject({ verb: 'review', word: 'inspect' });
    expect(matchVerb('unblock', 'user')?.reversed).toBeUndefined();
  });

  it('marks batches and leaves a noun form alone where it is a resource', () => {
    expect(matchVerb('bulk_close', 'ticket')).toMatchObject({ verb: 'close', many: true });
    expect(verbOf('refund', 'order', { nouns: ['refund'] })).toBe('refund');
    expect(verbOf('cancellation', 'order', { nouns: ['cancellation'] })).toBeUndefined();
  });

  it('picks the sense of the kind', () => {
    expect(matchVerb('withdraw', 'bank_account')).toMatchObject({ kind: 'balance', sense: 1 });
    expect(matchVerb('withdraw', 'claim')?.sense).toBeUndefined();
  });

  it('borrows for a word of one trade, with its own status first', () => {
    expect(matchVerb('seat', 'table_booking')).toMatchObject({
      verb: 'check_in',
      status: ['seated'],
      stamp: ['seated_at'],
    });
    expect(meaningOf('remove', 'container')).toMatchObject({ is: 'crud', op: 'delete' });
  });
});

describe('kindOf', () => {
  it('goes by the whole noun, then its last word, then the shape', () => {
    expect([kindOf('invoice'), kindOf('Purchase Orders'), kindOf('supplier_invoice'), kindOf('gadget')]).toEqual([
      'invoice',
      'order',
      'invoice',
      'any',
    ]);
    expect(kindOf('gadget', { tracking_number: { type: 'text' }, carrier: { type: 'text' } })).toBe('shipment');
    expect(familyOf('invoice')).toBe('money');
    expect(familyOf('any')).toBeUndefined();
  });
});

describe('participleOf', () => {
  it.each([
    ['discontinue', 'discontinued'],
    ['ship', 'shipped'],
    ['submit', 'submitted'],
    ['cancel', 'cancelled'],
    ['deny', 'denied'],
    ['open', 'opened'],
    ['deliver', 'delivered'],
    ['check_in', 'checked_in'],
    ['pay', 'paid'],
    ['authorise', 'authorized'],
    ['transfer', 'transferred'],
    ['unpin', 'unpinned'],
    ['review', 'reviewed'],
    ['reopen', 'reopened'],
    ['enroll', 'enrolled'],
    ['limit', 'limited'],
    ['offer', 'offered'],
    ['debit', 'debited'],
    ['commit', 'committed'],
    ['rebuild', 'rebuilt'],
  ])('%s -> %s', (word, participle) => {
    expect(participleOf(word)).toBe(participle);
  });
});
