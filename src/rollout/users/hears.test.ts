import { describe, expect, it } from 'vitest';
import type { Fact, Unknown } from '../../artifacts/disclosure.js';
import { hear } from './hears.js';

const fact = (id: string, ...asked: string[]): Fact => ({
  id,
  words: id,
  says: `It is ${id}.`,
  asked,
  feeds: [],
  given: 'full',
});
const FACTS = [fact('customer', 'customer'), fact('due', 'due date', 'new value'), fact('amount', 'amount')];
const UNKNOWN: Unknown[] = [{ id: 'id', asked: ['invoice id', 'internal id'] }];
const kind = (text: string): string => hear(text, FACTS, UNKNOWN).kind;
const asked = (text: string): string[] => hear(text, FACTS, UNKNOWN).facts;

describe('the end of a stage', () => {
  it.each([
    'Done. The invoice has been changed.',
    'EUR 1,284.50',
    'I have voided it. Is there anything else I can help you with?',
    'All set! Let me know if you need anything else.',
    'Done. Would you like me to also send a message to the customer?',
    'The title is “Which delivery date can we count on?”',
    'The question on file is "May we use the equivalent product?".',
    'I could not find the invoice, so I am leaving it.',
    '```\nSELECT ?\n```',
    '',
    '   ',
  ])('is %j', (text) => expect(kind(text)).toBe('final'));
});

describe('a question', () => {
  it.each<[string, string[]]>([
    ['Which customer is it for?', ['customer']],
    ['Which customers do you mean?', ['customer']],
    ['What should the new due date be, and what is the amount?', ['due', 'amount']],
    ['Please provide the amount.', ['amount']],
    ['I need the following details from you:\n- customer\n- due date', ['customer', 'due']],
    ['Could you tell me the AMOUNT', ['amount']],
    ['What is the date?', []],
    ['What is the weather like?', []],
    ['Kindly let me know the customer.', ['customer']],
    ['I found two. Which one do you mean?', []],
  ])('%j asks for %j', (text, wanted) => {
    expect(kind(text)).toBe('question');
    expect(asked(text)).toEqual(wanted);
  });

  it('may be a general one, or one for what nobody but the system knows', () => {
    expect(hear('Could you give me more details?', FACTS, UNKNOWN)).toMatchObject({
      isGeneral: true,
      asksUnknown: false,
    });
    expect(hear('What is the invoice ID?', FACTS, UNKNOWN)).toMatchObject({ isGeneral: false, asksUnknown: true });
  });

  it('does not hear what is asked outside of it', () => {
    expect(asked('I looked the customer and the amount up. Which due date?')).toEqual(['due']);
  });
});

it.each([
  'Shall I go ahead?',
  'Do you want me to void it?',
  'May I proceed?',
  'Should I change it now?',
  'Is that correct?',
])('%j wants a confirmation', (text) => expect(kind(text)).toBe('confirmation'));

it('reads hostile text in time that grows with it', () => {
  const long = `${'please '.repeat(20_000)}?`;
  expect(kind(long)).toBe('question');
  expect(kind('“'.repeat(50_000))).toBe('final');
  expect(kind('- '.repeat(50_000))).toBe('final');
});
