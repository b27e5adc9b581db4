import { expect, it } from 'vitest';
import type { Tool } from '../../artifacts/tool.js';
import { withoutGuesses } from './lenient.js';

it('keeps what a verb asks of the row itself, and drops what it asks of others', () => {
  const state = { that: "row.status == 'draft'", error: 'invalid_state' };
  const lines = { that: 'row.total > 0', error: 'incomplete' };
  const update = { update: { table: 'invoice', where: { id: '$row.id' }, set: { status: "'open'" } } };
  const tool: Tool = {
    id: 'invoice.finalize',
    op: 'action',
    table: 'invoice',
    description: 'Finalizes.',
    args: {},
    steps: [{ require: [lines] }, { if: { that: "row.status != 'open'", do: [{ require: [state, lines] }, update] } }],
    reads: ['invoice'],
    writes: [{ table: 'invoice', cols: ['status'] }],
    provenance: { tier: 'lexicon' },
  };
  expect(withoutGuesses(tool).steps).toEqual([
    { if: { that: "row.status != 'open'", do: [{ require: [state] }, update] } },
  ]);
});
