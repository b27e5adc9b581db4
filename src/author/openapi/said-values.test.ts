import { describe, expect, it } from 'vitest';
import { saidValues } from './said-values.js';

describe('values that a description lists', () => {
  it.each([
    ['Whether it is APPROVED, PENDING, or IN_REVIEW.', ['APPROVED', 'PENDING', 'IN_REVIEW']],
    ['Can be: `queued`, `in-progress` or `done`. See `queued`, `done`.', ['queued', 'in-progress', 'done']],
    ["One of 'sent' and 'failed'", ['sent', 'failed']],
    ['One of (ON|OFF)', ['ON', 'OFF']],
    ['"open", "closed" or null', ['open', 'closed']],
  ])('%s', (text, values) => {
    expect(saidValues(text)).toEqual(values);
  });

  it.each([
    undefined,
    '',
    'The status.',
    'Whether it is APPROVED.',
    'A state, such as `open` or `closed`.',
    'Usually `active`, but can be `suspended` or `closed`.',
    'Sent over HTTP or HTTPS.',
    'Kept as JSON, XML or CSV',
    'Either `single` or `married`; where it is `left` or `right`, it turns.',
    'It is open, doing or closed.',
    'PENDING of the APPROVED',
    Array.from({ length: 60 }, (_, n) => `S${n}`).join(', '),
    '`'.repeat(5000),
    `${'A_'.repeat(3000)}, B`,
  ])('none in %j', (text) => {
    expect(saidValues(text)).toBeUndefined();
  });
});
