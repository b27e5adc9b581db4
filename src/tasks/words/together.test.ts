import { describe, expect, it } from 'vitest';
import { rng } from '../../kit/rng.js';
import { together } from './together.js';
import { asked, askedPlainly, PERSONAS } from './tone.js';

const close = { does: 'close incident IN-4', tail: '' };
const change = { does: 'change the due date of invoice INV-1 to 5 May 2025', tail: 'It is still open.' };
const ask = { asks: 'What is the status of order PO-7?' };
const many = (first: Parameters<typeof together>[0], second: Parameters<typeof together>[1]): string[] =>
  PERSONAS.flatMap((persona) =>
    Array.from({ length: 30 }, (_, i) => together(first, second, persona, rng(`${persona}${i}`)) ?? ''),
  );

describe('two things in one message', () => {
  it('says both, as sentences', () => {
    for (const text of [...many(close, change), ...many(change, close), ...many(close, ask), ...many(ask, change)]) {
      expect(text).toMatch(/^[A-Z].*[.?!]$/);
      expect(text).not.toMatch(/[{}]|\s\s|\.\.|\?\.|[.?!] [a-z]/);
      expect(text.includes('IN-4') || text.includes('INV-1')).toBe(true);
    }
  });
  it('says one colon, not two', () => {
    for (const text of many(close, { asks: 'I need one figure: the amount of all refunds together.' }))
      expect(text.match(/: /g), text).toHaveLength(1);
  });
  it('does not announce one thing', () => {
    for (const text of [...many(close, change), ...many(change, ask)])
      expect(text).not.toMatch(/^(One task|Quick one)/);
  });
  it('keeps what is said after a change', () => {
    for (const text of [...many(close, change), ...many(change, ask)]) expect(text).toContain('It is still open.');
  });
  it('has no message for two questions', () => {
    expect(together(ask, ask, PERSONAS[0] as string, rng('two'))).toBeUndefined();
  });
  it('says it in many ways', () => {
    expect(new Set(many(close, ask)).size).toBeGreaterThan(80);
  });
});

describe('several things asked for', () => {
  it.each([
    ['the payment terms of customer A', 'What are the payment terms of customer A?'],
    ['the number of places of class B', 'What is the number of places of class B?'],
    ['the address of customer A', 'What is the address of customer A?'],
    ['the status of order 7', 'What is the status of order 7?'],
    ['the notice days in contract C', 'What are the notice days in contract C?'],
  ])('%s', (thing, question) => expect(askedPlainly(thing)).toBe(question));
  it('in every manner', () => {
    for (const persona of PERSONAS)
      for (let i = 0; i < 30; i++)
        expect(asked('the payment terms of customer A', persona, rng(`${persona}${i}`))).not.toMatch(/\b(is|it)\b/);
  });
});
