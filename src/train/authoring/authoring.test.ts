import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certify, engine } from '../../../test/author/fixture.js';
import { assembleWorld } from '../../author/assemble.js';
import { authorFromBrief } from '../../author/catalogue/author.js';
import { certifyWorld } from '../../certify/certify.js';
import type { WorldDescription } from '../../corpus/corpus.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import { blueprintOf } from './blueprint.js';
import { putInPlace } from './change.js';
import { type AuthoringOptions, type AuthoringReport, exportAuthoring, type Oracle } from './export.js';
import { heldOutOf } from './held-out.js';
import { landsOn } from './proof.js';
import { KINDS } from './types.js';

const folder = mkdtempSync(join(tmpdir(), 'authoring-'));
const oracle: Oracle = { certify, prove: () => Promise.resolve(true), say: () => undefined };
let world: WorldDescription;

beforeAll(() => {
  const archetypes = ['order_mgmt', 'billing', 'inventory'];
  const built = assembleWorld(
    engine,
    authorFromBrief('A wholesaler of tea in Gent.', { seed: '1', pins: { archetypes } }),
  );
  const loaded = loadWorld(engine, built);
  const { certificate } = certifyWorld(loaded);
  unloadWorld(loaded);
  world = { ...built, certificates: { world: certificate } };
}, 60_000);

afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true, force: true });
});

let exports = 0;
const exported = async (
  worlds: WorldDescription[],
  more: Partial<AuthoringOptions> = {},
): Promise<{ report: AuthoringReport; rows: Row[]; text: string; out: string }> => {
  const out = join(folder, `out-${exports++}`);
  const options = {
    out,
    kinds: KINDS,
    perWorld: 12,
    heldOut: [],
    format: 'treadle',
    seed: '1',
    licence: 'other',
    ...more,
  };
  const report = await exportAuthoring(worlds, options, oracle);
  const text = report.files
    .filter((file) => file.endsWith('jsonl'))
    .map((file) => readFileSync(join(out, file), 'utf8'))
    .join('');
  return {
    report,
    rows: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row),
    text,
    out,
  };
};

interface Row {
  messages: { role: string; content: string }[];
  metadata: Record<string, unknown>;
}

it('makes samples of the four kinds, each with its evidence', { timeout: 120_000 }, async () => {
  const { report, rows, out } = await exported([world]);
  expect(report.kinds).toEqual({ brief: 3, completion: 3, repair: 3, diff: 3 });
  for (const { messages, metadata } of rows) {
    expect(messages[0]?.role).toBe('system');
    expect(messages.at(-1)?.role).toBe('assistant');
    expect(() => JSON.parse(messages.at(-1)?.content ?? '')).not.toThrow();
    expect(metadata.validators).toContain('violable');
    expect(metadata).toMatchObject({ world_id: world.world.id, schema_version: 'treadle-authoring/1' });
  }
  const repairs = rows.filter(({ metadata }) => metadata.kind === 'repair');
  for (const { messages, metadata } of repairs) {
    const asked = messages.at(-2)?.content ?? '';
    expect(asked).toContain('Not right yet:');
    // What a validator found is told in its own words; what the reader found has none.
    if (!['reader', 'assembly'].includes(String(metadata.found_by))) expect(asked).toContain(`${metadata.found_by}: `);
    expect(messages.at(-1)?.content).not.toBe(messages.at(-3)?.content);
  }
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('ran for 1 of the 1 worlds');
});

it('gives the same bytes again, in every format', { timeout: 120_000 }, async () => {
  const kinds = ['brief', 'completion'] as const;
  const first = await exported([world], { kinds });
  expect((await exported([world], { kinds })).text).toBe(first.text);
  for (const format of ['openai', 'sharegpt', 'hermes']) {
    const { text, report } = await exported([world], { kinds, format });
    expect(report.rows.train).toBe(first.report.rows.train);
    expect(text).not.toContain('<tools>');
  }
  await expect(exported([world], { format: 'csv' })).rejects.toMatchObject({ code: 'unknown_format' });
});

it('says nothing twice', { timeout: 60_000 }, async () => {
  const kinds = ['completion'] as const;
  const once = await exported([world], { kinds, perWorld: 1000 });
  const twice = await exported([world, world], { kinds, perWorld: 1000 });
  expect(twice.report.duplicates).toBe(once.report.rows.train);
  expect(twice.text).toBe(once.text);
});

it('leaves out what is not certified or held out, and says how many', { timeout: 60_000 }, async () => {
  const failed = {
    ...world,
    certificates: { world: { ...world.certificates.world, pass: false } },
  } as WorldDescription;
  const none = await exported([failed, { ...world, certificates: {} }]);
  expect(none.report).toMatchObject({
    rows: { train: 0, validation: 0 },
    skipped: { uncertified: 2 },
    files: ['README.md'],
  });
  expect((await exported([])).report.rows).toEqual({ train: 0, validation: 0 });
  const mixed = await exported([world], { heldOut: ['billing'] });
  expect(mixed.report).toMatchObject({ rows: { train: 0 }, skipped: { mixes_held_out: 1 } });
  const all = await exported([world], {
    heldOut: ['billing', 'order_mgmt', 'inventory'],
    kinds: ['brief'],
    perWorld: 2,
  });
  expect(all.report.rows).toEqual({ train: 0, validation: 2 });
  expect(() => heldOutOf('billing,nonsense')).toThrowError(expect.objectContaining({ code: 'unknown_archetype' }));
  expect(heldOutOf('none')).toEqual([]);
});

it('a faulty answer leads nowhere', { timeout: 60_000 }, async () => {
  const blueprint = await blueprintOf(world, '1', certify);
  if ('skipped' in blueprint) throw new Error(blueprint.skipped);
  const { works, rules } = blueprint;
  expect(landsOn(blueprint, works, rules)).toBe(true);
  expect(landsOn(blueprint, works.slice(1), rules)).toBe(false);
  expect(landsOn(blueprint, works, rules.slice(1))).toBe(false);
  const say = (diff: object[]): string => JSON.stringify({ diff });
  for (const diff of [
    [{ drop: 'billing.nothing.there' }],
    [{ add: 'column', at: 'billing.nothing', column: 'x: text' }],
    [{ add: 'action', at: works[0]?.id, action: { table: 'nothing', action: 'go', says: 'Go.' } }],
    [{ add: 'rule', rule: { says: 'No.' } }],
    [{ add: 'table', at: works[0]?.id, table: { name: 'x', noun: 'x', about: 'X.', columns: [] } }],
  ])
    expect(await putInPlace(blueprint, rules, say(diff)), JSON.stringify(diff)).toBeUndefined();
});
