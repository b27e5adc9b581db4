import { describe, expect, it } from 'vitest';
import type { Tool } from '../../artifacts/tool.js';
import { beyond, withWide } from './wide.js';

describe('filters that take more than their column holds', () => {
  it.each([
    [['open', 'closed'], ['open', 'closed', 'all'], ['all']],
    [['open', 'closed'], ['open'], []],
    [['open', 'closed'], ['created', 'updated'], []],
    [undefined, ['open'], []],
    [['open'], undefined, []],
  ])('%j offered %j', (own, offered, extra) => {
    expect(beyond(own, offered)).toEqual(extra);
  });

  it('falls away for values that are no column value, quotes and all', () => {
    const tool: Tool = {
      id: 'issue.list',
      op: 'list',
      table: 'issue',
      description: 'Lists issues.',
      args: { state: { type: 'text', role: 'filter', col: 'state', op: 'eq' } },
      steps: [
        {
          find: {
            table: 'issue',
            where: [{ col: 'state', op: 'eq', value: '$args.state', optional: true }],
            as: 'rows',
          },
        },
      ],
      reads: ['issue'],
      writes: [],
      provenance: { tier: 'spec' },
    };
    const made = withWide(tool, new Map([['state', ["it's all"]]]), () => ['open', 'closed']);
    expect(made.args.state).toMatchObject({ role: 'input', enum: ['open', 'closed', "it's all"] });
    expect(JSON.stringify(made.steps)).toContain("in ['it\\\\'s all']");
    expect(withWide(tool, new Map(), () => undefined)).toBe(tool);
  });
});
