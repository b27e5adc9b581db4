/** Arguments that every canonical list tool carries; a dialect puts a cursor or a page in place of the offset. */
import type { Arg } from '../../artifacts/tool.js';

export const PAGING: Record<'limit' | 'offset', Arg> = {
  limit: { type: 'int', role: 'limit', default: 20, min: 1, max: 100, description: 'Most rows to return at once.' },
  offset: {
    type: 'int',
    role: 'offset',
    default: 0,
    min: 0,
    description: 'Rows to skip before the first one returned.',
  },
};
