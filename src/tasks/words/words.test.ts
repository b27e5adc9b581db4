/** Sentences: names of columns, days, verbs, things meant by what is around them. */
import { describe, expect, it } from 'vitest';
import type { Table } from '../../artifacts/table.js';
import { rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import { article, closed, joined, quoted } from './grammar.js';
import { wording } from './lexicon.js';
import { nounOf, sayColumn, sayField, sayMany } from './names.js';
import { isAdjective, sayRow, sayWhen } from './rows.js';
import { isSayable, isSpeakable } from './sayable.js';
import { asked, PERSONAS, requested } from './tone.js';
import { type Said, sayAction } from './verbs.js';

const random = rng('words');
const said = (name: string, words: string, more: Partial<Said> = {}): Said => ({ name, words, isText: false, ...more });
const table = (noun: string, cols: Table['cols'] = {}, label?: string): Table => ({
  noun,
  key: { col: 'id' },
  cols: { id: { type: 'text' }, ...cols },
  ...(label ? { label } : {}),
});

describe('names', () => {
  it.each([
    ['starts_on', 'start date'],
    ['salary_min', 'minimum salary'],
    ['due_on', 'due date'],
    ['contract_no', 'contract number'],
    ['customer_id', 'customer'],
    ['hs_code', 'HS code'],
    ['weight_kg', 'weight in kg'],
    ['is_vip', 'VIP'],
    ['owner_email', 'owner'],
    ['email', 'e-mail address'],
    ['certificate_until', 'certificate expiry date'],
    ['warranty_until', 'warranty expiry date'],
    ['id', 'ID'],
    ['constructor', 'constructor'],
  ])('%s is said as %s', (name, words) => expect(sayColumn(name)).toBe(words));
  it('says what kind of value a bare name is', () => {
    const spec = table('lot', { arrived_on: { type: 'date' }, asked_price: { type: 'money' }, net: { type: 'money' } });
    expect(sayField(spec, 'arrived_on')).toBe('arrived date');
    expect(sayField(spec, 'asked_price')).toBe('asked price');
  });
  it('says nouns as people do', () => {
    expect(nounOf(table('policy doc'))).toBe('policy document');
    expect(nounOf(table('kb article'))).toBe('knowledge base article');
    expect(nounOf(table('sla policy'))).toBe('SLA policy');
    expect(nounOf(table('day-care request'))).toBe('day-care request');
    expect(sayMany(table('policy doc'))).toBe('policy documents');
    expect(sayMany(table('bill of materials'))).toBe('bills of materials');
  });
  it('leaves what comes from several levels down unsaid', () => {
    expect(isSpeakable('mandate_data_customer_acceptance_accepted_date')).toBe(false);
    expect(isSpeakable('due_on')).toBe(true);
  });
  it.each([
    ['prefs_voting', 'Prefs voting C8', false],
    ['instructions', 'adam@example.org', false],
    ['email', 'adam@example.org', true],
    ['closed', 0, false],
    ['source', 'trade_fair', false],
    ['location', 'loca_945486', false],
    ['location', 'Warehouse 2', true],
  ])('%s %s', (col, value, yes) => expect(isSayable(col, value)).toBe(yes));
});

describe('days', () => {
  it.each([
    ['issued_at', 'issued on 5 March 2024'],
    ['due_date', 'due on 5 March 2024'],
    ['starts_at', 'starting on 5 March 2024'],
    ['inspection_until', 'inspected until 5 March 2024'],
    ['planned_for', 'planned for 5 March 2024'],
    ['day', 'on 5 March 2024'],
    ['respond_by', 'to be answered by 5 March 2024'],
    ['loss_date', 'with loss date 5 March 2024'],
  ])('%s', (col, words) => expect(sayWhen(col, '5 March 2024')).toBe(words));
  it('does not say that an inspection was inspected', () =>
    expect(sayWhen('inspected_on', '5 March 2024', 'inspection')).toBe('of 5 March 2024'));
});

describe('things', () => {
  const spec = table(
    'invoice',
    {
      invoice_no: { type: 'text' },
      status: { type: 'text', enum: ['overdue', 'in_review'] },
      amount: { type: 'money' },
      due_on: { type: 'date' },
      beds: { type: 'int' },
    },
    'invoice_no',
  );
  const service = {
    spec: { tables: { invoice: spec, desk: table('table', { name: { type: 'text' } }, 'name') } },
  } as unknown as LoadedService;
  const say = (...descriptors: { col: string; words: string }[]): string =>
    sayRow(
      service,
      'invoice',
      { invoice_no: 'INV-7' },
      descriptors.map((one) => ({ ...one, value: one.words })),
    );
  it('goes by its number', () => expect(say({ col: 'invoice_no', words: 'INV-7' })).toBe('invoice INV-7'));
  it('goes by what is around it', () =>
    expect(
      say(
        { col: 'amount', words: 'EUR 5.00' },
        { col: 'status', words: 'overdue' },
        { col: 'due_on', words: '5 March 2024' },
      ),
    ).toBe('the overdue invoice due on 5 March 2024 with an amount of EUR 5.00'));
  it('puts only what reads well before the noun', () => {
    expect(say({ col: 'status', words: 'in review' })).toBe('the invoice with status in review');
    expect(isAdjective('written off')).toBe(false);
    expect(isAdjective('cleaning')).toBe(false);
  });
  it('counts', () => expect(say({ col: 'beds', words: '2' })).toBe('the invoice with 2 beds'));
  it('does not say a noun twice', () =>
    expect(sayRow(service, 'desk', { name: 'Table 13' }, [{ col: 'name', value: 'Table 13', words: 'Table 13' }])).toBe(
      'Table 13',
    ));
});

describe('verbs', () => {
  const it1 = 'the claim LC-5';
  it.each<[string, Said[], string]>([
    ['set_reserve', [said('reserve', 'CHF 70.00')], 'set the reserve of the claim LC-5 to CHF 70.00'],
    [
      'renew_certificate',
      [said('certificate_until', '5 March 2024')],
      'renew the certificate of the claim LC-5 until 5 March 2024',
    ],
    [
      'hand_over',
      [said('handler_email', 'Ana Moreira', { noun: 'employee', isPerson: true })],
      'hand the claim LC-5 over to Ana Moreira',
    ],
    [
      'change_plan',
      [said('plan', 'premium'), said('price', 'EUR 60.00')],
      'move the claim LC-5 to the premium plan at EUR 60.00',
    ],
    ['write_off', [], 'write off the claim LC-5'],
    ['mark_lost', [], 'mark the claim LC-5 as lost'],
    [
      'approve',
      [said('approver_email', 'Ana Moreira', { noun: 'employee', isPerson: true })],
      'approve the claim LC-5 with Ana Moreira as approver',
    ],
    ['close', [said('note', 'Call first.', { isText: true })], 'close the claim LC-5 with the note “Call first.”'],
  ])('%s', (verb, args, sentence) => expect(sayAction(verb, it1, args, random)).toBe(sentence));
  it('gives a reason in one of several ways', () => {
    for (let i = 0; i < 10; i++)
      expect(sayAction('suspend', it1, [said('suspend_reason', 'unpaid')], rng(`r${i}`))).toMatch(
        /^suspend the claim LC-5[ ,].*“unpaid”/,
      );
  });
  it('has slots only for arguments that it is given', () => {
    for (const [verb, lines] of Object.entries(wording().verbs)) {
      expect(
        lines.every((line) => line.includes('{it}')),
        verb,
      ).toBe(true);
      expect(sayAction(verb, it1, [], random), verb).not.toMatch(/[{}]|undefined/);
    }
  });
});

describe('tone', () => {
  it.each(PERSONAS)('%s', (persona) => {
    for (let i = 0; i < 12; i++) {
      const request = requested('close invoice INV-1', persona, rng(`${persona}${i}`));
      expect(request).toMatch(/^(?=[A-Z]).*close invoice INV-1.*[.?!]$/i);
      expect(requested('add the note “Call first.”', persona, rng(`${persona}${i}`))).not.toMatch(/\.”\./);
      expect(requested('close invoice INV-1', persona, rng(`${persona}${i}`), 'It is open.')).toMatch(
        /[.?!] It is open\.$/,
      );
      expect(asked('the due date of invoice INV-1', persona, rng(`${persona}${i}`))).toMatch(
        /^(?=[A-Z]).*the due date of invoice INV-1.*[.?!]$/i,
      );
    }
  });
});

describe('grammar', () => {
  it('articles', () =>
    expect(['invoice', 'hourly rate', 'SKU', 'user'].map(article)).toEqual([
      'an invoice',
      'an hourly rate',
      'an SKU',
      'a user',
    ]));
  it('lists', () => expect([joined([]), joined(['a']), joined(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c']));
  it('quotes what would run into the sentence', () => {
    expect(quoted('Call before coming by.', 'note')).toBe('“Call before coming by.”');
    expect(quoted('Brinkhof Interiors', 'customer_name')).toBe('Brinkhof Interiors');
    expect(quoted('urgent', 'note')).toBe('urgent');
  });
  it('closes once', () =>
    expect([closed('Do it'), closed('Do it?'), closed('Say “no.”')]).toEqual(['Do it.', 'Do it?', 'Say “no.”']));
});
