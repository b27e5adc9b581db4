import { expect, it } from 'vitest';
import { COMMANDS } from './commands.js';
import { summaries } from './summaries.js';

it('has a line of help for every command, in one style', async () => {
  const all = await summaries();
  expect(all.map(({ name }) => name)).toEqual(Object.keys(COMMANDS));
  for (const { name, term, about } of all) {
    expect(term).toMatch(new RegExp(`^${name}( |$)`));
    expect(about).toMatch(/^[a-z].*[^.]$/);
  }
});
