/** What is left out of a world so that the rest can stand. */
import { describe, expect, it } from 'vitest';
import type { Invariant, Link } from '../artifacts/world.js';
import type { InvariantStudy } from './invariants/study.js';
import { repairInvariants, repairLinks } from './repair.js';

const study = (id: string, validator?: 'cross_service' | 'initially_true' | 'violable'): InvariantStudy => ({
  invariant: { id } as Invariant,
  reads: [],
  fires: 1,
  ...(validator ? { fault: { validator, line: `about ${id}`, hint: 'mend' } } : {}),
});

describe('invariants at fault', () => {
  it('are left out, each with the validator and what it saw', () => {
    expect(repairInvariants([study('a'), study('b', 'violable'), study('c', 'cross_service')])).toEqual({
      kept: [{ id: 'a' }],
      dropped: [
        { invariant: 'b', why: 'violable: about b' },
        { invariant: 'c', why: 'cross_service: about c' },
      ],
    });
  });
  it('stay when none would remain, and when none is at fault', () => {
    expect(repairInvariants([study('a', 'violable')])).toBeUndefined();
    expect(repairInvariants([study('a')])).toBeUndefined();
    expect(repairInvariants([])).toBeUndefined();
  });
});

const link = (id: string, from: string, to: string): Link => ({
  id,
  from: { service: from, table: 't', col: 'c' },
  to: { service: to, table: 't', col: 'c' },
  says: '',
});

describe('links that nothing bears out', () => {
  const all = [link('ab', 'a', 'b'), link('bc', 'b', 'c'), link('ac', 'a', 'c')];
  it('are left out where the services still hang together', () => {
    expect(repairLinks(['a', 'b', 'c'], all, [all[2] as Link])?.map(({ id }) => id)).toEqual(['ab', 'bc']);
  });
  it('stay where they would fall apart', () => {
    expect(repairLinks(['a', 'b', 'c'], all.slice(0, 2), [all[1] as Link])).toBeUndefined();
    expect(repairLinks(['a', 'b', 'c'], all, [])).toBeUndefined();
  });
});
