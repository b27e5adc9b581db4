/** What a person is told to look at. */
import { describe, expect, it } from 'vitest';
import type { Certificate } from '../artifacts/certificate.js';
import type { ServiceSpec } from '../artifacts/service.js';
import type { WorldSpec } from '../artifacts/world.js';
import { attentionOf, type Looked } from './attention.js';

const certificate = (name: string, findings: Certificate['findings']): Certificate => ({
  treadle: 'certificate/1',
  kind: name === 'world' ? 'world' : 'service',
  subject: 'a'.repeat(64),
  name,
  pass: findings.every(({ pass }) => pass),
  findings,
});

const service = (id: string, tools: number, kind: 'core' | 'catalogue'): ServiceSpec =>
  ({
    id,
    source: { kind },
    tools: Object.fromEntries(Array.from({ length: tools }, (_, i) => [`t${i}`, {}])),
    tables: { big: {}, small: {} },
  }) as unknown as ServiceSpec;

const looked = (change: Partial<Looked> = {}): Looked => ({
  world: {
    id: 'w',
    rows: { shop: { big: 20, small: 20 }, mail: { big: 0, small: 0 } },
    invariants: [{}, {}],
  } as unknown as WorldSpec,
  services: [service('shop', 9, 'catalogue'), service('mail', 4, 'core')],
  certificates: { world: certificate('world', [{ id: 'schema', pass: true, evidence: [] }]) },
  leftOut: [],
  tasks: { kept: 10, dropped: 2 },
  ...change,
});

const FAILED = {
  id: 'effects',
  pass: false,
  evidence: ['get_x returned another row'],
  repair: { part: 'steps' as const, hint: 'Mend it.' },
};

describe('attention', () => {
  it('is not called for where all is well', () => {
    expect(attentionOf(looked())).toEqual([]);
  });
  it('goes to failures first, with evidence, route and hint; then to what was left out', () => {
    const out = attentionOf(
      looked({
        certificates: { world: certificate('world', [FAILED]), shop: certificate('shop', [FAILED]) },
        leftOut: [{ what: 'invariant x', why: 'violable: no calls' }],
      }),
    );
    expect(out.map(({ kind, what }) => [kind, what])).toEqual([
      ['failed', 'world effects'],
      ['failed', 'shop effects'],
      ['left_out', 'invariant x'],
    ]);
    expect(out[0]?.why).toBe('get_x returned another row [steps] Mend it.');
  });
  it('names thin services of the trade, not of the core', () => {
    const { world } = looked();
    const out = attentionOf(
      looked({
        world: { ...world, rows: { shop: { big: 20, small: 1 }, mail: {} }, invariants: world.invariants.slice(1) },
        services: [service('shop', 3, 'catalogue'), service('mail', 1, 'core')],
      }),
    );
    expect(out.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'shop: has 3 tools',
      'shop: fewer than 3 rows in small',
      'w: has only one invariant',
    ]);
  });
  it('says when most tasks were dropped', () => {
    expect(attentionOf(looked({ tasks: { kept: 1, dropped: 9 } }))[0]?.why).toBe('9 of 10 tasks were dropped');
    expect(attentionOf(looked({ tasks: { kept: 0, dropped: 9 } }))[0]?.why).toMatch(/none of 9/);
    expect(attentionOf(looked({ tasks: { kept: 0, dropped: 0 } }))).toEqual([]);
  });
});
