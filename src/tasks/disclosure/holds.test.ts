import { describe, expect, it } from 'vitest';
import { says } from './holds.js';

describe('whether a text says something', () => {
  it.each([
    ['Void INV-1, please.', 'inv-1', true],
    ['Void INV-10, please.', 'INV-1', false],
    ['Change it to 5.', '5', true],
    ['Change it to 1.5.', '5', false],
    ['It costs EUR 5,000.00.', '5', false],
    ['It costs EUR 5,000.00.', 'EUR 5,000.00', true],
    ['It costs EUR 5,000.00.', 'EUR 5,000', false],
    ['The reason is “Wrong amount”.', 'wrong amount', true],
    ["The member is O'Brien.", 'O’Brien', true],
    ['a  text   with gaps', 'text with', true],
    ['Carlos is here', 'Carl', false],
    ['Zoë Müller called', 'zoë müller', true],
    ['', 'x', false],
    ['x', '', true],
    ['.*', '.*', true],
    ['abc', '.*', false],
  ])('%j says %j: %s', (text, words, wanted) => expect(says(text, words)).toBe(wanted));
});
