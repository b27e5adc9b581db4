import { expect, it } from 'vitest';
import { saysNewest } from './newest.js';

it('knows the words for newest first, and when they are of something else', () => {
  const says = (text: string): boolean => saysNewest(text) !== undefined;
  for (const text of [
    'Returns a list of orders. The orders are returned sorted by creation date, with the most recent orders appearing first.',
    '<p>The things are in sorted order, with the most recently created things appearing first.</p>',
    'All orders, newest first',
    'Entries are returned in reverse chronological order.',
    'List all links ordered by created_at descending',
    'Results are in descending order of their `created` time.',
    'The latest events come first.',
  ])
    expect([text, says(text)]).toEqual([text, true]);
  for (const text of [
    'Returns a list of orders.',
    'Use `sort=desc` to see the newest orders first.',
    'If `latest` is set, the most recent come first.',
    'Sort by oldest or newest videos: oldest first, or newest first.',
    'The results are sorted by creation date in ascending order.',
    'Sorted by block height, newest blocks first.',
    'The most recent order. Sorted by name first.',
    `newest ${'x '.repeat(50_000)}first`,
  ])
    expect([text.slice(0, 80), says(text)]).toEqual([text.slice(0, 80), false]);
});
